import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { DEPLOY_TOOLS, type DeployTool } from '../../src/deployment/stack/project/project.ts';
import { CommandProcess } from '../support/command-process.ts';
import type { Template } from '../support/stack/template.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Projects for each of the tools that deploy, and the templates that `edgeloom stack` prints for them. */

const command = new CommandProcess();
const parent = temporaryFolder();
afterAll(async () => {
  await command.end();
});

interface Manifest {
  edgeloom: object;
  scripts: Record<string, string>;
  devDependencies: Record<string, string>;
}

async function project(deploy: DeployTool, ...more: string[]) {
  const folder = join(await mkdtemp(join(parent, `${deploy}-`)), 'goal-service');
  const run = await command.run(['init', folder, '--deploy', deploy, '--json', ...more]);
  expect(run, run.stderr).toMatchObject({ code: 0 });
  const read = (name: string) => readFile(join(folder, name), 'utf8');
  const manifest = JSON.parse(await read('package.json')) as Manifest;
  return { folder, read, manifest, files: (JSON.parse(run.stdout) as { files: string[] }).files };
}

describe.each(DEPLOY_TOOLS)('a project for %s', (tool) => {
  it('has what that tool needs, and nothing of the others', async () => {
    const { files, manifest } = await project(tool);
    const own = { serverless: 'serverless.yml', sam: undefined, terraform: 'main.tf', cdk: 'app.mjs' };
    for (const [name, file] of Object.entries(own)) {
      if (file !== undefined) expect(files.includes(file), file).toBe(name === tool);
    }
    expect('serverless' in manifest.devDependencies).toBe(tool === 'serverless');
    expect('aws-cdk-lib' in manifest.devDependencies).toBe(tool === 'cdk');
    expect(manifest.scripts).toMatchObject({ package: expect.any(String), deploy: expect.any(String) });
    expect(manifest.edgeloom).toEqual({ service: 'goal-service', table: 'records' });
  });
  it('sets the policy of the stack and protects it against termination', async () => {
    const { manifest, files, read } = await project(tool);
    const texts = await Promise.all(files.map(read));
    const all = texts.join('\n') + JSON.stringify(manifest);
    expect(all).toMatch(/set-stack-policy|stackPolicy:|policy_body/);
    expect(all).toMatch(/--enable-termination-protection|terminationProtection: true/);
    // Nothing is left to fill in.
    expect(all).not.toMatch(/\b(SERVICE|TABLE|TABLE_NAME|PARAMETERS|TOOL|EDGELOOM_VERSION)\b/);
  });
  it('has a workflow that deploys, and then migrates with a role of its own', async () => {
    const { read } = await project(tool);
    const workflow = await read('.github/workflows/deploy.yml');
    const order = ['npm test', 'AWS_ROLE_ARN }}', 'npm run deploy', 'AWS_MIGRATE_ROLE_ARN }}', 'migrate --table'];
    const places = order.map((text) => workflow.indexOf(text));
    expect(places).toEqual([...places].sort((left, right) => left - right));
    expect(places[0]).toBeGreaterThan(0);
    expect(workflow).toContain('migrate --table goal-service-prod-records --yes');
    expect(workflow.includes('setup-terraform')).toBe(tool === 'terraform');
  });
});

it('edgeloom stack refuses a model whose table has another name: it would be an empty one', async () => {
  const { folder, read } = await project('sam');
  const path = join(folder, 'edgeloom.config.ts');
  const model = (await read('edgeloom.config.ts')).replace(
    "from 'edgeloom'",
    `from '${join(process.cwd(), 'src/index.ts')}'`,
  );
  await writeFile(path, model);
  expect(await command.run(['stack', '--config', path, '--stage', 'prod'])).toMatchObject({ code: 0 });
  // A process reads a file once.
  const renamed = join(folder, 'renamed.config.ts');
  await writeFile(renamed, model.replace("'records'", "'items'"));
  const refused = await command.run(['stack', '--config', renamed, '--stage', 'prod']);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/table is items.*records.*empty/s) });
});

