import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { answers, freePort } from '../../packages/local/engine/ports.ts';
import { createClient } from '../../src/store/client.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { createTable } from '../../src/store/table-description.ts';
import { edgeloom, ROOT, startDev } from '../support/command.ts';
import { goalGraph } from '../support/contracts-model.ts';
import { devCommands } from '../support/dev-commands.ts';
import { startFaultyEndpoint } from '../support/faulty-endpoint.ts';
import { listening } from '../support/local-server.ts';
import { uniqueTableName } from '../support/table.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const { cli, dev, run, failure } = devCommands();
const folder = temporaryFolder();

beforeAll(async () => {
  expect((await run('import', 'examples/goals/goals.jsonl')).code).toBe(0);
});

describe('a page on the command line', () => {
  it('can be asked for what the library can: label, least label, order and range', async () => {
    const idsOf = async (...args: string[]): Promise<string[]> => {
      const { code, stdout } = await run('list', 'page', 'USER-U2', 'GOALMEMBERSHIP', ...args, '--json');
      expect(code).toBe(0);
      return (JSON.parse(stdout) as { items: { id: string }[] }).items.map(({ id }) => id);
    };
    await expect.poll(() => idsOf('--at-least', 'CONTRIBUTOR'), { timeout: 120_000 }).toEqual(['GOAL-G1', 'GOAL-G2']);
    expect(await idsOf('--equals', 'LEAD')).toEqual(['GOAL-G2']);
    expect(await idsOf('--order', 'gsi1', '--reverse')).toEqual(['GOAL-G2', 'GOAL-G1']);
    expect(await idsOf('--order', 'gsi1', '--to', '2026-07-31')).toEqual(['GOAL-G1']);
  });
});

describe('a path that the command cannot use', () => {
  it.each([
    [
      ['stack', '--code', 's3://bucket/functions.zip', '--zip', 'missing.zip'],
      'missing.zip',
      'no such file or directory',
    ],
    [['init', 'package.json/project'], 'package.json/project', 'not a directory'],
  ])('%j is named, with the reason', async (args, path, reason) => {
    const { code, stdout } = await cli.run([...args, '--json']);
    expect({ code, error: JSON.parse(stdout).error }).toEqual({
      code: 2,
      error: {
        code: 'file-failed',
        message: expect.stringMatching(new RegExp(`${path}.* can't be used: ${reason}\\.$`)),
        hint: 'Correct the path, or its rights.',
      },
    });
  });
});

describe('a file that could not be written at the end', () => {
  it.each([
    [['check', '--resume'], 'file-failed'],
    [['rebuild', '--resume'], 'file-failed'],
    [['check', '--report', 'junit'], 'file-failed'],
    [['adopt', '--table', 'none', '--out'], 'file-failed'],
  ])('is refused at the start: %j', async (args, code) => {
    const file = join(folder, 'missing', 'file');
    expect(await failure(...args, file)).toMatchObject({ code, message: expect.stringContaining(file) });
  });
});

describe('options of a check that have no effect together', () => {
  it.each([
    [['--source', 'GOAL-G1', '--segment', '1/2'], '--segment cannot be combined with --source.'],
    [['--source', 'GOAL-G1', '--sample', '1%'], '--sample cannot be combined with --source.'],
    [['--source', 'GOAL-G1', '--segments', '4'], '--segments cannot be combined with --source.'],
    [['--source', 'GOAL-G1', '--dangling'], '--dangling cannot be combined with --source.'],
    [['--segment', '1/2', '--dangling'], '--dangling cannot be combined with --segment.'],
    [['--sample', '1%', '--dangling'], '--dangling cannot be combined with --sample.'],
    [['--sample', '1%', '--segments', '4'], '--segments cannot be combined with --sample.'],
    [['--segment', '1/2', '--segments', '4'], '--segments cannot be combined with --segment.'],
    [['--export', 'none', '--source', 'GOAL-G1'], '--source cannot be combined with --export.'],
    [['--dry-run'], '--dry-run needs --repair.'],
    [['--confirm'], '--confirm needs --export.'],
  ])('are refused: %j', async (args, message) => {
    expect(await failure('check', ...args)).toMatchObject({ code: 'usage', message });
  });
});

