import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../packages/cli/command-list.ts';
import { doubtTable } from '../../src/registry/identity.ts';
import { createClient } from '../../src/store/client.ts';
import { tableDefinition } from '../../src/store/definition/table-definition.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { ROOT } from '../support/command.ts';
import { goalGraph } from '../support/contracts-model.ts';
import { devCommands } from '../support/dev-commands.ts';
import { uniqueTableName } from '../support/table.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const { cli, dev, run, failure } = devCommands();
const folder = temporaryFolder();

beforeAll(async () => {
  const imported = await run('import', 'examples/goals/goals.jsonl');
  expect(imported.code).toBe(0);
});

/** Runs with `--json` until what it prints is as expected: projection follows the write by some moments. */
async function eventually(expected: unknown, ...args: string[]): Promise<void> {
  let printed: unknown;
  for (const deadline = Date.now() + 120_000; Date.now() < deadline; ) {
    const { stdout } = await run(...args, '--json');
    printed = JSON.parse(stdout);
    if (JSON.stringify(printed) === JSON.stringify(expected)) break;
  }
  expect(printed).toEqual(expected);
}

async function json(...args: string[]): Promise<unknown> {
  const { code, stdout } = await run(...args, '--json');
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

describe('reads of the goals example', () => {
  it('say on stderr what they cost where that is more than 100 RCU', async () => {
    const ids = Array.from({ length: 201 }, (_, i) => `GOAL-none${i}`);
    const { stderr } = await run('get', ...ids);
    expect(stderr).toMatch(/^This reads up to 201 nodes: about 100\.5 RCU or more\. Ctrl-C stops it\.\n/);
    expect((await run('get', ...ids.slice(0, 100))).stderr).not.toContain('RCU');
  });

  it('get: an entry for each id asked, in order, unknown ones too', async () => {
    await eventually(
      [
        {
          id: 'GOAL-G1',
          attributes: { title: 'Halve the page load time', status: 'open' },
          edgeSet: [
            { type: 'GOALMEMBERSHIP', target: 'TEAM-T1', memberRole: 'TEAM' },
            { type: 'GOALMEMBERSHIP', target: 'USER-U1', memberRole: 'LEAD' },
            { type: 'GOALMEMBERSHIP', target: 'USER-U2', memberRole: 'CONTRIBUTOR' },
          ],
        },
        null,
      ],
      'get',
      'GOAL-G1',
      'GOAL-NONE',
    );
  });

  it('inbound: by rank, at least and exactly, and by the second order', async () => {
    const edge = (source: string, memberRole: string, date: string) => ({
      source,
      type: 'GOALMEMBERSHIP',
      target: 'USER-U2',
      attributes: { memberRole, date },
    });
    const lead = edge('GOAL-G2', 'LEAD', '2026-08-01');
    const contributor = edge('GOAL-G1', 'CONTRIBUTOR', '2026-07-15');
    const inbound = ['list', 'inbound', 'USER-U2', 'GOALMEMBERSHIP'];
    await eventually({ items: [contributor, lead] }, ...inbound, '--at-least', 'CONTRIBUTOR');
    expect(await json(...inbound, '--equals', 'LEAD')).toEqual({ items: [lead] });
    expect(await json(...inbound, '--order', 'gsi1', '--reverse')).toEqual({ items: [lead, contributor] });
    expect(await json(...inbound, '--order', 'gsi1', '--to', '2026-07-31')).toEqual({ items: [contributor] });
  });

  it('a cursor goes on where the page ended, and is absent at the end', async () => {
    const first = (await json('list', 'inbound', 'USER-U2', 'GOALMEMBERSHIP', '--limit', '1')) as {
      items: unknown[];
      cursor: string;
    };
    expect(first.items).toHaveLength(1);
    const second = await json('list', 'inbound', 'USER-U2', 'GOALMEMBERSHIP', '--limit', '1', '--cursor', first.cursor);
    expect(second).toMatchObject({ items: [{ source: 'GOAL-G2' }] });
    expect(second).not.toHaveProperty('cursor');
    expect(await failure('list', 'inbound', 'USER-U1', 'GOALMEMBERSHIP', '--cursor', first.cursor)).toMatchObject({
      code: 'invalid-cursor',
    });
  });

  it('search, count and shards', async () => {
    await eventually(
      { items: [{ id: 'USER-U1', value: 'Terui', attributes: {} }] },
      'search',
      'USER.name',
      '--equals',
      'Terui',
    );
    expect(await json('search', 'USER.name', '--prefix', 'Ta')).toMatchObject({ items: [{ id: 'USER-U2' }] });
    expect(await json('search', 'GOAL.dueDate', '--from', '2026-10-01', '--reverse')).toMatchObject({
      items: [{ id: 'GOAL-G1' }, { id: 'GOAL-G2' }],
    });
    expect(await json('count', 'search', 'USER.name')).toEqual({ count: 2 });
    const spread = await json('search', 'USER.name', '--shards');
    expect(spread).toMatchObject({ shards: 200, items: 2, empty: 198, hash: 'fnv1a' });
  });

  it('edges and page: three calls for the page', async () => {
    expect(await json('list', 'edges', 'GOAL-G2', 'GOALSUBSCRIBER')).toEqual({
      items: [{ source: 'GOAL-G2', type: 'GOALSUBSCRIBER', target: 'USER-U1', attributes: { since: '2026-08-02' } }],
    });
    expect(await json('count', 'edges', 'GOAL-G1', 'GOALMEMBERSHIP')).toEqual({ count: 3 });
    expect(await json('count', 'inbound', 'USER-U2', 'GOALMEMBERSHIP')).toEqual({ count: 2 });
    const leads = await json('count', 'inbound', 'USER-U2', 'GOALMEMBERSHIP', '--equals', 'LEAD');
    const listed = await json('list', 'inbound', 'USER-U2', 'GOALMEMBERSHIP', '--equals', 'LEAD');
    expect(leads).toEqual({ count: (listed as { items: unknown[] }).items.length });
    const page = await json('list', 'page', 'TEAM-T1', 'GOALMEMBERSHIP', '--with', 'GOALMEMBERSHIP:LEAD');
    expect(page).toMatchObject({
      items: [
        { id: 'GOAL-G1', edges: { GOALMEMBERSHIP: [{ node: { attributes: { name: 'Terui' } } }] } },
        { id: 'GOAL-G2', edges: { GOALMEMBERSHIP: [{ node: { attributes: { name: 'Tanaka' } } }] } },
      ],
      calls: 3,
    });
  });

  it.each([
    [['search', 'USER.name', '--equals', 'nobody'], 'No nodes.\n'],
    [['list', 'inbound', 'USER-none', 'GOALMEMBERSHIP'], 'No edges.\n'],
    [['list', 'edges', 'GOAL-none'], 'No edges.\n'],
    [['list', 'page', 'USER-none', 'GOALMEMBERSHIP'], 'No nodes.\n\n1 DynamoDB call\n'],
  ])('a page without rows says so, and shows no bare heading: %s', async (words, text) => {
    const { code, stdout } = await run(...words);
    expect([code, stdout]).toEqual([0, text]);
  });

  it('tables for people hold the same', async () => {
    const { stdout } = await run('list', 'inbound', 'USER-U1', 'GOALMEMBERSHIP');
    expect(stdout.split('\n')[0]).toMatch(/^source +type +target +attributes$/);
    expect(stdout).toContain('GOAL-G1  GOALMEMBERSHIP  USER-U1');
  });
});

describe('import', () => {
  it('checks all lines first: with a bad one nothing is written, and every bad one is listed', async () => {
    const lines = [
      '{"source":"USER-X1","target":"USER-X1","name":"good"}',
      '{"source":"USER-X2","target":',
      '{"source":"USER-X3","target":"~view"}',
      '{"source":"GOAL-X4","target":"GOALMEMBERSHIP-USER-U1","memberRole":"BOSS"}',
      '{"source":"PLANET-X5","target":"PLANET-X5"}',
      '{"source":7,"target":"USER-X6"}',
    ];
    const refused = await cli.run(['import', '-', '--json', '--endpoint', dev.endpoint], { input: lines.join('\n') });
    expect(refused.code).toBe(2);
    const { error } = JSON.parse(refused.stdout) as { error: { code: string; message: string } };
    expect(error.code).toBe('invalid-lines');
    for (const number of [2, 3, 4, 5, 6]) expect(error.message).toContain(`line ${number}: `);
    expect(error.message).toContain('memberRole');
    expect(refused.stderr).not.toContain('    at ');
    expect((await run('get', 'USER-X1')).code).toBe(1);
    const skipped = await cli.run(['import', '-', '--skip-bad', '--json', '--endpoint', dev.endpoint], {
      input: lines.join('\n'),
    });
    const left = [2, 3, 4, 5, 6].map((number) => expect.stringMatching(`^line ${number}: .`));
    expect(JSON.parse(skipped.stdout)).toMatchObject({ items: 1, skipped: 5, badLines: left });
  });

  it('the last line of a repeated key wins, and numbers keep 38 digits', async () => {
    const digits = '12345678901234567890123456789.012345678';
    const lines = [
      '{"source":"USER-R1","target":"USER-R1","name":"first"}',
      `{"source":"USER-R1","target":"USER-R1","name":"last \u2028 line","account":${digits}}`,
    ];
    const imported = await cli.run(['import', '-', '--json', '--endpoint', dev.endpoint], {
      input: `${lines.join('\n')}\n`,
    });
    expect(JSON.parse(imported.stdout)).toMatchObject({ items: 1, skipped: 0 });
    let stdout = '';
    for (const deadline = Date.now() + 120_000; Date.now() < deadline && !stdout.includes('account'); ) {
      ({ stdout } = await run('get', 'USER-R1', '--json'));
    }
    expect(stdout).toContain(`"account":${digits}`);
    expect(stdout).toContain('last \\u2028 line');
  });

  it('--format dynamodb takes sets and binary', async () => {
    const file = join(folder, 'sets.jsonl');
    const item = {
      source: { S: 'USER-S1' },
      target: { S: 'USER-S1' },
      favoriteFoods: { SS: ['soba', 'udon'] },
      key: { B: 'AQID' },
    };
    await writeFile(file, `${JSON.stringify(item)}\n`);
    expect(await json('import', file, '--format', 'dynamodb')).toMatchObject({ items: 1 });
    await eventually(
      { items: [{ id: 'USER-S1', value: 'soba', attributes: {} }] },
      'search',
      'USER.favoriteFoods',
      '--equals',
      'soba',
    );
  });
});

describe('an order by name', () => {
  it('is chosen with --order, and listed where another is asked for', async () => {
    const edgeOf = (goal: string, priority: number) =>
      JSON.stringify({ source: `GOAL-${goal}`, target: 'GOALMEMBERSHIP-USER-P1', memberRole: 'LEAD', priority });
    const lines = [edgeOf('P1', 10), edgeOf('P2', 9), edgeOf('P3', -1)];
    await cli.run(['import', '-', '--endpoint', dev.endpoint], { input: lines.join('\n') });
    const inbound = ['list', 'inbound', 'USER-P1', 'GOALMEMBERSHIP', '--order', 'byPriority'];
    const found = (...goals: string[]) => ({
      items: goals.map((goal) => ({
        ...{ source: `GOAL-${goal}`, type: 'GOALMEMBERSHIP', target: 'USER-P1', attributes: { memberRole: 'LEAD' } },
      })),
    });
    await eventually(found('P1', 'P2', 'P3'), ...inbound, '--reverse');
    expect(await json(...inbound, '--from', '9')).toEqual(found('P2', 'P1'));
    expect(await failure('list', 'inbound', 'USER-P1', 'GOALMEMBERSHIP', '--order', 'byColor')).toMatchObject({
      code: 'unknown-name',
      hint: expect.stringContaining('byPriority'),
    });
  });
});

describe('the target of an index partition', () => {
  it('comes with --include-target, and is refused of a type that does not include it', async () => {
    const newest = ['list', 'inbound', 'USER-U1', 'GOALSUBSCRIBER', '--reverse', '--include-target', '--limit', '1'];
    await eventually(
      {
        items: [{ source: 'GOAL-G2', type: 'GOALSUBSCRIBER', target: 'USER-U1', attributes: {} }],
        target: { id: 'USER-U1', attributes: await attributesOf('USER-U1') },
      },
      ...newest,
    );
    expect((await run(...newest)).stdout).toMatch(/^target: USER-U1 \{.*"Terui".*\}\nsource /);
    expect(await json('list', 'inbound', 'USER-U1', 'GOALSUBSCRIBER')).not.toHaveProperty('target');
    expect(await failure('list', 'inbound', 'USER-U1', 'GOALMEMBERSHIP', '--include-target')).toMatchObject({
      code: 'not-declared',
      message: expect.stringContaining('do not have the node that they enter'),
    });
  });

  async function attributesOf(id: string): Promise<unknown> {
    return ((await json('get', id)) as { attributes: unknown }[])[0]!.attributes;
  }
});

describe('a search by path', () => {
  it('takes whole segments, on every level', async () => {
    const store = (key: string, city: string, zip: string) =>
      JSON.stringify({ source: `STORE-${key}`, target: `STORE-${key}`, country: 'US', state: 'CA', city, zip });
    const lines = [store('S1', 'San Jose', '95112'), store('S2', 'San', '00001')];
    await cli.run(['import', '-', '--endpoint', dev.endpoint], { input: lines.join('\n') });
    const found = (key: string, ...value: string[]) => ({ id: `STORE-${key}`, value, attributes: {} });
    const search = ['search', 'STORE.location', '--partition', 'US', '--path', 'CA'];
    const both = [found('S2', 'CA', 'San', '00001'), found('S1', 'CA', 'San Jose', '95112')];
    await eventually({ items: both }, ...search);
    expect(await json(...search, '--path', 'San')).toEqual({ items: [both[0]] });
    expect(await json(...search, '--path', 'San Jose', '--path', '95112')).toEqual({ items: [both[1]] });
    const count = ['count', 'search', 'STORE.location', '--partition', 'US'];
    expect(await json(...count, '--path', 'CA', '--path', 'San Jose')).toMatchObject({ count: 1 });
    expect(await failure(...search, '--equals', 'CA')).toMatchObject({ code: 'usage' });
  });
});

describe('project', () => {
  it('--until-idle projects what is there, and a second run right after reads nothing', async () => {
    const table = 'records-project';
    const checkpoint = join(folder, 'checkpoint.json');
    await json('table', 'create', '--table', table);
    await json('import', 'examples/goals/goals.jsonl', '--table', table);
    const lines = (await readFile(join(ROOT, 'examples/goals/goals.jsonl'), 'utf8')).trim().split('\n').length;
    const first = await json('project', '--until-idle', '--checkpoint', checkpoint, '--table', table);
    expect(first).toMatchObject({ records: lines, conflicts: 0, quarantined: 0 });
    const second = await json('project', '--until-idle', '--checkpoint', checkpoint, '--table', table);
    expect(second).toMatchObject({ records: 0, touches: 0, writes: 0 });
    expect(await json('table', 'describe', '--table', table)).toMatchObject({
      table,
      status: 'ACTIVE',
      indexes: ['gsi0', 'gsi1'],
    });
    expect(await cli.run(['table', 'delete', '--table', table, '--json'])).toMatchObject({ code: 2 });
    expect(await json('table', 'describe', '--table', table)).toMatchObject({ status: 'ACTIVE' });
    expect(await json('table', 'delete', '--table', table, '--yes')).toMatchObject({ table, status: 'DELETING' });
  });

  it('exits with 1 where something went into quarantine', async () => {
    const table = 'records-quarantine';
    await json('table', 'create', '--table', table);
    const { DynamoDBClient, PutItemCommand } = await import('@aws-sdk/client-dynamodb');
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
    const client = new DynamoDBClient({ endpoint: dev.endpoint, region: 'us-east-1', credentials });
    const item = { source: { S: 'GOAL-BAD' }, target: { S: 'GOAL-BAD' }, dueDate: { S: 'soon' } };
    await client.send(new PutItemCommand({ TableName: table, Item: item }));
    client.destroy();
    const checkpoint = join(folder, 'quarantine.json');
    const { code, stdout } = await run(
      'project',
      '--until-idle',
      '--checkpoint',
      checkpoint,
      '--table',
      table,
      '--json',
    );
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ records: 1, quarantined: 1 });
  });
});

