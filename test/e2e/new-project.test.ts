import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../packages/local/engine/ports.ts';
import { edgeloom } from '../support/command.ts';
import { packInto, run } from '../support/packed.ts';
import type { Template } from '../support/stack/template.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A project that `edgeloom init` makes: installed from the packed package, tested, and packaged for AWS. */

describe('a project that edgeloom init makes', () => {
  const parent = temporaryFolder();
  let folder: string;

  beforeAll(async () => {
    folder = join(parent, 'goal-service');
    // As a user does it before the package is in a registry.
    const tarball = await packInto(parent);
    const install = ['install', '--no-audit', '--no-fund', '--loglevel=error'];
    await run('npm', [...install, tarball], { cwd: parent });
    const { stdout } = await run('npx', ['edgeloom', 'init', 'goal-service', '--json'], { cwd: parent });
    expect((JSON.parse(stdout) as { files: string[] }).files).toEqual(
      expect.arrayContaining([
        '.github/workflows/deploy.yml',
        '.gitignore',
        'edgeloom.config.ts',
        'serverless.yml',
        'stack.cjs',
      ]),
    );
    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
    expect(manifest).toMatchObject({
      edgeloom: { service: 'goal-service' },
      dependencies: { edgeloom: `file:../${basename(tarball)}` },
    });
    await run('npm', install, { cwd: folder, maxBuffer: 16 * 1024 * 1024 });
  });
  it('has types and tests that pass', async () => {
    await run('npm', ['run', 'typecheck'], { cwd: folder });
    const { stdout } = await run('npm', ['test'], { cwd: folder, env: { ...process.env, NO_COLOR: '1' } });
    expect(stdout).toMatch(/Tests +1 passed/);
  });

  it('has items and a program, which its README runs beside npm run dev', async () => {
    const manifest = join(folder, 'package.json');
    const text = await readFile(manifest, 'utf8');
    const port = String(await freePort());
    await writeFile(manifest, text.replaceAll('8000', port));
    const env = { ...process.env, AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${port}` };
    const dev = spawn('npx', ['edgeloom', 'dev', '--port', port], { cwd: folder, detached: true });
    let output = '';
    dev.stdout.on('data', (chunk: Buffer) => {
      output += String(chunk);
    });
    try {
      await expect.poll(() => output).toContain(`npx edgeloom studio --endpoint http://127.0.0.1:${port}`);
      await run('npm', ['run', 'seed'], { cwd: folder, env });
      await run('npx', ['edgeloom', 'wait'], { cwd: folder, env });
      const { stdout } = await run('npm', ['start'], { cwd: folder, env });
      expect(stdout).toContain('newest first:\n- Linus\n- Alan\n- Ada\n');
    } finally {
      process.kill(-dev.pid!, 'SIGTERM');
      await once(dev, 'exit');
      await writeFile(manifest, text);
    }
  });

  it('is packaged: functions and the whole stack, the same that edgeloom stack prints', async () => {
    await run('npx', ['serverless', 'package', '--stage', 'prod'], { cwd: folder, maxBuffer: 16 * 1024 * 1024 });
    const text = await readFile(join(folder, '.serverless/cloudformation-template-update-stack.json'), 'utf8');
    const packaged = JSON.parse(text) as Template;
    const { stdout } = await run('npx', ['edgeloom', 'stack', '--stage', 'prod'], {
      ...{ cwd: folder, maxBuffer: 16 * 1024 * 1024 },
    });
    const printed = JSON.parse(stdout) as Template;
    const ours = Object.keys(packaged.Resources).filter((id) => !id.startsWith('ServerlessDeploymentBucket'));
    expect(Object.keys(printed.Resources).sort()).toEqual(ours.sort());
    expect(printed.Resources['RecordsTable']!.Properties).toEqual(packaged.Resources['RecordsTable']!.Properties);
    expect(JSON.stringify(printed.Resources['StreamRole'])).toBe(JSON.stringify(packaged.Resources['StreamRole']));
  });

  it('is packaged under no other service than the one that it was made for', async () => {
    const path = join(folder, 'serverless.yml');
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace('service: goal-service', 'service: target-service'));
    const packaging = run('npx', ['serverless', 'package', '--stage', 'prod'], { cwd: folder });
    const failure = (await packaging.catch((error: unknown) => error)) as { stdout: string; stderr: string };
    await writeFile(path, text);
    expect(failure.stdout + failure.stderr).toContain('package.json records goal-service');
    const { code, stderr } = await edgeloom(['stack', '--service', 'target-service'], { cwd: folder });
    expect(code).toBe(2);
    expect(stderr).toContain('edgeloom.service');
  });

  it('is installed for CDK without a deprecated tool, and packaged', async () => {
    await run('npx', ['edgeloom', 'init', 'cdk-service', '--deploy', 'cdk'], { cwd: parent });
    const service = join(parent, 'cdk-service');
    const { stderr } = await run('npm', ['install', '--no-audit', '--no-fund'], { cwd: service });
    expect(stderr).not.toMatch(/deprecated (?:aws-cdk|constructs)/);
    await run('npm', ['run', 'package'], { cwd: service, maxBuffer: 16 * 1024 * 1024 });
    expect(await readdir(join(service, 'cdk.out'))).toContain('cdk-service-prod.template.json');
  });

  it.each(['sam', 'terraform'] as const)('is packaged for %s', async (tool) => {
    await run('npx', ['edgeloom', 'init', `${tool}-service`, '--deploy', tool], { cwd: parent });
    const service = join(parent, `${tool}-service`);
    // These tools come from outside of npm: the dependencies are those of the first project.
    await symlink(join(folder, 'node_modules'), join(service, 'node_modules'));
    await run('npm', ['run', 'package'], { cwd: service, maxBuffer: 16 * 1024 * 1024 });
    expect(JSON.parse(await readFile(join(service, 'stack-policy.json'), 'utf8'))).toHaveProperty('Statement');
  });

  it('bundles its functions for other tools too', async () => {
    await run('npm', ['run', 'bundle'], { cwd: folder });
    const module = join(folder, '.code/handlers/stream.mjs');
    const program = `import(${JSON.stringify(module)}).then(({ handler }) => console.log(typeof handler));`;
    const { stdout } = await run(process.execPath, ['-e', program], {
      env: { ...process.env, EDGELOOM_TABLE: 'records', AWS_REGION: 'eu-central-1' },
    });
    expect(stdout).toContain('function');
  });
});