describe('a partition without items', () => {
  it.each([['check', '--source'], ['rebuild', '--source'], ['redrive']])(
    'is named, and the exit code is 1: %s %s',
    async (...args) => {
      const { code, stderr } = await run(...args, 'GOAL-G1', 'GOAL-NONE');
      expect({ code, stderr }).toEqual({ code: 1, stderr: 'There are no items in the partition GOAL-NONE.\n' });
      const { stdout } = await run(...args, 'GOAL-G1', 'GOAL-NONE', '--json');
      expect(JSON.parse(stdout)).toMatchObject({ absent: ['GOAL-NONE'] });
      expect(await failure(...args, 'goal-1')).toMatchObject({ code: 'invalid-id' });
      expect(await failure(...args, 'NOPE-1')).toMatchObject({ code: 'unknown-type' });
    },
  );
});

it('a partition that cannot be a node is refused before check --repair reads the stream or writes', async () => {
  const calls = new Set<string>();
  const way = await startFaultyEndpoint(dev.endpoint, ({ operation }) => void calls.add(operation));
  const check = (id: string) => cli.run(['check', '--repair', '--source', id, '--endpoint', way.endpoint]);
  const isOfSweep = (operation: string): boolean => /Shard|Records|Put|Update|Delete|Write|Execute/.test(operation);
  expect((await check('NOPE-1')).code).toBe(2);
  expect([...calls].filter(isOfSweep)).toEqual([]);
  expect((await check('TEAM-T1')).code).toBe(0);
  expect([...calls].filter(isOfSweep)).toContain('GetRecords');
  await way.stop();
});

describe('help for a command that there is not', () => {
  it.each([
    [['verify', '--help'], 'verify', 'check'],
    [['help', 'repair'], 'repair', 'check --repair'],
    [['frobnicate', '-h'], 'frobnicate', undefined],
  ])('%j is a mistake', async (args, word, meant) => {
    const { code, stdout, stderr } = await cli.run([...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`error: unknown command '${word}'`);
    if (meant !== undefined) expect(stderr).toContain(`hint: Did you mean edgeloom ${meant}?`);
  });

  it('shows control characters of the word instead of obeying them, in text and in JSON', async () => {
    const word = 'x\u009b31m\u202ey';
    for (const args of [[word], [word, '--json'], ['check', `--${word}`, '--json'], [word, '--help', '--json']]) {
      const { code, stdout, stderr } = await cli.run(args);
      expect(code).toBe(2);
      expect(stdout + stderr).not.toMatch(/[\u0080-\u009f\u202e]/);
      expect(stderr).toContain('x\\u009b31m\\u202ey');
      if (args.includes('--json')) expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'usage' } });
    }
  });

  it('shows the help of a command that there is', async () => {
    for (const args of [['check', '--help'], ['help', 'check'], ['--help'], ['help']])
      expect(await cli.run(args)).toMatchObject({
        code: 0,
        stderr: '',
        stdout: expect.stringContaining('Usage: edgeloom'),
      });
  });
});

describe('a question that can find nothing is a mistake, not an empty answer', () => {
  it('of an id of a type that the model does not have', async () => {
    expect(await failure('get', 'GOAL-G1', 'GAOL-G1')).toMatchObject({
      code: 'unknown-type',
      message: 'The model has no node type "GAOL".',
      hint: expect.stringContaining('GOAL'),
    });
    const absent = { code: 1, stdout: '', stderr: 'There is no view of GOAL-NONE.\n' };
    expect(await run('get', 'GOAL-NONE')).toEqual(absent);
    expect(await run('get', 'GOAL-NONE', '--stored')).toEqual({ ...absent, stderr: 'There is no node GOAL-NONE.\n' });
    const edge = ['GOAL-G1', 'GOALMEMBERSHIP', 'USER-NONE'];
    expect(await run('get', ...edge)).toEqual({ ...absent, stderr: `There is no edge ${edge.join(' ')}.\n` });
  });

  it('of a query to explain that is no read', async () => {
    expect(await failure('explain', '--query', 'list inbund USER-U1 GOALMEMBERSHIP')).toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/^The query cannot be read: unknown command 'inbund'/),
    });
    const { stderr } = await run('explain', '--query', 'list inbound USER-U1 GOALMEMBERSHIP --revers');
    expect(stderr).toContain("error (usage): The query cannot be read: unknown option '--revers'");
  });

  it('of a date that no date begins with, and of a range with its ends exchanged', async () => {
    expect(await failure('search', 'GOAL.dueDate', '--prefix', '2026-13')).toMatchObject({ code: 'invalid-argument' });
    const inverted = ['search', 'GOAL.dueDate', '--from', '2026-12-31', '--to', '2026-01-01'];
    expect((await failure(...inverted)).message).toContain('comes after');
  });
});

