import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export function licensesOf({ inputs }, root) {
  return foldersOf(inputs, root).map(licenseOf).sort().join('\n');
}

export function packagesOf({ inputs }, root) {
  return foldersOf(inputs, root).map(manifestOf);
}

function foldersOf(inputs, root) {
  return [...new Set(Object.keys(inputs).flatMap((path) => packageFolder(join(root, path)) ?? []))];
}

function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** Parts of a package may have their own package.json. */
function packageFolder(path) {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
}

function licenseOf(folder) {
  const { name, version, license } = manifestOf(folder);
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  return `${name} ${version}, ${license}\n${text}`;
}
