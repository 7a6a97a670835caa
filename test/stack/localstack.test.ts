import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { rawTemplate } from '../support/stack/template.ts';

/** What can be said of LocalStack's parts without LocalStack. */

const ROOT = resolve(import.meta.dirname, '../..');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'edgeloom-localstack-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the script that deploys into LocalStack', () => {
  /** Runs it with an `awslocal` that only notes its arguments. */
  function deploy(packageFolder: string) {
    const log = join(folder, 'log');
    const program = join(folder, 'awslocal');
    writeFileSync(
      program,
      `#!/bin/sh\necho "$@" >> ${log}\ncase "$*" in *describe-stack-resource*) echo the-bucket;; esac\n`,
    );
    chmodSync(program, 0o755);
    const mark = join(folder, 'deployed');
    const { status, stderr } = spawnSync('bash', [join(ROOT, 'scripts/localstack.sh')], {
      encoding: 'utf8',
      env: { PATH: `${folder}:${process.env['PATH']}`, PACKAGE_FOLDER: packageFolder, DEPLOYED_MARK: mark },
    });
    const calls = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
    return { status, stderr, calls, isDeployed: existsSync(mark) };
  }

  it('makes the bucket, puts every artefact where the template expects it, and then the stack', () => {
    const artefacts = inject('packages').dev;
    const { status, calls, isDeployed } = deploy(artefacts);
    expect(status).toBe(0);
    expect(isDeployed).toBe(true);
    const keys = Object.values(rawTemplate(artefacts).Resources)
      .filter(({ Type }) => Type === 'AWS::Lambda::Function')
      .map(({ Properties }) => Properties['Code'].S3Key as string | undefined)
      // The code of a function may be in the template itself.
      .filter((key) => key !== undefined)
      .sort();
    expect(keys).toHaveLength(4);
    expect(calls).toEqual([
      expect.stringMatching(/^cloudformation create-stack .*cloudformation-template-create-stack\.json$/),
      'cloudformation wait stack-create-complete --stack-name edgeloom-local',
      expect.stringMatching(/^cloudformation describe-stack-resource /),
      ...keys.map((key) => `s3 cp --quiet ${join(artefacts, key.split('/').at(-1)!)} s3://the-bucket/${key}`),
      `s3 cp --quiet ${artefacts}/cloudformation-template-update-stack.json s3://the-bucket/template.json`,
      expect.stringMatching(/^cloudformation update-stack .*CAPABILITY_NAMED_IAM --template-url .*the-bucket/),
      'cloudformation wait stack-update-complete --stack-name edgeloom-local',
    ]);
    for (const call of calls.filter((line) => line.startsWith('s3 cp'))) {
      expect(existsSync(call.split(' ')[3]!)).toBe(true);
    }
  });
  it('says so where nothing is packaged', () => {
    const { status, stderr, calls, isDeployed } = deploy(folder);
    expect(status).toBe(1);
    expect(stderr).toContain('npm run package -- --stage local');
    expect(calls).toEqual([]);
    expect(isDeployed).toBe(false);
  });
});

describe('the nightly job', () => {
  it('packages what the container deploys before it starts the container, as README does, and then runs the tests', () => {
    const workflow = readFileSync(join(ROOT, '.github/workflows/nightly.yml'), 'utf8');
    const job = /^ {2}localstack:\n(.*?)^ {2}\w+:$/ms.exec(workflow)![1]!;
    const steps = [...job.matchAll(/- run: (.*)/g)].map(([, command]) => command);
    expect(steps).toEqual([
      'npm ci',
      'npm run package -- --stage local',
      'docker compose up --wait',
      '.ci/run localstack',
    ]);
    const [, operate = ''] = /^## Operate it$(.*?)^## /ms.exec(readFileSync(join(ROOT, 'README.md'), 'utf8'))!;
    for (const command of steps.slice(1, 3)) expect(operate).toContain(`\n${command}`);
    // The table whose functions the tests try is that of the stack.
    const tests = readFileSync(join(ROOT, 'scripts/test-localstack.mjs'), 'utf8');
    const [, table] = /EDGELOOM_DEPLOYED_TABLE: '(.*?)'/.exec(tests)!;
    expect(readFileSync(join(ROOT, 'scripts/localstack.sh'), 'utf8')).toContain(`its table is ${table}.`);
  });
});

describe('the container', () => {
  it('ignores by name what it does not make, at creation and at update alike, and nothing that projections need', () => {
    const compose = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8');
    const ignored = [...compose.matchAll(/CFN_IGNORE_UNSUPPORTED_TYPE_(?:CREATE|UPDATE): (\S+)/g)].map(
      ([, types]) => types!,
    );
    expect(ignored).toEqual(['AWS::CloudWatch::Dashboard', 'AWS::CloudWatch::Dashboard']);
    // Any other type that it lacks is an error.
    expect(compose).not.toContain('CFN_IGNORE_UNSUPPORTED_RESOURCE_TYPES');
    const types = new Set(Object.values(rawTemplate().Resources).map(({ Type }) => Type));
    for (const type of ignored) expect(types).toContain(type);
  });
});

describe('npm run test:localstack', () => {
  it.each([
    ['fails', [], 1],
    ['passes with --skip-missing', ['--skip-missing'], 0],
  ])('%s where nothing answers, and says so', (_what, args, code) => {
    const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'scripts/test-localstack.mjs'), ...args], {
      encoding: 'utf8',
      // A port at which nothing should listen.
      env: { ...process.env, LOCALSTACK_ENDPOINT: 'http://127.0.0.1:49151' },
    });
    expect(status).toBe(code);
    expect(stderr).toMatch(/^No LocalStack answers at http:\/\/127\.0\.0\.1:49151\./);
  });
});
