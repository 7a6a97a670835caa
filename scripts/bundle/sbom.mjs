import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/**
 * The packages that are bundled into `dist`, for those who look for known faults: nobody's `npm audit` sees them. They are written as a CycloneDX
 * document into `dist/sbom.cdx.json`, and into SECURITY.md between two comments.
 */

const LIST = /(<!-- bundled -->\n)[^<]*(<!-- end of bundled -->)/;

/** Writes the packages of a bundle, with those that other bundles of `dist` have written. @param isFirst whether it begins the document anew. */
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