it('a model whose table has a name that DynamoDB refuses is refused when it is loaded', async () => {
  const file = join(folder, 'short.mjs');
  await writeFile(
    file,
    `import { defineGraph, node } from '${ROOT}dist/index.js';\nexport default defineGraph({ table: 'ev', nodes: { USER: node({ view: 'ALL' }) } });\n`,
  );
  const { message } = await failure('table', 'create', '--config', file);
  expect(message).toContain('table.name: should be 3 to 255 of the characters A-Z, a-z, 0-9, _, - and .');
  expect(await failure('table', 'create', '--table', 'e v')).toMatchObject({ code: 'invalid-argument' });
});

it('the load of a cost is told with its rate, and is not zero', async () => {
  for (const load of [
    ['--read', 'get=1/s'],
    ['--view-kb', '8'],
    ['--stream-shards', '4'],
  ]) {
    expect(await failure('cost', ...load), load[0]).toMatchObject({
      code: 'usage',
      message: 'A cost in dollars needs the rate of writes.',
    });
    expect((await run('cost', '--rate', '1/s', ...load)).code, load[0]).toBe(0);
  }
  for (const option of ['--view-kb', '--stream-shards']) {
    const { code, stderr } = await run('cost', '--rate', '1/s', option, '0');
    expect(code).toBe(2);
    expect(stderr).toContain(option);
  }
});

describe('an error on the command line', () => {
  it('gives the remedy of the command line, and is about what was given', async () => {
    expect((await failure('put', 'GOAL-J1', '{bad')).hint).toBe(
      `Give the attributes as ATTRIBUTE=VALUE, or as one JSON object in quotes: '{"name":"Ada"}'.`,
    );
    expect(await failure('update', 'GOAL-NONE', '{}')).toMatchObject({
      code: 'not-found',
      hint: 'Put it first, or give --upsert.',
    });
    const both = await failure('put', 'GOAL-J1', '{}', '--if-absent', '--if-present');
    expect(both.message).toContain('--if-absent contradicts --if-present');
  });

  it('of a table names the table', async () => {
    for (const words of [
      ['get', 'USER-U1'],
      ['put', 'USER-U1', '{}'],
    ])
      expect(await failure(...words, '--table', 'nosuch')).toMatchObject({
        code: 'no-table',
        message: 'There is no table nosuch.',
        hint: expect.stringContaining('edgeloom table create'),
      });
  });

  it('of explain says how an edge is named, and takes the words that other commands take', async () => {
    for (const words of [
      ['GOAL-G1', 'USER-U1'],
      ['GOAL-G1', 'GOALMEMBERSHIP'],
      ['GOAL-G1', 'GOALMEMBERSHIP', 'USER-U1', 'more'],
    ]) {
      const { message, hint } = await failure('explain', ...words);
      expect(message).toBe(`${words.join(' ')} names no item.`);
      expect(hint).toContain('SOURCE TYPE TARGET');
    }
    expect((await failure('explain', 'GOAL-G1', 'USER-U1', 'GOALMEMBERSHIP')).hint).toContain('GOALMEMBERSHIP');
    const { stdout } = await run('explain', 'GOAL-G1', 'GOALMEMBERSHIP', 'USER-U1', '--json');
    const item = { source: 'GOAL-G1', target: 'GOALMEMBERSHIP-USER-U1', exists: true, kind: 'edge' };
    expect(JSON.parse(stdout)).toMatchObject({ item });
  });

  it('of an absent edge: the plan of its query says that there is none', async () => {
    const { stdout } = await run('explain', '--query', 'get GOAL-G1 GOALMEMBERSHIP USER-U9');
    expect(stdout.split('\n')).toEqual([
      '1. 1 GetItem of GOAL-G1 GOALMEMBERSHIP-USER-U9, 0.5 RCU',
      '1 call, 0.5 RCU',
      'There is no edge GOAL-G1 GOALMEMBERSHIP USER-U9.',
      '',
    ]);
  });

  it('of a drop says which projection is meant, and a drop of what the model has says that it comes back', async () => {
    expect((await run('migrate', '--yes')).code).toBe(0);
    expect(await failure('migrate', '--drop', 'search:USER.nam', '--yes')).toMatchObject({
      code: 'unknown-name',
      hint: 'Did you mean search:USER.name? edgeloom status lists them; --undo takes away all that only other models have.',
    });
    const { stdout } = await run('migrate', '--drop', 'search:USER.name', '--dry-run');
    expect(stdout).toContain('the model has search:USER.name: the next edgeloom migrate builds it again');
  });
});

