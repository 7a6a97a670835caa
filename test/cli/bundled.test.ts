import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/command.ts';

/** What is bundled is seen by no audit of a user: the build says what it is. */

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface Component {
  name: string;
  version: string;
  purl: string;
  licenses: unknown[];
}

it('SECURITY.md and the SBOM of the package name each bundled package with its version', () => {
  const { bomFormat, components } = JSON.parse(read('dist/sbom.cdx.json')) as {
    bomFormat: string;
    components: Component[];
  };
  expect(bomFormat).toBe('CycloneDX');
  const named = components.map(({ name, version }) => `${name} ${version}`);
  const licensed = ['dist/LICENSES.txt', 'dist/studio/page/LICENSES.txt'].flatMap((path) =>
    [...read(path).matchAll(/^((?:@[\w.-]+\/)?[\w.-]+ \d+\.\d+\.\d+[^,\n]*), /gm)].map(([, one]) => one),
  );
  expect([...named].sort()).toEqual([...new Set(licensed)].sort());
  const [, list = ''] = /<!-- bundled -->\n(.*?)<!-- end of bundled -->/s.exec(read('SECURITY.md'))!;
  expect(list).toBe(named.map((one) => `- ${one}\n`).join(''));
  for (const name of ['undici', 'zod', 'pino', 'preact']) expect(list).toMatch(new RegExp(`^- ${name} \\d`, 'm'));
  expect(components.find(({ name }) => name.startsWith('@'))?.purl).toMatch(/^pkg:npm\/%40[\w-]+\/[\w-]+@\d/);
});

it('each bundled package has the version of the lock file', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, { version?: string }> };
  const { components } = JSON.parse(read('dist/sbom.cdx.json')) as { components: Component[] };
  for (const { name, version } of components) {
    const locked = Object.entries(packages).flatMap(([path, { version: one }]) =>
      path.endsWith(`node_modules/${name}`) ? [one] : [],
    );
    expect(locked, name).toContain(version);
  }
});
