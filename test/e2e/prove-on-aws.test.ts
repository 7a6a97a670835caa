import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startEngine } from '../../packages/local/engine/engine.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { loadModel } from '../../src/deployment/package/load-model.ts';
import type { Thing } from '../support/account/account.ts';
import { type StandIn, startStandIn } from '../support/account/stand-in.ts';
import { ROOT } from '../support/command.ts';
import { goalGraph } from '../support/contracts-model.ts';
import { testStack } from '../support/stack/parameters.ts';
import { template } from '../support/stack/template.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** scripts/prove-on-aws.mjs in an account that is none: stacks by the simulator, tables on the engine, units of CloudWatch made up. */

const run = promisify(execFile);
const ID = `t${process.pid}`;
const STACK = `prove-${ID}`;
/** Steps of a run, each fault of its own included. */
const STEPS = 27;
/** A run deploys and migrates for six minutes on a quiet machine, and for a quarter of an hour beside other tests. */
const LIMIT = { timeout: 1_800_000 };

describe('the script that proves the stack on AWS', LIMIT, () => {
  const folder = temporaryFolder();
  let engine: Awaited<ReturnType<typeof startEngine>>;
  let aws: StandIn;

  /** The model that was deployed last: its file is the newest. */
  async function deployedModel(): Promise<CompiledModel> {
    const files = ['v1', 'v2'].map((version) => join(ROOT, '.esbuild', STACK, version, 'edgeloom.config.ts'));
    const made = files.filter((file) => existsSync(file));
    return await loadModel(made.sort((left, right) => statSync(right).mtimeMs - statSync(left).mtimeMs)[0]!);
  }

  const prove = async (...options: string[]) => {
    const env = {
      ...process.env,
      PATH: `${folder}:${process.env['PATH']}`,
      AWS_ENDPOINT_URL: engine.endpoint,
      AWS_STAND_IN: aws.url,
      AWS_REGION: 'eu-central-1',
    };
    const words = ['--id', ID, '--poll-seconds', '0.2', '--log', join(folder, 'page.md')];
    const args = [join(ROOT, 'scripts/prove-on-aws.mjs'), ...words, ...options];
    return await run(process.execPath, args, { env, maxBuffer: 64 * 1024 * 1024 }).then(
      (printed) => ({ code: 0, ...printed }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
  };

  beforeEach(() => {
    // Metrics go to stdout as they do in Lambda.
    vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  });
  beforeAll(async () => {
    const program = async (name: string, file: string, skipped: number): Promise<void> => {
      const lines = `#!/bin/sh\nshift ${skipped}\nexec ${process.execPath} ${join(ROOT, 'test/support', file)} "$@"\n`;
      await writeFile(join(folder, name), lines);
      await chmod(join(folder, name), 0o755);
    };
    await program('aws', 'aws.mjs', 0);
    // `npx serverless deploy`.
    await program('npx', 'account/serverless.mjs', 1);
    engine = await startEngine();
    aws = await startStandIn(engine.endpoint, deployedModel);
  });
  afterAll(async () => {
    await aws.stop();
    await engine.stop();
  });

  it('does nothing without a word', async () => {
    expect(await prove()).toMatchObject({ code: 2, stderr: expect.stringContaining('--dry-run') });
    expect(aws.calls).toEqual([]);
  });

  it('prints its plan: each step with its commands, and calls nothing', async () => {
    const { code, stdout } = await prove('--dry-run');
    expect(code).toBe(0);
    const steps = [...stdout.matchAll(/^== ([\w ]+):/gm)].map(([, name]) => name);
    expect(steps.filter((name) => name !== 'alarms')).toEqual([
      ...['account', 'deploy', 'write', 'observe and feed', 'check', 'verdict', 'repair', 'deploy the same', 'rename'],
      ...[
        'change and migrate',
        'roll back',
        'stream off and on',
        'deploy gradually',
        'take back',
        'rebuild',
        'restore',
      ],
      ...['bill', 'delete'],
    ]);
    expect(stdout).toContain('$ aws cloudformation delete-stack');
    expect(stdout).toMatch(/&& npx serverless deploy .*observe=true/);
    expect(existsSync(join(folder, 'page.md'))).toBe(false);
    expect(stdout).toContain('Not proven by this');
    expect(stdout).not.toMatch(/undefined|\[object|''/);
    expect(aws.calls).toEqual([]);
  });

  it('makes each alarm of the stack ring by its fault, or says why not', async () => {
    const { stdout } = await prove('--dry-run');
    const rung = [...stdout.matchAll(/the alarm (\w+) is in the state (?:ALARM|INSUFFICIENT_DATA)/g)];
    const unproven = /Alarms: (.*)\.$/m
      .exec(stdout)![1]!
      .replace(/ \([^)]*\)/g, '')
      .split(/[,;] /);
    const { Resources } = template(testStack(goalGraph(), { observe: true, feedEventBus: 'default' }));
    const all = Object.entries(Resources).filter(([, { Type }]) => Type === 'AWS::CloudWatch::Alarm');
    expect([...new Set(rung.map(([, name]) => name!)), ...unproven].sort()).toEqual(
      all.map(([id]) => id.replace(/Alarm$/, '')).sort(),
    );
  });

  it('leaves alone what was there before it', async () => {
    for (const name of [`${STACK}-records`, `${STACK}-restored`, `${STACK}g-records`]) {
      // The engine has no such table: only the account knows it.
      const find = vi.spyOn(aws.account, 'find').mockImplementation((type, expected) => {
        return type === 'AWS::DynamoDB::Table' && expected === name ? ({ name } as Thing) : undefined;
      });
      const { code, stdout, stderr } = await prove('--yes');
      find.mockRestore();
      expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(`${name} is there already`) });
      expect(stdout).toContain('nothing is deleted');
    }
    await aws.stacks.deploy(STACK, { Resources: {} });
    const { code, stderr } = await prove('--yes');
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(`${STACK} is there already`) });
    expect(aws.stacks.find(STACK)).toBeDefined();
    await aws.stacks.delete(STACK);
    expect(aws.calls).not.toContain('cloudformation delete-stack');
    expect(aws.calls).not.toContain('s3 mb');
  });

  it('goes through every step, prints the bill, and leaves nothing', async () => {
    const { code, stdout, stderr } = await prove('--yes');
    expect({ code, stderr }, stdout.slice(-4000)).toMatchObject({ code: 0 });
    expect(stdout).toContain('All proven');
    expect(stdout).toMatch(/dollars in all, by prices of +\d{4}-\d\d-\d\d +\d+\.\d{4}/);
    for (const type of ['AWS::DynamoDB::Table', 'AWS::S3::Bucket', 'AWS::Lambda::Function']) {
      expect(aws.account.all(type).map(({ name }) => name)).toEqual([]);
    }
    expect(existsSync(join(ROOT, '.esbuild', STACK))).toBe(false);
    // The page of the run: its day, each step with its time, and no number of an account.
    const page = await readFile(join(folder, 'page.md'), 'utf8');
    expect(page).toMatch(/^# The stack in an account, \d{4}-\d\d-\d\d$/m);
    expect(page.match(/^\| .* \| \d+ min \|$/gm)).toHaveLength(STEPS);
    expect(page).toContain('All proven');
    expect(page).not.toContain('123456789012');
  });

  it('deletes everything, and ends with 1, where a step fails', async () => {
    aws.account.refused.add(`${STACK}-eu-central-1`);
    const { code, stderr } = await prove('--yes');
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('AWS refused to make it') });
    expect(aws.account.all('AWS::DynamoDB::Table').concat(aws.account.all('AWS::S3::Bucket'))).toEqual([]);
  });
});