it('an item that was quarantined leaves the quarantine when it is corrected', async () => {
  const graph = goalGraph(dev.table);
  const client = createClient({ endpoint: dev.endpoint });
  const key = { source: { S: 'GOAL-G1' }, target: { S: 'GOALMEMBERSHIP-TEAM-T7' } };
  await new DynamoDBStore(client, graph.table).put({ ...key, memberRole: { S: 'NOSUCH' } });
  client.destroy();
  const checked = async (): Promise<string> => (await run('check')).stdout;
  await expect.poll(checked, { timeout: 120_000 }).toContain('edgeloom redrive');
  await run('update', 'GOAL-G1', 'GOALMEMBERSHIP', 'TEAM-T7', '{"memberRole":"LEAD"}');
  await expect.poll(checked, { timeout: 120_000 }).not.toContain('edgeloom redrive');
  const { stdout } = await run('explain', 'GOAL-G1', 'GOALMEMBERSHIP', 'TEAM-T7');
  expect(stdout).toContain('It is stored as expected.');
});

it('check --repair says which repair failed, and why, and counts the difference as left', async () => {
  const client = createClient({ endpoint: dev.endpoint });
  const store = new DynamoDBStore(client, goalGraph(dev.table).table);
  const way = await startFaultyEndpoint(dev.endpoint, ({ operation, body }) =>
    operation === 'UpdateItem' && body.includes('"TEAM-T7"') && body.includes('~view') ? 'invalid' : undefined,
  );
  const checked = (endpoint: string, ...args: string[]) =>
    cli.run(['check', '--repair', '--endpoint', endpoint, ...args]);
  expect((await run('put', 'TEAM-T7', '{"name":"Seven"}')).code).toBe(0);
  await run('wait');
  await store.delete({ source: 'TEAM-T7', target: '~view' });
  client.destroy();
  const text = await checked(way.endpoint);
  expect(text).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^cannot repair TEAM-T7 ~view: .*refuses this/),
  });
  const refused: unknown = JSON.parse((await checked(way.endpoint, '--json')).stdout);
  expect(refused).toMatchObject({ refusals: [expect.stringContaining('TEAM-T7 ~view: ')], drift: { missing: 1 } });
  await way.stop();
  const { stdout } = await checked(dev.endpoint, '--json');
  expect(JSON.parse(stdout)).toMatchObject({ refusals: [], repaired: 1 });
});