describe('failures', () => {
  it.each([
    ['no such table', ['table', 'describe', '--table', 'none-such'], 'no-table', /no table/],
    ['no such model file', ['get', 'USER-U1', '--config', 'none.ts'], 'invalid-config', /no model file/],
    ['an unknown search', ['search', 'USER.shoeSize', '--equals', '44'], 'unknown-name', /no search/],
    [
      'an unknown label',
      ['list', 'inbound', 'USER-U1', 'GOALMEMBERSHIP', '--at-least', 'BOSS'],
      'unknown-name',
      /BOSS/,
    ],
    ['two predicates', ['search', 'USER.name', '--equals', 'a', '--prefix', 'b'], 'usage', /./],
    ['a bad limit', ['search', 'USER.name', '--limit', '0'], 'usage', /./],
    ['an unknown option', ['search', 'USER.name', '--color'], 'usage', /--color/],
    ['an unknown command', ['weave'], 'usage', /weave/],
    ['a bad endpoint', ['get', 'USER-U1', '--endpoint', 'nowhere'], 'invalid-argument', /nowhere/],
  ])('%s: exit 2, one JSON document, a sentence and no stack', async (_name, args, code, message) => {
    const {
      code: exit,
      stdout,
      stderr,
    } = args.includes('--endpoint') ? await cli.run([...args, '--json']) : await run(...args, '--json');
    expect(exit).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code, message: expect.stringMatching(message), hint: expect.any(String) },
    });
    expect(stderr).not.toContain('    at ');
  });

  it('--log-level debug shows the stack', async () => {
    const { stderr } = await run('get', 'USER-U1', '--config', 'none.ts', '--log-level', 'debug');
    expect(stderr).toContain('    at ');
  });

  it('every command has help with examples, whose model files exist, and is in one of four groups', async () => {
    const { stdout } = await cli.run(['--help']);
    for (const { name, group } of COMMANDS) {
      const help = await cli.run([name, '--help']);
      expect(help.code, name).toBe(0);
      expect(help.stdout, name).toContain('Examples:\n  edgeloom ');
      for (const [, file] of help.stdout.matchAll(/--config (\S+\.ts)/g))
        expect(existsSync(join(ROOT, file!)), file).toBe(true);
      expect(stdout.slice(stdout.indexOf(`\n${group}:`)), name).toMatch(new RegExp(`^  ${name} `, 'm'));
    }
    const groups = [...stdout.matchAll(/^([A-Z][a-z]+):$/gm)].map(([, heading]) => heading);
    expect(groups).toEqual(['Options', 'Data', 'Table', 'Operate', 'Build', 'Commands', 'Examples']);
  });
});

