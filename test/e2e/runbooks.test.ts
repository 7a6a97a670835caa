import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DescribeTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import graphOfPackage from '../../edgeloom.config.ts';
import { startEngine } from '../../src/local/engine/engine.ts';
import { withTableName } from '../../src/model/compile/define-graph.ts';
import { createClient, createStreamsClient } from '../../src/store/client.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { createTable, describeTable } from '../../src/store/table.ts';
import { createWorker } from '../../src/worker/worker.ts';
import { createWriter } from '../../src/write/writer.ts';
import { BARE, ROOT } from '../support/command.ts';
import { run } from '../support/packed.ts';

/** The commands of docs/operations.md, as they stand there, by a shell; `aws` is a program that does on the engine what it can. */

const PAGE = 'docs/operations.md';
const TABLE = 'edgeloom-prod-records';
const graph = withTableName(graphOfPackage, TABLE);

/** Commands that take an account, a network or another checkout: they are read, and not run. */
const ELSEWHERE: readonly RegExp[] = [
  // Deploys.
  /^git checkout /,
  /serverless /,
  // A queue and a bucket of an account; test/integration/redrive-queue.test.ts redrives from one.
  /^npx edgeloom redrive .*--from-failure/,
];

/** The commands of the shell's blocks by the heading above them: one for each line, with its continuations. */
async function commandsByHeading(): Promise<Map<string, string[]>> {
  const page = await readFile(join(ROOT, PAGE), 'utf8');
  const found = new Map<string, string[]>();
  for (const section of page.split(/^#{2,3} /m).slice(1)) {
    const heading = section.slice(0, section.indexOf('\n'));
    const blocks = [...section.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block!);
    const commands = blocks.flatMap((block) => block.replaceAll('\\\n', ' ').trim().split('\n'));
    if (commands.length > 0) found.set(heading, commands);
  }
  return found;
}

describe('the commands of the page on operations', () => {
  let folder: string;
  let endpoint: string;
  let engine: Awaited<ReturnType<typeof startEngine>>;
  let commands: Map<string, string[]>;

  /** Runs a command by a shell; placeholders in angle brackets get a value. Gives its exit code and what it prints. */
  async function sh(command: string): Promise<{ code: number; stdout: string; stderr: string }> {
    const filled = command.replace(/<[^>]+>/g, 'placeholder');
    const env = {
      ...process.env,
      PATH: `${folder}:${process.env['PATH']}`,
      AWS_ENDPOINT_URL: endpoint,
      AWS_CALLS: join(folder, 'calls'),
      NO_COLOR: '1',
    };
    try {
      return { code: 0, ...(await run('bash', [...BARE, '-c', filled], { cwd: ROOT, env })) };
    } catch (error) {
      return error as { code: number; stdout: string; stderr: string };
    }
  }

  const runnable = (heading: string): string[] => {
    const found = commands.get(heading);
    if (found === undefined) throw new Error(`${PAGE} has no commands under ${heading}`);
    return found.filter((command) => !ELSEWHERE.some((pattern) => pattern.test(command)));
  };

  /** What `aws` was called for, as `service operation`. */
  const calls = async (): Promise<string[]> => {
    const lines = await readFile(join(folder, 'calls'), 'utf8').catch(() => '');
    return lines
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const { service, operation } = JSON.parse(line) as { service: string; operation: string };
        return `${service} ${operation}`;
      });
  };

  const project = async (): Promise<void> => {
    const client = createClient({ endpoint });
    const { streamArn } = await describeTable(client, graph);
    const store = new DynamoDBStore(client, graph.table);
    const streams = createStreamsClient({ endpoint });
    await createWorker({ graph, store, streams, streamArn: streamArn!, pollIntervalMs: 20 }).run({ untilIdle: true });
  };

  beforeAll(async () => {
    commands = await commandsByHeading();
    folder = await mkdtemp(join(tmpdir(), 'edgeloom-runbooks-'));
    const program = async (name: string, line: string): Promise<void> => {
      await writeFile(join(folder, name), `#!/bin/sh\n${line}\n`);
      await chmod(join(folder, name), 0o755);
    };
    await program('aws', `exec ${process.execPath} ${join(ROOT, 'test/support/aws.mjs')} "$@"`);
    await program(
      'npx',
      `[ "$1" = edgeloom ] && shift && exec ${process.execPath} ${join(ROOT, 'dist/cli/main.js')} "$@"`,
    );
    engine = await startEngine();
    endpoint = engine.endpoint;
    const client = createClient({ endpoint });
    await createTable(client, graph);
    // The commands outside runbooks are for the table of the model.
    await createTable(client, graphOfPackage);
    const writer = createWriter(graph, { store: new DynamoDBStore(client, graph.table) });
    for (let i = 0; i < 20; i++) await writer.putNode(`GOAL-G${i}`, { title: `Goal ${i}` });
    for (let i = 0; i < 20; i++)
      await writer.putEdge(`GOAL-G${i}`, 'GOALMEMBERSHIP', 'USER-U1', { memberRole: 'LEAD', date: '2026-01-01' });
    await project();
  });
  afterAll(async () => {
    await engine?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('are all run, but those that take an account', () => {
    const all = [...commands.values()].flat();
    expect(all.length).toBeGreaterThan(20);
    const elsewhere = all.filter((command) => ELSEWHERE.some((pattern) => pattern.test(command)));
    expect(elsewhere.length).toBeLessThan(6);
    for (const command of all) expect(command).toMatch(/^(npx edgeloom|aws|node|git checkout) /);
  });

  it('restore a table from a backup, bring back what the restored table lacks, and come to a clean check', async () => {
    const heading = 'Restore from a backup';
    const [restore, ...others] = runnable(heading);
    expect(await sh(restore!)).toMatchObject({ code: 0 });
    const restored = withTableName(graph, 'records-restored');
    const client = createClient({ endpoint });
    expect((await describeTable(client, restored)).lacks.join(' ')).toMatch(/stream/i);
    // What was derived before the backup is wrong by now: a view is gone.
    const store = new DynamoDBStore(client, restored.table);
    await store.delete({ source: 'GOAL-G1', target: '~view' });
    for (const command of others) expect(await sh(command), command).toMatchObject({ code: 0 });
    expect((await describeTable(client, restored)).lacks).toEqual([]);
    const { TimeToLiveDescription } = await client.send(
      new DescribeTimeToLiveCommand({ TableName: 'records-restored' }),
    );
    expect(TimeToLiveDescription).toMatchObject({ AttributeName: 'expiresAt', TimeToLiveStatus: 'ENABLED' });
    expect((await store.get({ source: 'GOAL-G1', target: '~view' }, { consistent: true })).item).toBeDefined();
  });

  it('roll a deployment back: what the newer model derived is made anew', async () => {
    const client = createClient({ endpoint });
    const store = new DynamoDBStore(client, graph.table);
    await store.delete({ source: 'GOAL-G2', target: '~view' });
    for (const command of runnable('Roll a deployment back'))
      expect(await sh(command), command).toMatchObject({ code: 0 });
    expect((await store.get({ source: 'GOAL-G2', target: '~view' }, { consistent: true })).item).toBeDefined();
  });

  it('make a cursor key', async () => {
    const [command] = runnable('Rotate the cursor key');
    expect((await sh(command!)).stdout.trim()).toMatch(/^[0-9a-f]{64}$/);
  });

  it('migrate a table, to the model and not further', async () => {
    for (const [heading, all] of commands) {
      for (const command of all.filter((one) => one.startsWith('npx edgeloom migrate'))) {
        // A dry run exits with 1: there is something to do.
        expect([0, 1], `${heading}: ${command}`).toContain((await sh(command)).code);
      }
    }
    expect(await sh(`npx edgeloom migrate --table ${TABLE} --dry-run`)).toMatchObject({ code: 0 });
  });

  it('are commands that exist, with options that exist, everywhere on the page', async () => {
    for (const [heading, all] of commands) {
      const own = all.filter((one) => !ELSEWHERE.some((pattern) => pattern.test(one)) && !/ migrate /.test(one));
      if (heading === 'Restore from a backup') continue;
      for (const command of own) {
        const result = await sh(command);
        // 1 is something found: what a command says of a table without items.
        expect([0, 1], `${heading}: ${command}\n${result.stderr}`).toContain(result.code);
      }
    }
    expect(new Set(await calls())).toEqual(
      new Set([
        'cloudformation create-change-set',
        'cloudformation delete-stack',
        'dynamodb restore-table-to-point-in-time',
        'dynamodb update-continuous-backups',
        'dynamodb update-table',
        'dynamodb update-time-to-live',
        'dynamodb wait',
        'lambda list-event-source-mappings',
        'lambda update-event-source-mapping',
        'stepfunctions start-execution',
      ]),
    );
  });
});
