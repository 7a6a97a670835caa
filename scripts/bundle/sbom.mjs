import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** Lists the bundled packages, which `npm audit` doesn't see, in `dist/sbom.cdx.json` (CycloneDX) and SECURITY.md. */

const LIST = /(<!-- bundled -->\n)[^<]*(<!-- end of bundled -->)/;

/** @param isFirst starts a new document */
export function writeSbom(root, packages, isFirst) {
  const path = `${root}dist/sbom.cdx.json`;
  const before = isFirst || !existsSync(path) ? [] : JSON.parse(readFileSync(path, 'utf8')).components;
  const byUrl = new Map([...before, ...packages.map(componentOf)].map((component) => [component.purl, component]));
  const components = [...byUrl.values()].sort((left, right) => (left.purl < right.purl ? -1 : 1));
  const { name, version, license } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
  const component = { ...componentOf({ name, version, license }), type: 'library' };
  const document = { bomFormat: 'CycloneDX', specVersion: '1.5', version: 1, metadata: { component }, components };
  writeFileSync(path, `${JSON.stringify(document, undefined, 2)}\n`);
  writeList(`${root}SECURITY.md`, components);
}

function componentOf({ name, version, license }) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return { type: 'library', 'bom-ref': purl, name, version, licenses: [{ license: { id: license } }], purl };
}

function writeList(path, components) {
  const text = readFileSync(path, 'utf8');
  const list = components.map(({ name, version }) => `- ${name} ${version}\n`).join('');
  const next = text.replace(LIST, `$1${list}$2`);
  if (next !== text) writeFileSync(path, next);
}
