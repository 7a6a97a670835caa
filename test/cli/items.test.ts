import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../packages/local/engine/ports.ts';
import { type CommandRun, edgeloom, ROOT, startDev } from '../support/command.ts';
import { devCommands } from '../support/dev-commands.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const { cli, dev, run: runText, failure } = devCommands();
const folder = temporaryFolder(join(ROOT, 'node_modules', '.edgeloom-'));

/** Runs against the dev server with `--json`; gives the document and the exit code. */
async function run(...args: string[]): Promise<{ code: CommandRun['code']; json: unknown }> {
  const { code, stdout } = await runText(...args, '--json');
  return { code, json: JSON.parse(stdout) };
}

describe('put, update and delete', () => {
  it('refuse to update an attribute that the fields drop, and name the form of the command', async () => {
    const file = join(folder, 'prices.mjs');
    await writeFile(
      file,
      `import { defineGraph, node } from ${JSON.stringify(join(ROOT, 'dist/index.js'))};
       import { z } from 'zod';
       const fields = z.object({ price: z.number() });
       export default defineGraph({ table: 'records', nodes: { PRODUCT: node({ view: 'ALL', fields }) }, edges: {} });`,
    );
    const config = ['--config', file];
    expect(await run('put', 'PRODUCT-P1', '{"price":3}', ...config)).toMatchObject({ code: 0 });
    expect(await failure('update', 'PRODUCT-P1', '{"pryce":4}', ...config)).toMatchObject({
      code: 'invalid-attribute',
      hint: 'Did you mean price? The fields have price.',
    });
    const hint = expect.stringContaining('Give the attributes themselves, without set around them');
    expect(await failure('update', 'PRODUCT-P1', '{"set":{"price":4}}', ...config)).toMatchObject({
      message: expect.stringContaining('attribute set is dropped'),
      hint,
    });
  });

  it('pass over a version with --force only', async () => {
    const file = join(folder, 'versioned.mjs');
    const lines = join(folder, 'lines.jsonl');
    await writeFile(
      file,
      `import { defineGraph, node } from ${JSON.stringify(join(ROOT, 'dist/index.js'))};
       export default defineGraph({ table: 'records', nodes: { GOAL: node({ view: 'ALL', versionAttribute: 'v' }) }, edges: {} });`,
    );
    await writeFile(lines, '{"source":"GOAL-V1","target":"GOAL-V1","v":7}\n');
    const config = ['--config', file];
    await run('put', 'GOAL-V1', '{}', ...config);
    expect(await failure('import', lines, ...config)).toMatchObject({
      code: 'invalid-lines',
      hint: expect.stringContaining('--force'),
    });
    expect(await run('import', lines, '--force', ...config)).toMatchObject({ code: 0, json: { items: 1 } });
    expect(await failure('delete', 'GOAL-V1', ...config)).toMatchObject({ code: 'versioned-type' });
    expect(await failure('delete', 'GOAL-V1', '--if', 'v=6', ...config)).toMatchObject({ code: 'condition-failed' });
    expect(await run('delete', 'GOAL-V1', '--force', ...config)).toMatchObject({ code: 0, json: { item: null } });
    expect(await run('delete', 'GOAL-V1', '--force', ...config)).toMatchObject({ code: 1, json: { item: null } });
  });

  it('take attributes as ATTRIBUTE=VALUE: of a node, a part and an edge, whose ids may have a = themselves', async () => {
    const item = async (...args: string[]) => (await run(...args)).json;
    expect(await item('put', 'GOAL-P1', 'title=Run', 'points=3', 'code="5"', 'note=a=b')).toMatchObject({
      item: { id: 'GOAL-P1', attributes: { title: 'Run', points: 3, code: '5', note: 'a=b' } },
    });
    expect(await item('update', 'GOAL-P1', 'title=Run far')).toMatchObject({
      item: { attributes: { title: 'Run far', points: 3 } },
    });
    expect(await item('put', 'GOAL-P1', 'GOALMEMBERSHIP', 'USER-a=b', 'memberRole=LEAD', 'hours=2')).toMatchObject({
      item: { target: 'USER-a=b', attributes: { memberRole: 'LEAD', hours: 2 } },
    });
    expect(await item('update', 'GOAL-P1', 'GOALMEMBERSHIP', 'USER-a=b', '{"hours":3}')).toMatchObject({
      item: { attributes: { memberRole: 'LEAD', hours: 3 } },
    });
    for (const [words, code, message] of [
      [['update', 'GOAL-P1', 'title'], 'invalid-json', /^The attributes cannot be read\. The text is not JSON: .*\.$/],
      [
        ['update', 'GOAL-P1', '[1]'],
        'invalid-json',
        /^The attributes cannot be read\. The text should be a JSON object, but is .*\.$/,
      ],
      [['update', 'GOAL-P1', 'title=a', 'title=b'], 'usage', /^title=b gives title a second value\.$/],
      [
        ['update', 'GOAL-P1', 'title=a', '--if', 'points=1', '--if', 'points=2'],
        'usage',
        /^--if points=2 gives points a second value\.$/,
      ],
      [['update', 'GOAL-P1', 'title=a', '{}'], 'usage', /names? no item\.$/],
      [['delete', 'GOAL-P1', 'title=a'], 'usage', /names? no item\.$/],
    ] as const) {
      expect(await failure(...words)).toMatchObject({ code, message: expect.stringMatching(message) });
    }
  });

  it('delete a node with its edges', async () => {
    await run('put', 'GOAL-W1', '{"title":"With edges"}');
    await run('put', 'GOAL-W1', 'GOALMEMBERSHIP', 'USER-W1', '{"memberRole":"LEAD"}');
    expect(await failure('delete', 'GOAL-W1', 'GOALMEMBERSHIP', 'USER-W1', '--with-edges')).toMatchObject({
      code: 'usage',
    });
    expect(await failure('delete', 'GOAL-W1', '--with-edges', '--force')).toMatchObject({ code: 'usage' });
    expect(await failure('delete', 'GOAL-W1', '--max-rcu', '100')).toMatchObject({
      code: 'usage',
      message: '--max-rcu needs --with-edges.',
    });
    const deleted = await run('delete', 'GOAL-W1', '--with-edges', '--max-rcu', '100', '--max-wcu', '100');
    expect(deleted).toMatchObject({ code: 0, json: { item: null, nodes: 1, edges: 1 } });
    expect((await run('get', 'GOAL-W1', 'GOALMEMBERSHIP', 'USER-W1')).code).toBe(1);
    expect(await run('delete', 'GOAL-W1', '--with-edges')).toMatchObject({ code: 1, json: { item: null, nodes: 0 } });
  });

  it('say that there was nothing to delete', async () => {
    const words = ['delete', 'GOAL-X1', 'GOALMEMBERSHIP', 'USER-X1'];
    const { code, stdout, stderr } = await cli.run([...words, '--endpoint', dev.endpoint]);
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: 'There is no item GOAL-X1 GOALMEMBERSHIP USER-X1.\n',
    });
    expect(await failure(...words, '--if-present')).toMatchObject({ code: 'condition-failed' });
  });

  it('write single nodes and edges under conditions, and give the item as it is', async () => {
    const put = await run('put', 'GOAL-C1', '{"title":"Run","points":5}', '--if-absent');
    expect(put).toEqual({
      code: 0,
      json: { item: { id: 'GOAL-C1', attributes: { title: 'Run', points: 5 } }, capacity: { rcu: 0, wcu: 1 } },
    });
    expect(await failure('put', 'GOAL-C1', '{}', '--if-absent')).toMatchObject({
      code: 'condition-failed',
      current: { title: 'Run', points: 5 },
    });
    const updated = await run('update', 'GOAL-C1', '{"status":"open"}', '--remove', 'points', '--if', 'title=Run');
    expect(updated).toMatchObject({ code: 0, json: { item: { attributes: { title: 'Run', status: 'open' } } } });
    const edge = ['GOAL-C1', 'GOALMEMBERSHIP', 'USER-C1'];
    await run('put', ...edge, '{"memberRole":"LEAD"}');
    const changed = await run('update', ...edge, '{"memberRole":"CONTRIBUTOR"}', '--if', 'memberRole=LEAD');
    expect(changed).toMatchObject({ code: 0, json: { item: { attributes: { memberRole: 'CONTRIBUTOR' } } } });
    expect(await run('get', ...edge, '--consistent')).toMatchObject({
      json: { source: 'GOAL-C1', type: 'GOALMEMBERSHIP', target: 'USER-C1' },
    });
    expect(await run('get', 'GOAL-C1', '--stored')).toMatchObject({ code: 0 });
    expect(await run('get', 'GOAL-C9')).toEqual({
      code: 1,
      json: [null],
    });
    expect(await run('get', 'GOAL-C1', 'GOAL-C9', '--stored')).toEqual({
      code: 1,
      json: [{ id: 'GOAL-C1', attributes: { title: 'Run', status: 'open' } }, null],
    });
    expect(await run('list', 'edges', 'GOAL-C1')).toMatchObject({ json: { items: [{ target: 'USER-C1' }] } });
    expect(await run('delete', ...edge)).toMatchObject({ code: 0, json: { item: null } });
    expect(await run('get', ...edge, '--consistent')).toEqual({ code: 1, json: null });
    expect(await failure('delete', 'GOAL-C1', '--if-absent')).toMatchObject({ code: 'usage' });
    expect(await run('delete', 'GOAL-C1', '--if', 'status=closed')).toMatchObject({ code: 2 });
    expect(await failure('update', 'GOAL-C9', '{"a":1}')).toMatchObject({ code: 'not-found' });
    expect(await failure('put', 'GOAL-C1', 'GOALMEMBERSHIP', '{}')).toMatchObject({ code: 'usage' });
    expect(await failure('list', 'nodes', 'GOAL')).toMatchObject({
      code: 'not-declared',
      message: 'Nodes of type GOAL have no list.',
    });
  });
});