describe('a project for an existing table', () => {
  const arn = 'arn:aws:dynamodb:eu-central-1:123456789012:table/legacy';
  const existing = ['--existing-table', arn, '--stream', `${arn}/stream/2026-01-01T00:00:00.000`];

  it.each(['sam', 'cdk', 'terraform'] as const)('gives it to the template of %s, and migrates it', async (tool) => {
    const { manifest, read } = await project(tool, ...existing);
    expect(manifest.scripts['template']).toContain(existing.join(' '));
    expect(await read('.github/workflows/deploy.yml')).toContain('migrate --table legacy --yes');
    // CloudFormation refuses a policy that names a resource which the stack does not have.
    expect(JSON.stringify(manifest.scripts)).toContain(`stack --policy ${existing.join(' ')}`);
    const policy = await command.run(['stack', '--policy', ...existing]);
    expect((JSON.parse(policy.stdout) as { Statement: unknown[] }).Statement).toEqual([
      { Effect: 'Allow', Action: 'Update:*', Principal: '*', Resource: '*' },
    ]);
  });
  it('writes the key attributes of its indexes into the model, which compiles with them', async () => {
    const keys = ['--partition-key', 'pk', '--sort-key', 'sk', '--index', 'gsi0=GSI1:GSI1PK:GSI1SK'];
    const { folder, read } = await project('sam', ...existing, ...keys);
    expect(await read('edgeloom.config.ts')).toContain(
      "table: { name: 'legacy', partitionKey: 'pk', sortKey: 'sk', indexes: { gsi0: { name: 'GSI1', partitionKey: 'GSI1PK', sortKey: 'GSI1SK' } } }",
    );
    const config = ['--config', join(folder, 'edgeloom.config.ts')];
    const { code, stdout } = await command.run(['stack', ...config, ...existing, '--stage', 'prod']);
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as Template).Resources).not.toHaveProperty('RecordsTable');
    const wrong = await command.run(['init', join(parent, 'wrong'), ...existing, '--index', 'gsi0=GSI1:GSI1PK']);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('gsi0=NAME:PARTITIONKEY:SORTKEY') });
  });
  it('names it rightly where its name has a word that the templates have filled in', async () => {
    const named = existing.map((word) => word.replaceAll('legacy', 'TABLE_NAME_PARAMETERS'));
    const { manifest, read } = await project('sam', ...named);
    expect(manifest.edgeloom).toEqual({ service: 'goal-service', table: 'TABLE_NAME_PARAMETERS' });
    const workflow = await read('.github/workflows/deploy.yml');
    expect([...workflow.matchAll(/--table (\S+)/g)].map(([, name]) => name)).toEqual([
      'TABLE_NAME_PARAMETERS',
      'TABLE_NAME_PARAMETERS',
    ]);
  });
});

