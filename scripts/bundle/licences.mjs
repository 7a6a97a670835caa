import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The licences of the packages that a bundle contains, as their texts ask for: one after the other, by name. */
export function licencesOf({ inputs }, root) {
  const folders = new Set(Object.keys(inputs).flatMap((path) => packageFolder(join(root, path)) ?? []));
  return [...folders].map(licenceOf).sort().join('\n');
}

function packageFolder(path) {
  if (!path.includes('/node_modules/')) return undefined;
  let folder = dirname(path);
  // Some packages have more such files, without a name, for parts of them.
  while (!isNamed(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}

function isNamed(manifest) {
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version !== undefined;
}

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  return `${name} ${version}, ${license}\n${text}`;
}