describe('edgeloom init', () => {
  const parent = temporaryFolder();

  it('writes nothing where a file is there already, and names it', async () => {
    const folder = join(parent, 'service');
    expect((await edgeloom(['init', folder])).code).toBe(0);
    const { code, stderr } = await edgeloom(['init', folder]);
    expect(code).toBe(2);
    expect(stderr).toContain('package.json');
  });

  it('takes the names of an existing table into model and configuration', async () => {
    const folder = join(parent, 'legacy');
    const arn = 'arn:aws:dynamodb:eu-central-1:123456789012:table/legacy';
    const existing = ['--existing-table', arn, '--stream', `${arn}/stream/2026-01-01T00:00:00.000`];
    const names = ['--partition-key', 'pk', '--sort-key', 'sk', '--index', 'gsi0=byTarget'];
    expect((await edgeloom(['init', folder, ...existing, ...names])).code).toBe(0);
    const model = await readFile(join(folder, 'edgeloom.config.ts'), 'utf8');
    expect(model).toContain(
      "table: { name: 'legacy', partitionKey: 'pk', sortKey: 'sk', indexes: { gsi0: 'byTarget' } }",
    );
    expect(await readFile(join(folder, 'serverless.yml'), 'utf8')).toContain(`existingTableArn: ${arn}`);
    expect((await edgeloom(['init', join(parent, 'other'), '--existing-table', arn])).code).toBe(2);
  });
});