describe('the commands of docs/how-to/deploying.md without a tool', () => {
  it('upload the code to the place that the template names', async () => {
    const text = await readFile('docs/how-to/deploying.md', 'utf8');
    const block = /without any of these tools.*?```sh\n(.*?)```/s.exec(text)![1]!;
    const folder = await mkdtemp(join(parent, 'by-hand-'));
    const program = async (name: string, lines: string): Promise<void> =>
      await writeFile(join(folder, name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
    await program('aws', 'echo "$@" >> called');
    await program('zip', 'echo code > ../functions.zip');
    // The model is that of this repository.
    await program('npx', `shift; cd ${process.cwd()}; exec ${process.execPath} dist/cli/main.js "$@"`);
    await mkdir(join(folder, '.code'));
    const here = block.replaceAll('--zip functions.zip', `--zip ${join(folder, 'functions.zip')}`);
    execFileSync('sh', ['-e', '-c', here], {
      cwd: folder,
      env: { ...process.env, PATH: `${folder}:${process.env['PATH']}` },
    });
    const { Resources } = JSON.parse(await readFile(join(folder, 'template.json'), 'utf8')) as Template;
    const { S3Bucket, S3Key } = Resources['StreamLambdaFunction']!.Properties['Code'];
    const called = (await readFile(join(folder, 'called'), 'utf8')).trim().split('\n');
    expect(called[0]).toBe(`s3 cp functions.zip s3://${S3Bucket}/${S3Key}`);
    expect(called.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      ...['s3 cp', 'cloudformation deploy', 'cloudformation set-stack-policy'],
    ]);
  });
});

describe("the place of the functions' code", () => {
  const codeOf = async (...args: string[]) => {
    const run = await command.run(['stack', '--stage', 'prod', ...args]);
    const code =
      run.code === 0
        ? (JSON.parse(run.stdout) as Template).Resources['StreamLambdaFunction']!.Properties['Code']
        : undefined;
    return { ...run, code };
  };

  it('is another one in the template for other code: by the hash of the zip', async () => {
    const zip = join(parent, 'functions.zip');
    const keys: string[] = [];
    for (const contents of ['one', 'two', 'one']) {
      await writeFile(zip, contents);
      const { code } = await codeOf('--code', 's3://artefacts/edgeloom/functions.zip', '--zip', zip);
      expect(code).toEqual({
        S3Bucket: 'artefacts',
        S3Key: expect.stringMatching(/^edgeloom\/functions-[0-9a-f]{16}\.zip$/),
      });
      keys.push(code.S3Key);
    }
    expect(keys[0]).toBe(keys[2]);
    expect(keys[0]).not.toBe(keys[1]);
  });
  it('by the version of the object, or a hash that is in the key already', async () => {
    expect((await codeOf('--code', 's3://artefacts/functions.zip?versionId=3Lg_x')).code).toEqual({
      ...{ S3Bucket: 'artefacts', S3Key: 'functions.zip', S3ObjectVersion: '3Lg_x' },
    });
    expect((await codeOf('--code', 's3://artefacts/functions-9f86d08.zip')).code).toEqual({
      ...{ S3Bucket: 'artefacts', S3Key: 'functions-9f86d08.zip' },
    });
  });
  it.each([
    ['functions.zip'],
    // Neither the number of an account is a hash, nor a date, nor what a folder is called.
    ['123456789012/functions.zip'],
    ['functions-20261123.zip'],
    ['9f86d08/functions.zip'],
  ])('is refused where it stays the same: nothing would be deployed (%s)', async (key) => {
    const refused = await codeOf('--code', `s3://artefacts/${key}`);
    expect(refused).toMatchObject({ stderr: expect.stringMatching(/nothing is deployed.*--zip/s) });
    expect(refused).toMatchObject({ code: undefined });
  });
  it('of a gradual deployment is a folder that is there', async () => {
    const refused = await codeOf('--param', 'canaryMinutes=5', '--code', join(parent, 'nowhere'));
    expect(refused.stderr).toMatch(/There is no code in .*nowhere/);
    const folder = join(parent, 'code');
    await mkdir(folder, { recursive: true });
    const versions: string[] = [];
    for (const contents of ['one', 'two', 'one']) {
      await writeFile(join(folder, 'stream.mjs'), contents);
      const { stdout } = await command.run([
        'stack',
        '--stage',
        'prod',
        '--param',
        'canaryMinutes=5',
        '--code',
        folder,
      ]);
      versions.push(
        Object.keys((JSON.parse(stdout) as Template).Resources).find((id) => id.startsWith('StreamVersion'))!,
      );
    }
    expect(versions[0]).toBe(versions[2]);
    expect(versions[0]).not.toBe(versions[1]);
  });
});

describe('the template of an import', () => {
  it('has the table and the bucket as the stack has them, without what is not there yet', async () => {
    const { stdout } = await command.run(['stack', '--stage', 'prod', '--import']);
    const { Resources } = JSON.parse(stdout) as Template;
    expect(Object.keys(Resources)).toEqual(['RecordsTable', 'FailedBatchesBucket']);
    for (const resource of Object.values(Resources)) {
      expect(resource.DeletionPolicy).toBe('RetainExceptOnCreate');
      expect(JSON.stringify(resource)).not.toMatch(/"Ref"|GetAtt|DependsOn/);
    }
  });
});