describe('wait', () => {
  it('ends once what was written is projected, and says after its time what was not there', async () => {
    await run('put', 'GOAL-W1', '{"title":"Wait"}');
    expect(await run('wait')).toMatchObject({ code: 0, json: { waitedMs: expect.any(Number) } });
    expect(await run('get', 'GOAL-W1')).toMatchObject({ json: [{ attributes: { title: 'Wait' } }] });
    const elsewhere = ['--json', '--for', '1', '--endpoint', `http://127.0.0.1:${await freePort()}`];
    const { code, stdout } = await cli.run(['wait', ...elsewhere]);
    expect({ code, json: JSON.parse(stdout) }).toMatchObject({
      code: 2,
      json: { error: { code: 'projection-timeout', message: expect.stringContaining('The wait ended') } },
    });
    expect(await failure('wait', '--for', '1', '--table', 'not-there')).toMatchObject({ code: 'projection-timeout' });
  });

  it('waits for an engine that is still to start, so that a pasted block of commands works', async () => {
    const port = String(await freePort());
    const waiting = edgeloom(['wait', '--json', '--endpoint', `http://127.0.0.1:${port}`]);
    await delay(500);
    const late = await startDev(['--port', port]);
    expect(await waiting).toMatchObject({ code: 0 });
    expect(await late.interrupt()).toBe(0);
  });
});

