import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DescribeTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import graphOfPackage from '../../edgeloom.config.ts';
import { startEngine } from '../../packages/local/engine/engine.ts';
import { createReader } from '../../src/client/read/reader.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { withTableName } from '../../src/core/model/compile/define-graph.ts';
import { migrate } from '../../src/migrate/migrate.ts';
import { modelNotice } from '../../src/registry/notice.ts';
import { createClient } from '../../src/store/client.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { createTable, describeTable, serverTime, tableIdentity } from '../../src/store/table-description.ts';
import { type StandIn, startStandIn } from '../support/account/stand-in.ts';
import { BARE, ROOT } from '../support/command.ts';
import { howTo, OPERATOR_PAGES } from '../support/how-to.ts';
import { run } from '../support/packed.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/**
 * The commands of the pages for operators, as they are there, by a shell. `aws` and the Serverless Framework are programs that do on an
 * engine and on a simulator of stacks what they would do in an account.
 */

const PAGE = 'docs/how-to';
const TABLE = 'edgeloom-prod-records';
const STACK = 'edgeloom-prod';
const graph = withTableName(graphOfPackage, TABLE);

/**
 * Commands that are read, and not run: a queue and a bucket of an account; test/integration/redrive-queue.test.ts redrives from one. And
 * alarms of an account: test/unit/stack/drill.test.ts tries some.
 */
const ELSEWHERE: readonly RegExp[] = [
  /^npx edgeloom redrive .*--from-failure/,
  /^npx edgeloom drill --stack edgeloom-prod$/,
];

