import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../support/command.ts';
import { packInto, run } from '../support/packed.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { installedTestPackage } from '../support/test-package.ts';

/** The package as projects of other kinds resolve it: ESM and CommonJS, under each resolution of modules that TypeScript has for them. */

const ENTRIES = [
  'edgeloom',
  'edgeloom/lambda',
  'edgeloom/local',
  'edgeloom/stack',
  'edgeloom/admin',
  'edgeloom/feed',
  'edgeloom/types',
];
const SOURCE = `
import { defineGraph, edge, node, type NodeId } from 'edgeloom';
${ENTRIES.slice(1)
  .map((entry, i) => `import * as entry${i} from '${entry}';`)
  .join('\n')}
const graph = defineGraph({
  table: 'records',
  nodes: { USER: node({ view: 'ALL', search: { name: {} } }) },
  edges: { KNOWS: edge({ from: 'USER', to: 'USER', inbound: { orders: { gsi0: 'since' } } }) },
});
export const id: NodeId<typeof graph, 'USER'> = 'USER-1';
// @ts-expect-error types are there: a goal is no user
export const other: NodeId<typeof graph, 'USER'> = 'GOAL-1';
export const entries = [${ENTRIES.slice(1)
  .map((_, i) => `entry${i}`)
  .join(', ')}];
console.log(graph.table.name, entries.length);
`;

describe('the package', () => {
  const folder = temporaryFolder();
  let tarball: string;

  beforeAll(async () => {
    tarball = await packInto(folder);
    await writeFile(join(folder, 'package.json'), '{}');
    await run('npm', ['install', '--no-audit', '--no-fund', '--omit=optional', tarball], { cwd: folder });
  });
  const consumers = ['module', 'commonjs'].flatMap((type) =>
    [
      { module: 'nodenext', moduleResolution: 'nodenext' },
      { module: 'esnext', moduleResolution: 'bundler' },
    ].map((options) => ({ type, ...options })),
  );

  it.each(consumers)('compiles in a project of type $type under $moduleResolution, and runs', async (consumer) => {
    const { type, module, moduleResolution } = consumer;
    const project = join(folder, `${type}-${moduleResolution}`);
    await mkdir(project);
    await writeFile(join(project, 'package.json'), JSON.stringify({ type }));
    await writeFile(join(project, 'index.ts'), SOURCE);
    const compilerOptions = {
      ...{ module, moduleResolution, target: 'es2022', strict: true, outDir: 'out', skipLibCheck: false },
      ...{ types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] },
    };
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['index.ts'] }));
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    const compiled = await run(process.execPath, [compiler, '-p', '.'], { cwd: project }).catch((error) => error);
    expect(compiled.stdout).toBe('');
    // A bundler takes what is written for one, so CommonJS does not run by itself then.
    if (type === 'commonjs' && moduleResolution === 'bundler') return;
    const { stdout } = await run(process.execPath, ['out/index.js'], { cwd: project });
    expect(stdout).toBe('records 6\n');
  });

  it('has no fault that attw and publint know', async () => {
    const programs = await installedTestPackage('publishing');
    const bin = (name: string) => join(programs, 'node_modules', name);
    // A module is meant to be required, and no project resolves as Node 10 did.
    const rules = ['false-cjs', 'cjs-resolves-to-esm', 'named-exports'];
    const attw = [bin('@arethetypeswrong/cli/dist/index.js'), tarball, '--profile', 'node16', '--format', 'json'];
    const types = await run(process.execPath, [...attw, '--ignore-rules', ...rules]).catch((error) => error);
    expect([types.code ?? 0, types.stderr]).toEqual([0, '']);
    const lint = await run(process.execPath, [bin('publint/src/cli.js'), tarball, '--strict']).catch((error) => error);
    expect(`${lint.stdout}${lint.stderr}`).toContain('All good!');
  });
});