it('an empty variable is one that is not set', async () => {
  const child = spawn(
    process.execPath,
    [join(ROOT, 'dist/cli/main.js'), 'get', 'USER-U1', '--region', 'eu-central-1'],
    {
      cwd: ROOT,
      env: { ...process.env, AWS_ENDPOINT_URL_DYNAMODB: '', AWS_ENDPOINT_URL: dev.endpoint, EDGELOOM_TABLE: '' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  child.stdout.resume();
  expect(await once(child, 'close')).toEqual([0, null]);
});

it.each([
  [['stack', '--code', 's3://bucket'], 'usage', '--code "s3://bucket" is neither a folder nor a zip in a bucket.'],
  [['stack', '--code', 's3://bucket/'], 'usage', 'is neither a folder nor a zip'],
  [['stack', '--code', 'S3://b/k.zip', '--param', 'canaryMinutes=5'], 'usage', 'is neither a folder nor a zip'],
  [['stack', '--code', ''], 'usage', '--code "" is neither a folder nor a zip'],
  [['stack', '--zip', 'x.zip'], 'usage', '--zip needs --code s3://BUCKET/KEY.'],
  [['stack', '--code', 's3://b/k.zip?versionId=1', '--zip', 'x.zip'], 'usage', '--zip cannot be combined'],
  [['stack', '--import', '--policy'], 'usage', '--import cannot be combined with --policy.'],
  [['stack', '--import', '--zip', 'x.zip'], 'usage', '--zip cannot be combined with --import.'],
  [['redrive', '--bucket', 'x'], 'usage', '--bucket needs --from-failure.'],
  [['redrive', '--any-host'], 'usage', '--any-host needs --from-failure.'],
  [['redrive', '--any-host', '--from-failure', 'x.json'], 'usage', '--any-host needs --from-failure QUEUE-URL.'],
  [['init', 'x', '--partition-key', 'a', '--sort-key', 'b'], 'usage', '--partition-key, --sort-key needs'],
  [['init', 'x', '--index', 'gsi0=one'], 'usage', '--index needs --existing-table.'],
  [['check', '--confirm'], 'usage', '--confirm needs --export.'],
  [['check', '--segment', '1/2', '--segments', '4'], 'usage', '--segments cannot be combined with --segment.'],
  [['mirror', 'sync', '--grace', '5'], 'usage', '--grace needs --dry-run.'],
  [
    ['mirror', 'sync', '--retire', 'x', '--dry-run', '--grace', '5'],
    'usage',
    '--grace cannot be combined with --retire.',
  ],
  [['rebuild', '--source', 'GOAL-G1', '--segments', '4'], 'usage', '--segments cannot be combined with --source.'],
  [['check', '--source', 'GOAL-G1', '--table', 'none'], 'no-table', 'There is no table none.'],
  [['explain', 'GOAL-G1', '--dry-run', '--query', 'list page GOAL-G1 X'], 'usage', '--dry-run explains no item'],
  [['import', '.'], 'file-failed', '. is a folder.'],
  [['import', '/dev/null'], 'file-failed', '/dev/null is not a regular file.'],
  [['import', 'examples/goals/goals.jsonl', '--from-line', '9999'], 'invalid-argument', "so the import can't start at"],
  [['get', 'GOAL-G1', '--table', ''], 'invalid-argument', 'The option --table "" should not be empty.'],
  [['get', 'GOAL-G1', '--region', ''], 'invalid-argument', 'The option --region "" should not be empty.'],
  [['check', '--resume', 'package.json'], 'invalid-cursor', 'The file package.json doesn'],
] as const)('%j is refused', async (args, code, message) => {
  const failed = await failure(...args);
  expect(failed).toMatchObject({ code, message: expect.stringContaining(message) });
});

it('a model file that prints leaves stdout to the command', async () => {
  const config = join(folder, 'prints.config.mjs');
  const model = join(ROOT, 'edgeloom.config.ts');
  await writeFile(config, `console.log('noise'); export { default } from ${JSON.stringify(model)};`);
  const { code, stdout, stderr } = await edgeloom(['cost', '--json', '--config', config]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'noise\n' });
  expect(JSON.parse(stdout)).toHaveProperty('writes');
});

it('an option that means nothing beside another one is refused', async () => {
  for (const [option, value] of [
    ['--equals', 'Ada'],
    ['--limit', '5'],
    ['--max-rcu', '5'],
  ] as const) {
    const { code, message } = await failure('search', 'USER.name', '--shards', option, value);
    expect(code, option).toBe('usage');
    expect(message).toContain(option);
  }
});

it('a table that lacks what the model needs is told by describe, and refused by project, check and rebuild', async () => {
  const client = createClient({ endpoint: dev.endpoint });
  await client.send(
    new CreateTableCommand({
      TableName: 'bare',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: ['source', 'target'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: [
        { AttributeName: 'source', KeyType: 'HASH' },
        { AttributeName: 'target', KeyType: 'RANGE' },
      ],
    }),
  );
  client.destroy();
  const { code, stdout } = await run('table', 'describe', '--table', 'bare');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^lacks: +the index gsi0 .*, which the model needs$/m);
  for (const command of ['check', 'rebuild']) {
    const { code: error, message } = await failure(command, '--table', 'bare');
    expect(error).toBe('table-differs');
    for (const lack of ['the index gsi0', 'the index gsi1', 'a stream of new and old images']) {
      expect(message).toContain(lack);
    }
  }
  expect((await failure('project', '--until-idle', '--table', 'bare')).code).toMatch(/^(no-stream|table-differs)$/);
});

describe('dev', () => {
  it('refuses a data folder that another dev has, and says which process has it', async () => {
    const data = join(folder, 'kept');
    const first = await startDev(['--data', data]);
    const { code, stdout } = await edgeloom(['dev', '--data', data, '--json']);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'already-running', message: expect.stringMatching(/is in use by process \d+\.$/) },
    });
    expect(await first.interrupt()).toBe(0);
    const again = await startDev(['--data', data]);
    expect(await again.interrupt()).toBe(0);
  });

  it('says of damaged data that they are damaged', async () => {
    const data = join(folder, 'damaged');
    await mkdir(data);
    const template = await readFile(join(ROOT, 'assets', 'dynoxide-1.2.1.db'));
    await writeFile(join(data, 'dynoxide.db'), template.subarray(0, 30_000));
    const { code, stdout } = await edgeloom(['dev', '--engine', 'dynoxide', '--data', data, '--json']);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'engine-failed', hint: expect.stringContaining('are damaged') },
    });
  });

  it('leaves its port when npx, which runs it in the background, gets SIGTERM', async () => {
    const port = await freePort();
    const npx = spawn('npx', ['edgeloom', 'dev', '--port', String(port)], { cwd: ROOT, stdio: 'ignore' });
    await expect.poll(() => answers(port), { timeout: 120_000 }).toBe(true);
    npx.kill('SIGTERM');
    await expect.poll(() => answers(port), { timeout: 120_000 }).toBe(false);
  });
});

