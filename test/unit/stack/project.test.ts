import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import * as admin from '../../../src/admin.ts';
import { DEPLOY_TOOLS, makeProject } from '../../../src/deployment/stack/project/project.ts';

const TSC = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
const ASSETS = new URL('../../../assets/project/', import.meta.url);

it.each(DEPLOY_TOOLS)(
  'a project that mirrors a table has its function, its source and its stream, with %s',
  async (deploy) => {
    const folder = join(await mkdtemp(join(tmpdir(), 'edgeloom-project-')), 'beside');
    const ofApp = 'arn:aws:dynamodb:eu-central-1:123456789012:table/app';
    const sourceStreamArn = `${ofApp}/stream/2026-01-01T00:00:00.000`;
    try {
      const packageFolder = fileURLToPath(new URL('../../../', import.meta.url));
      const files = await makeProject(folder, { deploy, packageFolder, sourceStreamArn });
      expect(files).toContain('handlers/mirror.ts');
      const text = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');
      const model = await text('edgeloom.config.ts');
      expect(model).toContain("sourceTable('app', { keys: { partitionKey: 'pk', sortKey: 'sk' }");
      const sourceKeys = { partitionKey: "TABLE's", sortKey: undefined };
      const keyed = join(dirname(folder), 'keyed');
      await makeProject(keyed, { deploy, packageFolder, sourceStreamArn, sourceKeys });
      const withKeys = await readFile(join(keyed, 'edgeloom.config.ts'), 'utf8');
      expect(withKeys).toContain("sourceTable('app', { keys: { partitionKey: 'TABLE\\'s' }, map");
      const [, named = ''] = /give (.*) of edgeloom\/admin/.exec(model)!;
      for (const [, name] of named.matchAll(/(\w+)\(/g)) expect(admin).toHaveProperty(name!, expect.any(Function));
      // The sample of another project goes with another model.
      expect(files).not.toContain('seed.jsonl');
      expect(JSON.parse(await text('package.json'))).toMatchObject({ edgeloom: { table: 'graph' } });
      expect(await text('handlers/mirror.ts')).toContain('deployedMirror(graph, sources)');
      const parameters = await text(deploy === 'serverless' ? 'serverless.yml' : 'package.json');
      expect(parameters).toMatch(
        /sourceStreamArns(: |=)arn:aws:dynamodb:eu-central-1:123456789012:table\/app\/stream\//,
      );
      const other = join(dirname(folder), 'other');
      const others = await makeProject(other, { deploy, packageFolder });
      expect(others).toContain('seed.jsonl');
      expect(others).not.toContain('handlers/mirror.ts');
    } finally {
      await rm(dirname(folder), { recursive: true });
    }
  },
);

it('a new project compiles all of its folders, its own src among them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'edgeloom-project-'));
  try {
    await cp(new URL('tsconfig.json', ASSETS), join(folder, 'tsconfig.json'));
    const files = ['handlers/a.ts', 'src/b.ts', 'src/deep/c.ts', 'test/d.ts', 'edgeloom.config.ts'];
    for (const file of files) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), 'export {};\n');
    }
    const listed = await promisify(execFile)(process.execPath, [TSC, '-p', folder, '--listFilesOnly']).catch(
      ({ stdout }: { stdout: string }) => ({ stdout }),
    );
    for (const file of files) expect(listed.stdout).toContain(file);
  } finally {
    await rm(folder, { recursive: true });
  }
});