describe('lists', () => {
  it('are filtered by projected attributes, bounded by units, and say why a page takes its steps', async () => {
    for (const [goal, role] of [
      ['GOAL-F1', 'LEAD'],
      ['GOAL-F2', 'CONTRIBUTOR'],
      ['GOAL-F3', 'LEAD'],
    ] as const) {
      await run('put', goal, '{"title":"Run"}');
      await run('put', goal, 'GOALMEMBERSHIP', 'USER-F1', `{"memberRole":"${role}","date":"2026-01-02"}`);
    }
    const inbound = ['list', 'inbound', 'USER-F1', 'GOALMEMBERSHIP'];
    await expect
      .poll(async () => (await run(...inbound)).json, { interval: 200 })
      .toMatchObject({ items: [{}, {}, {}] });
    expect(await run(...inbound, '--where', 'memberRole=LEAD', '--max-rcu', '5')).toMatchObject({
      code: 0,
      json: { items: [{ source: 'GOAL-F1' }, { source: 'GOAL-F3' }] },
    });
    expect(await run(...inbound, '--where', 'memberRole=LEAD', '--where', 'date=2026-01-03')).toMatchObject({
      json: { items: [] },
    });
    expect(await run(...inbound, '--where', 'memberRole=true', '--where', 'date!=5')).toMatchObject({
      json: { items: [] },
    });
    expect(await run(...inbound, '--where', 'date!=5')).toMatchObject({ json: { items: [{}, {}, {}] } });
    const other = ['--where', 'memberRole!=LEAD', '--where', 'date={"between":["2026-01-01","2026-01-02"]}'];
    expect(await run(...inbound, ...other)).toMatchObject({ json: { items: [{ source: 'GOAL-F2' }] } });
    expect(await failure(...inbound, '--where', 'memberRole')).toMatchObject({ code: 'usage' });
    expect(await failure(...inbound, '--where', 'title=Run')).toMatchObject({
      code: 'not-declared',
      message: expect.stringContaining('do not hold "title"'),
    });
    const page = 'list page USER-F1 GOALMEMBERSHIP';
    expect(await run(...page.split(' '), '--no-neighbors', '--attributes', 'title')).toMatchObject({
      json: { items: [{ attributes: { title: 'Run' } }, {}, {}], calls: 2 },
    });
    expect(await run('explain', '--query', `${page} --no-neighbors`)).toMatchObject({
      json: {
        calls: 2,
        why: [expect.stringContaining('Query'), expect.stringContaining('do not hold'), expect.any(String)],
      },
    });
    expect(await run('explain', '--query', `${page} --where memberRole=LEAD`)).toMatchObject({
      json: { why: [expect.any(String), expect.stringContaining('neighbors are asked for'), expect.any(String)] },
    });
  });

  it('have levels, and say their plan before they run', async () => {
    await run('put', 'GOAL-L1', '{"title":"Run"}');
    for (const [goal, type, target] of [
      ['GOAL-L1', 'GOALMEMBERSHIP', 'TEAM-L1'],
      ['GOAL-L1', 'GOALMEMBERSHIP', 'USER-L1'],
      ['GOAL-L2', 'GOALSUBSCRIBER', 'USER-L1'],
    ] as const) {
      await run('put', goal, type, target, '{"memberRole":"LEAD","since":"2026-01-02","date":"2026-01-02"}');
    }
    const page = ['list', 'page', 'TEAM-L1', 'GOALMEMBERSHIP', '--with', 'GOALMEMBERSHIP:LEAD/inbound:GOALSUBSCRIBER'];
    const subscribed = [{ edge: {}, node: { id: 'GOAL-L2', attributes: null } }];
    const member = { id: 'USER-L1', attributes: null, inbound: { GOALSUBSCRIBER: subscribed } };
    await expect
      .poll(async () => (await run(...page)).json, { interval: 200 })
      .toMatchObject({
        items: [
          {
            id: 'GOAL-L1',
            edges: { GOALMEMBERSHIP: [{ node: { id: 'TEAM-L1' } }, { edge: { memberRole: 'LEAD' }, node: member }] },
          },
        ],
      });
    expect(await run(...page, '--max-nodes', '2')).toMatchObject({
      code: 0,
      json: { truncated: { reason: 'maxNodes', ids: [], edgesOf: ['USER-L1'] } },
    });
    const { stdout } = await cli.run([...page, '--max-nodes', '2', '--endpoint', dev.endpoint]);
    expect(stdout).toContain('not all edges were read of USER-L1');
    expect((await cli.run([...page, '--endpoint', dev.endpoint])).stdout).toContain('    <- GOALSUBSCRIBER GOAL-L2');
    const query = page.join(' ');
    expect(await run('explain', '--query', query)).toMatchObject({ json: { calls: 5, why: expect.any(Array) } });
    const nowhere = ['--endpoint', `http://127.0.0.1:${await freePort()}`, '--json'];
    const { code, stdout: plan } = await cli.run(['explain', '--dry-run', '--query', query, ...nowhere]);
    expect({ code, why: (JSON.parse(plan) as { why: string[] }).why[3] }).toEqual({
      code: 0,
      why: expect.stringMatching(/^A Query for each node above .* 0.5 RCU or more, until 1000 neighbors are found/),
    });
    expect(await failure('explain', '--dry-run', '--query', 'get GOAL-L1')).toMatchObject({ code: 'usage' });
  });
});