describe('cost', () => {
  it('agrees with what the writes of a batch consume', async () => {
    const table = 'records-cost';
    await json('table', 'create', '--table', table);
    const cost = (await json('cost')) as { writes: { type: string; base: number; total: number }[] };
    const costOf = (type: string) => cost.writes.find((one) => one.type === type)!;
    const line = {
      source: 'GOAL-C1',
      target: 'GOALMEMBERSHIP-USER-C1',
      memberRole: 'LEAD',
      date: '2026-01-01',
      priority: 1,
    };
    const imported = await cli.run(['import', '-', '--json', '--table', table, '--endpoint', dev.endpoint], {
      input: JSON.stringify(line),
    });
    expect(JSON.parse(imported.stdout)).toMatchObject({ wcu: costOf('GOALMEMBERSHIP').base });
    const checkpoint = join(folder, 'cost.json');
    const projected = await json('project', '--until-idle', '--checkpoint', checkpoint, '--table', table);
    const { base, total } = costOf('GOALMEMBERSHIP');
    expect(projected).toMatchObject({ wcu: total - base });
  });
});

describe('edgeloom table update', () => {
  it('shows what the table lacks, asks before it adds it, and says when nothing is left', async () => {
    const graph = goalGraph(uniqueTableName());
    const { GlobalSecondaryIndexes: _indexes, StreamSpecification: _stream, ...bare } = tableDefinition(graph);
    const AttributeDefinitions = bare.AttributeDefinitions!.slice(0, 2);
    const client = createClient({ endpoint: dev.endpoint });
    await client.send(new CreateTableCommand({ ...bare, AttributeDefinitions }));
    client.destroy();
    const own = ['--table', graph.table.name];
    const lacking = await run('rebuild', ...own);
    expect(lacking.code).toBe(2);
    expect(lacking.stderr).toContain('edgeloom table update');
    const plan = await json('table', 'update', '--dry-run', ...own);
    const kinds = (plan as { steps: { kind: string }[] }).steps.map(({ kind }) => kind);
    expect(kinds).toEqual(['stream', 'index', 'index', 'ttl']);
    expect((await run('table', 'update', '--dry-run', ...own)).stdout).toContain('an unknown number of WCU');
    const unasked = await run('table', 'update', ...own);
    expect(unasked.code).toBe(2);
    expect(unasked.stderr).toContain('--yes');
    expect(await json('table', 'update', '--yes', ...own)).toMatchObject({ done: true, lacks: [] });
    expect((await run('table', 'update', ...own)).stdout).toBe('nothing to do\n');
  });
});