describe('Ctrl-C', () => {
  /** Starts a command, interrupts it as soon as `ready` says so, and waits for its end. */
  async function interrupted(args: string[], ready: () => Promise<unknown>, endpoint = dev.endpoint) {
    const child = spawn(process.execPath, [join(ROOT, 'dist/cli/main.js'), ...args, '--endpoint', endpoint, '--json'], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let stdout = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    const closed = once(child, 'close') as Promise<[number | null]>;
    await ready();
    const asked = performance.now();
    child.kill('SIGINT');
    const [code] = await closed;
    return { code, stdout, seconds: (performance.now() - asked) / 1000 };
  }

  it('ends a check that waits for the stream, without the time that --grace gives it', async () => {
    // Nothing projects this table, so the check waits for what differs there.
    const graph = goalGraph(uniqueTableName());
    const client = createClient({ endpoint: dev.endpoint });
    await createTable(graph, { client });
    await new DynamoDBStore(client, graph.table).put({ source: { S: 'TEAM-T1' }, target: { S: 'TEAM-T1' } });
    client.destroy();
    const args = ['check', '--grace', '5m', '--table', graph.table.name];
    const calls: string[] = [];
    const way = await startFaultyEndpoint(dev.endpoint, ({ operation }) => void calls.push(operation));
    // The scan is over once another call has come.
    const isWaiting = () => expect.poll(() => calls.includes('Scan') && calls.at(-1) !== 'Scan').toBe(true);
    const { code, stdout, seconds } = await interrupted(args, isWaiting, way.endpoint);
    await way.stop();
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ stopped: true });
    // Far from the five minutes, however busy the machine is.
    expect(seconds).toBeLessThan(60);
  });

  it.each([
    [['migrate', '--yes'], 'Run it again: it continues with the steps that are left'],
    [['table', 'update', '--yes'], 'Run it again: it continues with what is left'],
    [['redrive'], 'Run it again: it reconciles what is left'],
    [['delete', 'GOAL-1', '--with-edges'], 'Run it again: it deletes what is left'],
    [['table', 'create'], 'finish it with edgeloom table update, then edgeloom migrate'],
    [['table', 'delete', '--yes'], 'Look with edgeloom table describe whether the table is still there'],
  ])('on %j says that it was interrupted, and what to do now', async (args, hint) => {
    let ask: (value?: unknown) => void = () => undefined;
    const asked = new Promise((resolve) => {
      ask = resolve;
    });
    const silent = await listening(createServer(() => ask()));
    const { code, stdout } = await interrupted(args, () => asked, silent.endpoint);
    await silent.stop();
    expect({ code, ...JSON.parse(stdout) }).toEqual({
      code: 130,
      error: {
        code: 'stopped',
        message: 'The command was interrupted by SIGINT.',
        hint: expect.stringContaining(hint),
      },
    });
  });

  it('on an import says how much was written', async () => {
    const file = join(folder, 'many.jsonl');
    const lines = Array.from(
      { length: 60_000 },
      (_, i) => `{"source":"TEAM-c${i}","target":"TEAM-c${i}","name":"${i}"}`,
    );
    await writeFile(file, lines.join('\n'));
    const client = createClient({ endpoint: dev.endpoint });
    const store = new DynamoDBStore(client, {
      partitionKey: 'source',
      sortKey: 'target',
      name: dev.table,
      indexes: [],
    } as never);
    const isWriting = async () =>
      (await store.get({ source: 'TEAM-c0', target: 'TEAM-c0' }, { consistent: true })).item;
    const { code, stdout } = await interrupted(['import', file], () =>
      expect.poll(isWriting, { timeout: 120_000, interval: 20 }).toBeDefined(),
    );
    client.destroy();
    expect(code).toBe(2);
    const { items, total, stopped } = JSON.parse(stdout) as { items: number; total: number; stopped: boolean };
    expect({ total, stopped }).toEqual({ total: 60_000, stopped: true });
    expect(items).toBeGreaterThan(0);
    expect(items).toBeLessThan(60_000);
  });
});