describe('a model with parts and an order by texts', () => {
  const file = join(folder, 'chat.mjs');
  const config = ['--config', file];
  beforeAll(async () => {
    await writeFile(
      file,
      `import { defineGraph, edge, node, part } from '${ROOT}dist/index.js';
export default defineGraph({
  table: 'chat-${process.pid}',
  nodes: { USER: node({ view: 'ALL', parts: { STATE: part({ search: { status: { shards: 1 } } }), COUNTS: part() } }), ROOM: node({ view: 'ALL' }) },
  edges: { IN: edge({ from: 'USER', to: 'ROOM', inbound: { orders: { gsi0: 'nick', byPath: ['land', 'nick'] } } }) },
});
`,
    );
    expect((await run('table', 'create', ...config)).code).toBe(0);
  });

  it('has its parts put, updated and deleted by their names', async () => {
    expect(
      await run('put', 'USER-P1', 'STATE', '{"status":"online","n":12345678901234567890}', ...config),
    ).toMatchObject({
      code: 0,
      json: { item: { id: 'USER-P1', part: 'STATE', attributes: { status: 'online' } }, capacity: { rcu: 0, wcu: 1 } },
    });
    expect(await failure('put', 'USER-P1', 'STATE', '{}', '--if-absent', ...config)).toMatchObject({
      code: 'condition-failed',
    });
    const updated = await run('update', 'USER-P1', 'STATE', '{"status":"away"}', '--if', 'status=online', ...config);
    expect(updated).toMatchObject({ json: { item: { attributes: { status: 'away' } } } });
    const removed = await run('update', 'USER-P1', 'STATE', '--remove', 'n', ...config);
    expect(removed).toMatchObject({ json: { item: { part: 'STATE', attributes: { status: 'away' } } } });
    await run('put', 'USER-P1', '{"name":"Ada"}', ...config);
    await run('project', '--until-idle', ...config);
    expect(await run('get', 'USER-P1', ...config)).toMatchObject({
      json: [{ attributes: { name: 'Ada', STATE: { status: 'away' } } }],
    });
    expect(await run('delete', 'USER-P1', 'STATE', ...config)).toMatchObject({ code: 0, json: { item: null } });
    await run('project', '--until-idle', ...config);
    expect(await run('get', 'USER-P1', ...config)).toMatchObject({ json: [{ attributes: { name: 'Ada' } }] });
  });

  it('deletes no node where a part is misspelt', async () => {
    await run('put', 'USER-P2', '{"name":"Bob"}', ...config);
    for (const words of [['STAET'], ['{}']]) {
      expect(await failure('delete', 'USER-P2', ...words, ...config)).toMatchObject({
        code: 'usage',
        hint: expect.stringContaining('STATE, COUNTS'),
      });
    }
    expect(await run('get', 'USER-P2', '--stored', ...config)).toMatchObject({
      json: [{ attributes: { name: 'Bob' } }],
    });
  });

  it('is asked for what begins with a text, alone and behind leading values', async () => {
    for (const [id, nick, land] of [
      ['USER-B1', 'ann', 'IT'],
      ['USER-B2', 'andy', 'IT'],
      ['USER-B3', 'bob', 'IT'],
      ['USER-B4', 'anton', 'DE'],
    ] as const)
      await run('put', id, 'IN', 'ROOM-1', JSON.stringify({ nick, land }), ...config);
    await run('project', '--until-idle', ...config);
    const found = async (...options: string[]): Promise<string[]> => {
      const { json } = await run('list', 'inbound', 'ROOM-1', 'IN', ...options, ...config);
      return (json as { items: { source: string }[] }).items.map(({ source }) => source);
    };
    expect(await found('--prefix', 'an')).toEqual(['USER-B2', 'USER-B1', 'USER-B4']);
    expect(await found('--prefix', 'ann')).toEqual(['USER-B1']);
    expect(await found('--order', 'byPath', '--path', 'IT', '--prefix', 'an')).toEqual(['USER-B2', 'USER-B1']);
    expect(
      await failure('list', 'inbound', 'ROOM-1', 'IN', '--prefix', 'an', '--equals', 'ann', ...config),
    ).toMatchObject({ code: 'invalid-argument' });
  });
});