describe('a table whose registry does not fit the model', () => {
  it('migrate names what only another model has, and what takes it away', async () => {
    const own = ['--table', 'records-rolled-back'];
    const config = join(folder, 'newer.mjs');
    const search = 'search: { title: {} }';
    await writeFile(
      config,
      `import { defineGraph, node } from ${JSON.stringify(join(ROOT, 'dist/index.js'))};
      export default defineGraph({ table: 'records', nodes: { NOTE: node({ view: 'ALL', ${search} }) }, edges: {} });`,
    );
    await json('table', 'create', ...own);
    const rates = ['--max-rcu', '500', '--max-wcu', '100'];
    const planned = await run('migrate', '--dry-run', '--config', config, ...rates, ...own);
    expect(planned.stdout).toMatch(
      /^estimate: \d+ RCU, \d+ WCU and .* at 500 RCU and 100 WCU a second; based on all /m,
    );
    const made = await run('migrate', '--yes', '--config', config, ...rates, ...own);
    expect(made.stderr).toMatch(/^backfill search:NOTE\.title@2: verified; \d+ RCU, 0 WCU, /m);
    expect(made.stdout).toMatch(/^\d+ steps, \d+ RCU, \d+ WCU; the table now has everything that the model defines$/m);
    const { code, stdout } = await run('migrate', '--dry-run', ...own);
    expect([code, stdout]).toEqual([0, expect.stringContaining('edgeloom migrate --drop search:NOTE.title@2')]);
    expect(await json('migrate', '--yes', ...own)).toMatchObject({
      ...{ steps: [], done: true },
      leftovers: [
        { kind: 'drop', name: 'search:NOTE.title@2' },
        { kind: 'drop', name: 'view:NOTE@2' },
      ],
    });
    const undo = await run('migrate', '--dry-run', '--undo', ...own);
    expect([undo.code, undo.stdout]).toEqual([1, expect.stringContaining('drop search:NOTE.title')]);
    expect((await run('migrate', '--yes', '--undo', '--drop', 'view:NOTE', ...own)).code).toBe(2);
  });

  it('migrate stops for items that cannot be in what it builds, --accept goes on, and check exits with 1', async () => {
    const own = ['--table', 'records-left-out'];
    const withSearch = async (name: string, search: string): Promise<string[]> => {
      const config = join(folder, name);
      await writeFile(
        config,
        `import { defineGraph, node } from ${JSON.stringify(join(ROOT, 'dist/index.js'))};
        export default defineGraph({ table: 'records', nodes: { NOTE: node({ search: ${search} }) }, edges: {} });`,
      );
      return ['--config', config, ...own];
    };
    const before = await withSearch('texts.mjs', '{}');
    const asked = await withSearch('numbers.mjs', "{ points: { type: 'number', shards: 1 } }");
    await json('table', 'create', ...before);
    await json('put', 'NOTE-1', '{"points":"many"}', ...before);
    await json('put', 'NOTE-2', '{"points":2}', ...before);
    const dryRun = await run('migrate', '--dry-run', ...asked);
    const reason = '1 item cannot be in what is built:\n  NOTE-1 NOTE-1: attribute points, needed for search';
    expect([dryRun.code, dryRun.stdout]).toEqual([1, expect.stringContaining(reason)]);
    const named = JSON.parse((await run('migrate', '--dry-run', '--json', ...asked)).stdout) as object;
    expect(named).toMatchObject({ leftOut: { items: 1, known: [{ source: 'NOTE-1' }] } });
    const stopped = await run('migrate', '--yes', ...asked);
    expect([stopped.code, stopped.stderr]).toEqual([2, expect.stringContaining(reason)]);
    expect(await json('migrate', '--yes', '--accept', ...asked)).toMatchObject({ done: true, leftOut: { items: 1 } });
    const checked = await run('check', '--grace', '0s', ...asked);
    expect([checked.code, checked.stderr + checked.stdout]).toEqual([1, expect.stringContaining('1 quarantined')]);
    const status = await run('status', ...asked);
    expect(status.code).toBe(1);
    expect(status.stdout).toMatch(/^quarantine: 1 wrong-type$/m);
    expect(status.stdout).toMatch(/^last check: problems, .*, 0 differences, 0 pending, 1 quarantined$/m);
    expect(status.stdout).toMatch(/^! 1 record is in quarantine/m);
    expect(await run('redrive', ...asked)).toMatchObject({ code: 1, stdout: expect.stringContaining('NOTE-1 NOTE-1') });
  });

  it('check and rebuild say in one sentence what is left out, and exit with 1', async () => {
    const table = 'records-unready';
    await json('table', 'create', '--table', table);
    const client = createClient({ endpoint: dev.endpoint });
    expect(await doubtTable(new DynamoDBStore(client, goalGraph(table).table))).toBe(true);
    client.destroy();
    const line =
      /^\d+ projections of the model are not ready in the table, and left out: run edgeloom migrate \(.* is being built\)$/m;
    for (const command of ['check', 'rebuild']) {
      const { code, stdout } = await run(command, '--table', table);
      expect([code, stdout]).toEqual([1, expect.stringMatching(line)]);
      expect(stdout).not.toContain('no type of the model fits');
    }
  });
});