describe('output that cannot be written, as on a full disk', () => {
  async function runInShell(script: string): Promise<string> {
    const child = spawn('sh', ['-c', script], { cwd: ROOT, stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    await once(child, 'close');
    return stderr;
  }

  it.each(['--help', 'cost', 'cost --json'])('is an error of %s, with a hint and no stack', async (args) => {
    const stderr = await runInShell(`node dist/cli/main.js ${args} > /dev/full; echo "exit $?" >&2`);
    expect(stderr.split('\n')).toEqual([
      'error: The output cannot be written: ENOSPC: no space left on device, write.',
      expect.stringMatching(/^hint: /),
      'exit 2',
      '',
    ]);
  });

  it.each([
    ['nope', 2],
    ['nope --json', 2],
    ['cost', 0],
    ['cost --log-level trace', 0],
  ])('does not change the exit code of %s if only messages are lost', async (args, code) => {
    const script = `{ node dist/cli/main.js ${args} 2> /dev/full; } > /dev/null; echo "exit $?" >&2`;
    expect(await runInShell(script)).toBe(`exit ${code}\n`);
  });
});

describe('output that nobody reads to its end', () => {
  it('ends the command without a stack trace', async () => {
    const script = `{ node dist/cli/main.js --help; echo "exit $?" >&2; } | true`;
    const child = spawn('sh', ['-c', script], { cwd: ROOT, stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    await once(child, 'close');
    expect(stderr).toBe('exit 141\n');
  });
});
