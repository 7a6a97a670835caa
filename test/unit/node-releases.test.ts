import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RUNTIME } from '../../src/deployment/stack/parts/functions.ts';

/** The releases of Node that the package is for, and the versions of the SDK that run on all of them. */

const read = (path: string): string => readFileSync(resolve(import.meta.dirname, '../..', path), 'utf8');
const manifest = (path: string) =>
  JSON.parse(read(path)) as Record<
    'dependencies' | 'peerDependencies' | 'optionalDependencies',
    Record<string, string>
  >;

/** The SDK has a version a working day: this one comes before January 2027, from when on versions want Node 22. */
const BEFORE_NODE_22 = '<3.1190.0';

describe('the SDK', () => {
  it.each(['package.json', 'assets/project/package.json'])('of %s is of versions that take Node 20', (path) => {
    const { dependencies, peerDependencies } = manifest(path);
    const ranges = Object.entries({ ...dependencies, ...peerDependencies }).filter(([name]) =>
      name.startsWith('@aws-sdk/'),
    );
    expect(ranges).not.toEqual([]);
    for (const [name, range] of ranges)
      expect(`${name} ${range}`).toMatch(new RegExp(`>=3\\.\\d+\\.0 ${BEFORE_NODE_22}$`));
  });
});

describe('the release of Node that the functions run on', () => {
  const major = /^nodejs(\d+)\.x$/.exec(RUNTIME)![1]!;

  it("is that of Lambda's runtime client in the tests, and one that the package is tested on", () => {
    for (const version of Object.values(manifest('test/lambda-runtime/package.json').optionalDependencies)) {
      expect(version).toMatch(new RegExp(`^${major}\\.`));
    }
    expect(manifest('test/nodes/package.json').optionalDependencies).toHaveProperty(`node-${major}-x64`);
  });
  it('is that of the workflow of a new project', () => {
    expect(read('assets/project/deploy-workflow.yml').match(/node-version: \d+/g)).toEqual(
      Array(2).fill(`node-version: ${major}`),
    );
  });
});