/** The commands of the shell's blocks by the heading above them: one for each line, with its continuations. */
async function commandsByHeading(): Promise<Map<string, string[]>> {
  const page = howTo(OPERATOR_PAGES);
  const found = new Map<string, string[]>();
  for (const section of page.split(/^#{1,3} /m).slice(1)) {
    const heading = section.slice(0, section.indexOf('\n'));
    const blocks = [...section.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block!);
    const commands = blocks.flatMap((block) => block.replaceAll('\\\n', ' ').trim().split('\n'));
    if (commands.length > 0) found.set(heading, commands);
  }
  return found;
}

describe('the commands of the page on operations', () => {
  const folder = temporaryFolder();
  let endpoint: string;
  let engine: Awaited<ReturnType<typeof startEngine>>;
  let aws: StandIn;
  let commands: Map<string, string[]>;
  /** Values of the placeholders in angle brackets, as the commands before have printed them. */
  let values: Record<string, string>;

  /** Runs a command by a shell, where files are written into the test's folder. Gives its exit code and what it prints. */
  async function sh(command: string): Promise<{ code: number; stdout: string; stderr: string }> {
    const filled = command
      .replace(/<([^>]+)>/g, (_, name: string) => values[name] ?? 'placeholder')
      .replace(/(> |file:\/\/)(\w+\.json)/g, (_, before: string, name: string) => `${before}${join(folder, name)}`);
    const env = {
      ...process.env,
      PATH: `${folder}:${process.env['PATH']}`,
      AWS_ENDPOINT_URL: endpoint,
      AWS_STAND_IN: aws.url,
      NO_COLOR: '1',
    };
    try {
      const printed = await run('bash', [...BARE, '-c', filled], { cwd: ROOT, env });
      note(command, printed.stdout);
      return { code: 0, ...printed };
    } catch (error) {
      return error as { code: number; stdout: string; stderr: string };
    }
  }

  /** Keeps what a person would copy out of an answer into the next command. */
  function note(command: string, stdout: string): void {
    if (command.includes('list-event-source-mappings')) values['UUID'] = JSON.parse(stdout)[0][0];
    const arns = stdout.match(/arn:aws:dynamodb:\S+/g) ?? [];
    for (const arn of arns) values[arn.includes('/stream/') ? 'LatestStreamArn' : 'TableArn'] = arn;
  }

  /** Runs all commands under a heading; each has to succeed. */
  async function runAll(heading: string): Promise<void> {
    const found = commands.get(heading);
    if (found === undefined) throw new Error(`${PAGE} has no commands under ${heading}`);
    for (const command of found) {
      // A dry run exits with 1 where there is something to do.
      const codes = command.includes('--dry-run') ? [0, 1] : [0];
      expect(codes, command).toContain((await sh(command)).code);
    }
  }

  const store = (table = TABLE) => new DynamoDBStore(createClient({ endpoint }), withTableName(graph, table).table);
  const viewOf = async (source: string, table = TABLE) =>
    (await store(table).get({ source, target: '~view' }, { consistent: true })).item;

  const ofTable = async () => {
    const client = createClient({ endpoint });
    return { ...(await tableIdentity(graph, { client })), serverTime: () => serverTime(graph, { client }) };
  };

  /** Deploys the stack, registers the model, writes, and waits for the views. */
  async function fill(): Promise<void> {
    expect(await sh('npx serverless deploy --stage prod')).toMatchObject({ code: 0 });
    await migrate(graph, { store: store(), wait: async () => {}, ...(await ofTable()) });
    const writer = createWriter(graph, { store: store() });
    for (let i = 0; i < 20; i++) await writer.putNode(`GOAL-G${i}`, { title: `Goal ${i}` });
    for (let i = 0; i < 20; i++)
      await writer.putEdge(`GOAL-G${i}`, 'GOALMEMBERSHIP', 'USER-U1', { memberRole: 'LEAD', date: '2026-01-01' });
    const reader = createReader(graph, { store: store() });
    const last = async () => (await reader.getViews(['GOAL-G19']))[0]?.edgeSet;
    await expect.poll(last).toHaveLength(1);
  }

  beforeEach(() => {
    // Metrics go to stdout as they do in Lambda.
    vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  });
  beforeAll(async () => {
    commands = await commandsByHeading();
    const program = async (name: string, lines: string): Promise<void> => {
      await writeFile(join(folder, name), `#!/bin/sh\n${lines}\n`);
      await chmod(join(folder, name), 0o755);
    };
    await program('aws', `exec ${process.execPath} ${join(ROOT, 'test/support/aws.mjs')} "$@"`);
    // The checkout of the test stays as it is.
    await program('git', '[ "$1" = checkout ]');
    await program(
      'npx',
      `name="$1"; shift
[ "$name" = edgeloom ] && exec ${process.execPath} ${join(ROOT, 'dist/cli/main.js')} "$@"
[ "$name" = serverless ] && exec ${process.execPath} ${join(ROOT, 'test/support/account/serverless.mjs')} "$@"
exit 1`,
    );
    engine = await startEngine();
    endpoint = engine.endpoint;
    // The commands outside runbooks are for the table of the model.
    await createTable(graphOfPackage, { client: createClient({ endpoint }) });
  });
  afterAll(async () => {
    await aws?.stop();
    await engine?.stop();
  });
  beforeAll(async () => {
    values = {};
    aws = await startStandIn(endpoint, async () => graphOfPackage);
  });

  it('are all run, but those that need a queue and a bucket, or alarms', () => {
    const all = [...commands.values()].flat();
    expect(all.length).toBeGreaterThan(40);
    const elsewhere = all.filter((command) => ELSEWHERE.some((pattern) => pattern.test(command)));
    expect(elsewhere).toHaveLength(4);
    for (const command of all) expect(command).toMatch(/^(npx (edgeloom|serverless)|(until )?aws|node|git checkout) /);
  });

  it('clean up after a first deployment that failed, by another tool and by the Serverless Framework', async () => {
    const refused = 'edgeloom-prod-eu-central-1';
    const printed = await sh('npx edgeloom stack --stage prod --code s3://artefacts/functions.zip?versionId=1');
    aws.account.refused.add(refused);
    await expect(aws.stacks.deploy(STACK, JSON.parse(printed.stdout))).rejects.toThrow();
    expect(aws.stacks.get(STACK).status).toBe('ROLLBACK_FAILED');
    await runAll('A first deployment by another tool failed');
    expect(aws.stacks.find(STACK)).toBeUndefined();

    expect((await sh('npx serverless deploy --stage prod')).code).toBe(1);
    expect(aws.stacks.get(STACK).status).toBe('UPDATE_ROLLBACK_COMPLETE');
    aws.account.refused.clear();
    // The table is in the way.
    expect((await sh('npx serverless deploy --stage prod')).stderr).toContain('already exists');
    // The small stack stays: its bucket has the artefacts, and could not be deleted.
    expect(commands.get('A first deployment failed')!.join('\n')).not.toContain('delete-stack');
    await runAll('A first deployment failed');
    expect(aws.stacks.get(STACK).status).toBe('UPDATE_COMPLETE');
  });

  it('import what a deleted stack has left, with all items', async () => {
    await fill();
    expect(await sh('npx serverless remove --stage prod')).toMatchObject({ code: 0 });
    expect((await sh('npx serverless deploy --stage prod')).stderr).toContain('already exists');
    expect(await sh('npx serverless remove --stage prod')).toMatchObject({ code: 0 });
    await runAll('A table and a bucket of an older stack are in the way');
    expect(aws.stacks.get(STACK).status).toBe('UPDATE_COMPLETE');
    expect(await viewOf('GOAL-G19')).toBeDefined();
  });

  it('roll a deployment back whose migration was killed: a search that it has taken away is built again, and what it has begun goes', async () => {
    const graphWith = (name: string): typeof graph => {
      const nodes = new Map(graph.nodes);
      const added = { ...nodes.get('STORE')!.searches.get('location')!, name };
      nodes.set('STORE', { ...nodes.get('STORE')!, searches: new Map([[name, added]]) });
      return { ...graph, nodes };
    };
    const newer = graphWith('place');
    const action = { kind: 'drop', name: 'search:STORE.location' } as const;
    const options = { store: store(), wait: async () => {}, ...(await ofTable()) };
    await migrate(newer, { ...options, action });
    const half = await migrate(graphWith('town'), { ...options, mostSteps: 3 });
    expect(half).toMatchObject({ done: false });
    expect(half.steps.length).toBeGreaterThan(0);
    expect(await modelNotice(graph, store())).not.toMatchObject({ changes: [] });
    await runAll('Roll a deployment back');
    expect(await modelNotice(graph, store())).toEqual({ isManaged: true, changes: [] });
  });

  it('read a stream again that was switched off and on', async () => {
    const switchTo = async (StreamSpecification: string) =>
      expect(
        await sh(`aws dynamodb update-table --table-name ${TABLE} --stream-specification ${StreamSpecification}`),
      ).toMatchObject({ code: 0 });
    await switchTo('StreamEnabled=false');
    await createWriter(graph, { store: store() }).putNode('GOAL-OFF', { title: 'While it was off' });
    await switchTo('StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES');
    // A deployment alone changes nothing.
    expect(await sh('npx serverless deploy --stage prod')).toMatchObject({ code: 0 });
    await createWriter(graph, { store: store() }).putNode('GOAL-ON', { title: 'After it was on' });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await viewOf('GOAL-ON')).toBeUndefined();
    await runAll('StreamReplaced');
    await expect.poll(async () => await viewOf('GOAL-ON')).toBeDefined();
    expect(await viewOf('GOAL-OFF')).toBeDefined();
  });

  it('wait for a restored table for as long as it takes: the first waits give up', async () => {
    const waits = commands.get('Restore from a backup')!.filter((command) => command.includes('wait table-exists'));
    expect(waits).toHaveLength(1);
    // Three waits fail, as those of a restore that takes half an hour.
    const three = join(folder, 'waits');
    const stand = `aws() { echo >> ${three}; [ $(wc -l < ${three}) -gt 3 ]; }; sleep() { :; }; ${waits[0]}`;
    expect(await sh(stand)).toMatchObject({ code: 0 });
    expect(await readFile(three, 'utf8')).toBe('\n'.repeat(4));
  });

  it('restore a table from a backup under the stack, bring back what it lacks, and end with a clean check', async () => {
    const heading = 'Restore from a backup';
    await runAll(heading);
    const restored = withTableName(graph, 'records-restored');
    const client = createClient({ endpoint });
    expect((await describeTable(restored, { client })).lacks).toEqual([]);
    const { TimeToLiveDescription } = await client.send(
      new DescribeTimeToLiveCommand({ TableName: 'records-restored' }),
    );
    expect(TimeToLiveDescription).toMatchObject({ AttributeName: 'expiresAt', TimeToLiveStatus: 'ENABLED' });
    expect(await viewOf('GOAL-G1', 'records-restored')).toBeDefined();
    // The functions follow the restored table; the old one is still there, outside of the stack.
    await createWriter(restored, { store: store('records-restored') }).putNode('GOAL-NEW', { title: 'New' });
    await expect.poll(async () => await viewOf('GOAL-NEW', 'records-restored')).toBeDefined();
    expect(aws.account.find('AWS::DynamoDB::Table', TABLE)).toMatchObject({ isManaged: false });
  });

  it('make a cursor key', async () => {
    const [command] = commands.get('Rotate the cursor key')!;
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

  it('are commands that exist, with options that exist, everywhere else on the page', async () => {
    values['CheckMachineArn'] = 'arn:aws:states:eu-central-1:123456789012:stateMachine:edgeloom-prod-check';
    const mappings = '--function-name edgeloom-prod-stream --query EventSourceMappings[].[UUID,State]';
    await sh(`aws lambda list-event-source-mappings ${mappings}`);
    const runbooks = [
      ...['A first deployment failed', 'A first deployment by another tool failed', 'StreamReplaced'],
      ...['A table and a bucket of an older stack are in the way', 'Roll a deployment back', 'Restore from a backup'],
    ];
    for (const [heading, all] of commands) {
      if (runbooks.includes(heading)) continue;
      const own = all.filter((one) => !ELSEWHERE.some((pattern) => pattern.test(one)) && !/ migrate /.test(one));
      for (const command of own) {
        const result = await sh(command);
        // 1 is something found: what a command says of a table without items.
        expect([0, 1], `${heading}: ${command}\n${result.stderr}`).toContain(result.code);
      }
    }
    expect(aws.calls).toContain('stepfunctions start-execution');
  });
});
