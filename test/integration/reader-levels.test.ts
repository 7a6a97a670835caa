import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { AnyPageNode } from '../../src/client/read/levels/page-tree.ts';
import { pagePlan } from '../../src/client/read/page.ts';
import { createReader, type Reader } from '../../src/client/read/reader.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, rank } from '../../src/core/model/schema.ts';
import type { ItemKey } from '../../src/core/store-port.ts';
import { withoutRegistry } from '../../src/registry/reader-lease.ts';
import { withReplacedCalls } from '../../src/store/wrapped.ts';
import { explainQuery } from '../../src/trust/explain/query.ts';
import { neighborsOf } from '../support/page-nodes.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

/** The goals list: objectives of a team with key results, and of both the leads and teams. */
function listModel(copy: string[] = []) {
  return defineGraph({
    table: uniqueTableName(),
    nodes: {
      TEAM: node({ view: ['name'] }),
      USER: node({ view: ['name', 'city'] }),
      GOAL: node({ view: ['title'] }),
      KEYRESULT: node({ view: ['title'] }),
      TASK: node({ view: ['title'] }),
    },
    edges: {
      TEAMGOAL: edge({ from: 'GOAL', to: 'TEAM', edgeSet: false, inbound: { orders: { gsi0: 'rank' } } }),
      KEYRESULT: edge({ from: 'GOAL', to: 'KEYRESULT' }),
      SUBGOAL: edge({ from: 'GOAL', to: 'GOAL' }),
      MEMBER: edge({
        from: ['GOAL', 'KEYRESULT'],
        to: ['USER', 'TEAM'],
        edgeSet: ['role'],
        inbound: { orders: { gsi0: rank('role', { LEAD: 500, TEAM: 300 }) }, project: ['role'] },
        ...(copy.length > 0 && { copy: copy as ['name'] }),
      }),
      TASK_OF: edge({
        from: 'TASK',
        to: 'KEYRESULT',
        edgeSet: false,
        inbound: { orders: { gsi0: 'since', gsi1: 'since' }, project: ['since'], shards: 2 },
      }),
      WATCHER: edge({ from: 'KEYRESULT', to: 'USER', edgeSet: false }),
    },
  });
}

const graph = listModel();
const copying = listModel(['name']);
type Table = Awaited<ReturnType<typeof testTable<typeof graph>>>;
let table: Table;
let reader: Reader<typeof graph>;
let copied: Table;

const LEAD = 'MEMBER:LEAD';
const OF_TEAM = 'MEMBER:TEAM';
const LIST = { with: [LEAD, { edge: 'KEYRESULT', with: [LEAD, OF_TEAM] }] } as const;
const user = (i: number): `USER-${string}` => `USER-${i}`;
const keyResult = (i: number): `KEYRESULT-${string}` => `KEYRESULT-${i}`;

/** Two objectives with seven key results; each has a lead, and each key result a team; tasks and watchers are at the key results. */
async function fill(of: Table): Promise<void> {
  const writer = createWriter(graph, { store: of.store });
  await writer.batch((batch) => {
    batch.putNode('TEAM-1', { name: 'Core' });
    for (let i = 0; i < 5; i++) batch.putNode(user(i), { name: `User ${i}`, city: 'Lisbon' });
    for (const i of [0, 1]) {
      batch.putNode(`GOAL-${i}`, { title: `Objective ${i}` });
      batch.putEdge(`GOAL-${i}`, 'TEAMGOAL', 'TEAM-1', { rank: String(i) });
      batch.putEdge(`GOAL-${i}`, 'MEMBER', user(i), { role: 'LEAD' });
    }
    for (let i = 0; i < 7; i++) {
      batch.putNode(keyResult(i), { title: `Key result ${i}` });
      batch.putEdge(`GOAL-${i % 2}`, 'KEYRESULT', keyResult(i));
      batch.putEdge(keyResult(i), 'MEMBER', user(i % 5), { role: 'LEAD' });
      batch.putEdge(keyResult(i), 'MEMBER', 'TEAM-1', { role: 'TEAM' });
      batch.putEdge(keyResult(i), 'WATCHER', user(4));
      for (const j of [0, 1]) {
        batch.putNode(`TASK-${i}.${j}`, { title: `Task ${i}.${j}` });
        batch.putEdge(`TASK-${i}.${j}`, 'TASK_OF', keyResult(i), { since: `2026-0${j + 1}-01` });
      }
    }
    batch.putEdge('GOAL-0', 'SUBGOAL', 'GOAL-1');
    batch.putEdge('GOAL-1', 'SUBGOAL', 'GOAL-0');
  });
  expect((await of.projectAll()).quarantined).toBe(0);
}

/** A reader that notes the keys of each BatchGetItem. */
function noting(of: Table): { reader: Reader<typeof graph>; batches: ItemKey[][] } {
  const batches: ItemKey[][] = [];
  const store = withReplacedCalls(of.store, {
    getMany: async (keys, options) => {
      if (keys.length > 0) batches.push([...keys]);
      return await of.store.getMany(keys, options);
    },
  });
  return { reader: createReader(of.graph, { store, leases: withoutRegistry(of.graph) }), batches };
}

beforeAll(async () => {
  table = await testTable(graph);
  copied = await testTable(copying as unknown as typeof graph);
  for (const each of [table, copied]) await fill(each);
  reader = createReader(graph, { store: table.store });
});

describe('K41: several levels of associations at once', () => {
  it('gives a goals list whole: objectives, key results, leads and teams', async () => {
    const page = await reader.page('TEAM-1', 'TEAMGOAL', LIST);
    expect(page.items.map(({ id }) => id)).toEqual(['GOAL-0', 'GOAL-1']);
    const lead = (i: number) => ({
      edge: { role: 'LEAD' },
      node: { id: user(i), attributes: { name: `User ${i}`, city: 'Lisbon' } },
    });
    const team = { edge: { role: 'TEAM' }, node: { id: 'TEAM-1', attributes: { name: 'Core' } } };
    const result = (i: number) => ({
      edge: {},
      node: { id: keyResult(i), attributes: { title: `Key result ${i}` }, edges: { MEMBER: [team, lead(i % 5)] } },
    });
    expect(page.items).toEqual([
      {
        ...{ id: 'GOAL-0', attributes: { title: 'Objective 0' } },
        edges: { MEMBER: [lead(0)], KEYRESULT: [0, 2, 4, 6].map(result) },
      },
      {
        ...{ id: 'GOAL-1', attributes: { title: 'Objective 1' } },
        edges: { MEMBER: [lead(1)], KEYRESULT: [1, 3, 5].map(result) },
      },
    ]);
    expect(page.truncated).toBeUndefined();
  });

  it('has one object for a node that comes twice by the same levels, and the same attributes by others', async () => {
    const { items } = await reader.page('TEAM-1', 'TEAMGOAL', LIST);
    const [first, second] = items.map(({ edges }) => edges.KEYRESULT[0]!.node.edges.MEMBER[0]!.node);
    expect(first!.id).toBe('TEAM-1');
    expect(first).toBe(second);
    const around = await reader.page('TEAM-1', 'TEAMGOAL', {
      with: ['SUBGOAL', { edge: 'SUBGOAL', with: ['SUBGOAL'] }],
    });
    const [goal] = around.items[0]!.edges.SUBGOAL;
    const [again] = goal!.node.edges.SUBGOAL;
    expect([goal!.node.id, again!.node.id]).toEqual(['GOAL-1', 'GOAL-0']);
    expect(Object.keys(again!.node)).toEqual(['id', 'attributes']);
    expect(around.items[1]!.edges.SUBGOAL[0]!.node.attributes).toBe(again!.node.attributes);
    expect(JSON.parse(JSON.stringify(around.items))).toEqual(around.items);
  });

  it('has no edges, but a place for them, where no edge set has any of the nodes', async () => {
    const { items, calls } = await reader.page(keyResult(0), 'TASK_OF');
    expect(items).toEqual([0, 1].map((j) => ({ id: `TASK-0.${j}`, attributes: { title: `Task 0.${j}` }, edges: {} })));
    expect(calls).toBe(2 + 1);
    const { items: bare } = await reader.page(keyResult(0), 'TASK_OF', { with: [] });
    expect(bare).toEqual(items.map(({ id, attributes }) => ({ id, attributes })));
  });

  it('reads a node that comes twice once, on whichever levels it is', async () => {
    const { reader: noted, batches } = noting(table);
    await noted.page('TEAM-1', 'TEAMGOAL', LIST);
    const read = batches.map((keys) => keys.map(({ source }) => source));
    expect(read[0]).toEqual(['GOAL-0', 'GOAL-1']);
    expect(read[1]!.sort()).toEqual([...[0, 1, 2, 3, 4, 5, 6].map(keyResult), user(0), user(1)]);
    // The leads of the objectives are leads of key results, too.
    expect(read[2]!.sort()).toEqual(['TEAM-1', user(2), user(3), user(4)]);
    expect(read).toHaveLength(3);
  });

  it('ends where goals are goals of each other, and reads none of them again', async () => {
    const { reader: noted, batches } = noting(table);
    const inner = { edge: 'SUBGOAL', with: [{ edge: 'SUBGOAL', with: ['SUBGOAL'] }] } as const;
    const page = await noted.page('TEAM-1', 'TEAMGOAL', { with: [{ edge: 'SUBGOAL', with: [inner] }] });
    expect(page.calls).toBe(2);
    expect(batches).toHaveLength(1);
    expect(Object.keys(neighborsOf(page)).sort()).toEqual(['GOAL-0', 'GOAL-1']);
    const path = [0, 1, 2, 3].reduce<AnyPageNode[]>(
      (above) => [...above, above.at(-1)!.edges!['SUBGOAL']![0]!.node],
      [page.items[0]!],
    );
    expect(path.map(({ id }) => id)).toEqual(['GOAL-0', 'GOAL-1', 'GOAL-0', 'GOAL-1', 'GOAL-0']);
    expect(path.at(-1)!.edges).toBeUndefined();
    expect(page.truncated).toBeUndefined();
  });

  it('takes the same levels by several names as one', async () => {
    const { reader: noted, batches } = noting(table);
    const with_ = [LEAD, { edge: 'KEYRESULT', with: [LEAD] }, { edge: 'KEYRESULT', with: [OF_TEAM] }] as const;
    const { calls: _, ...whole } = await reader.page('TEAM-1', 'TEAMGOAL', LIST);
    const { calls, ...page } = await noted.page('TEAM-1', 'TEAMGOAL', { with: with_ });
    expect(page).toEqual(whole);
    expect(calls).toBe(4);
    expect(batches.flat()).toHaveLength(2 + 9 + 4);
  });

  it("saves a level's read where its edges copy what is shown", async () => {
    const { reader: noted, batches } = noting(copied);
    const page = await noted.page('TEAM-1', 'TEAMGOAL', LIST);
    expect(page.calls).toBe(3);
    expect(batches[1]!.map(({ source }) => source).sort()).toEqual([0, 1, 2, 3, 4, 5, 6].map(keyResult));
    expect(neighborsOf(page)[user(3)]).toEqual({ name: 'User 3' });
  });

  it('goes on by a cursor of the same levels', async () => {
    const { cursor } = await reader.page('TEAM-1', 'TEAMGOAL', { ...LIST, limit: 1 });
    const { items } = await reader.page('TEAM-1', 'TEAMGOAL', { ...LIST, limit: 1, cursor });
    expect(items.map(({ id }) => id)).toEqual(['GOAL-1']);
    const other = reader.page('TEAM-1', 'TEAMGOAL', { with: [LEAD, { edge: 'KEYRESULT', with: [LEAD] }], cursor });
    await expect(other).rejects.toThrow(expect.objectContaining({ code: 'invalid-cursor' }));
  });
});

describe('levels that are queried', () => {
  it('takes for each node above a Query of each shard of edges that enter, and one of edges in no edge set', async () => {
    const callsWith = async (level: object) =>
      (
        await (reader as unknown as Reader).page('TEAM-1', 'TEAMGOAL', {
          with: [{ edge: 'KEYRESULT', with: [level as never] }],
        })
      ).calls;
    expect(await callsWith({ inbound: 'TASK_OF' })).toBe(2 + 1 + 7 * 2 + 1);
    expect(await callsWith({ edge: 'WATCHER' })).toBe(2 + 1 + 7 + 1);
  });

  it('has no more calls in flight than the reader may have, with shards and with views that grew too big', async () => {
    let now = 0;
    let most = 0;
    const store = withReplacedCalls(table.store, {
      query: async (...request) => {
        now += 1;
        most = Math.max(most, now);
        await setTimeout(5);
        return await table.store.query(...request).finally(() => {
          now -= 1;
        });
      },
    });
    const bounded = createReader(graph, { store, concurrency: 4, leases: withoutRegistry(graph) });
    await bounded.page('TEAM-1', 'TEAMGOAL', { with: [{ edge: 'KEYRESULT', with: [{ inbound: 'TASK_OF' }] }] });
    expect(most).toBe(4);
    const keys = [0, 1, 2, 3, 4, 5, 6].map((i) => ({ source: keyResult(i), target: '~view' }));
    const views = (await table.store.getMany(keys, { consistent: true })).items.map((view) => view!);
    for (const { edgeSet: _, ...view } of views) await table.store.put({ ...view, evicted: { SS: ['MEMBER'] } });
    try {
      most = 0;
      await bounded.page('TEAM-1', 'TEAMGOAL', LIST);
      expect(most).toBe(4);
    } finally {
      for (const view of views) await table.store.put(view);
    }
  });
});

describe('bounds of levels are reported', () => {
  const found = (page: Parameters<typeof neighborsOf>[0]): string[] => Object.keys(neighborsOf(page));

  it('asks no further nodes once it is full, and names those whose edges it did not read', async () => {
    const with_ = [{ edge: 'KEYRESULT', with: [{ inbound: 'TASK_OF' }] }] as const;
    const page = await reader.page('TEAM-1', 'TEAMGOAL', { with: with_, maxNodes: 7 });
    expect(page.calls).toBe(3);
    expect(page.truncated).toEqual({ reason: 'maxNodes', ids: [], edgesOf: [0, 2, 4, 6, 1, 3, 5].map(keyResult) });
    const one = await reader.page('TEAM-1', 'TEAMGOAL', { with: with_, maxNodes: 8, limit: 1 });
    expect(found(one)).toHaveLength(8);
    expect(one.truncated!.ids.length).toBeGreaterThan(0);
  });

  it('has maxNodes neighbors, and says nothing where that is all of them', async () => {
    const whole = await reader.page('TEAM-1', 'TEAMGOAL', LIST);
    const count = found(whole).length;
    expect(await reader.page('TEAM-1', 'TEAMGOAL', { ...LIST, maxNodes: count })).toEqual(whole);
    const page = await reader.page('TEAM-1', 'TEAMGOAL', { ...LIST, maxNodes: count - 1 });
    expect(found(page)).toHaveLength(count - 1);
    expect([...found(page), ...page.truncated!.ids].sort()).toEqual(found(whole).sort());
  });

  it('bounds one level of edge sets only where that is asked for', async () => {
    const page = await reader.page('TEAM-1', 'TEAMGOAL', { maxNodes: 2 });
    expect(found(page)).toHaveLength(2);
    expect(page.truncated!.ids.length).toBeGreaterThan(0);
    for (const maxNodes of [0, -1, 1.5, '3' as unknown as number]) {
      const refused = reader.page('TEAM-1', 'TEAMGOAL', { maxNodes });
      await expect(refused).rejects.toThrow(
        expect.objectContaining({ code: 'invalid-argument', message: expect.stringMatching(/^maxNodes/) }),
      );
    }
  });
});

describe('the plan of levels', () => {
  it('says which steps there are and what Queries cost, before anything runs', () => {
    const why = (with_: readonly unknown[], of = graph): string[] =>
      pagePlan(of, 'TEAMGOAL', { with: with_ as never }).why.slice(2);
    expect(why(LIST.with)).toEqual([
      "Views of neighbors: edges of MEMBER, KEYRESULT hold no copies of their targets' attributes (copy); the next level is next to the targets of KEYRESULT.",
      "Views of neighbors on level 2: edges of MEMBER hold no copies of their targets' attributes (copy).",
    ]);
    expect(why(LIST.with, copying as never)[1]).toMatch(
      /^No views of neighbors on level 2: edges of MEMBER hold copies/,
    );
    expect(why([{ edge: 'KEYRESULT', with: [{ inbound: 'TASK_OF' }, { edge: 'WATCHER' }] }]).slice(1, 3)).toEqual([
      '2 Queries for each node above the neighbors on level 2, 1 RCU or more, until 1000 neighbors are found: edges of TASK_OF that enter it come from an index.',
      'A Query for each node above the neighbors on level 2, 0.5 RCU or more, until 1000 neighbors are found: edges of WATCHER that leave it are in no edge set.',
    ]);
    const deep = [1, 2, 3, 4, 5].reduce((below: unknown) => ({ edge: 'SUBGOAL', with: [below] }), 'SUBGOAL');
    expect(why([deep]).at(-1)).toBe('Level 6 is left out: a page has 5 levels at most.');
  });

  it('is what explain finds: 4 steps, a call each', async () => {
    const { plan } = await explainQuery(table.store, (store) =>
      createReader(graph, { store }).page('TEAM-1', 'TEAMGOAL', LIST),
    );
    expect(plan.calls).toBe(4);
    expect(plan.steps[0]).toMatch(/^1 Query of gsi0/);
    expect(plan.steps.slice(1)).toEqual([
      expect.stringMatching(/^1 BatchGetItem of ~view \(2 keys\), 1 RCU/),
      expect.stringMatching(/^1 BatchGetItem of ~view \(9 keys\), 4.5 RCU/),
      expect.stringMatching(/^1 BatchGetItem of ~view \(4 keys\), 2 RCU/),
    ]);
  });
});

describe('levels refuse what the model does not declare', () => {
  const refused: [string, unknown, string, string][] = [
    ['an unknown type', { edge: 'KNOWS' }, 'unknown-type', 'TEAMGOAL'],
    [
      'an edge that does not leave the nodes above',
      { edge: 'KEYRESULT', with: [{ edge: 'SUBGOAL' }] },
      'unknown-type',
      'They leave GOAL.',
    ],
    ['an edge that does not enter the nodes above', { inbound: 'TASK_OF' }, 'unknown-type', 'They enter KEYRESULT.'],
    ['an edge without orders', { inbound: 'SUBGOAL' }, 'not-declared', 'edges.SUBGOAL'],
    ['an unknown order', { inbound: 'MEMBER', order: 'gsi1' }, 'unknown-name', 'gsi0'],
    [
      'a partition that is not declared',
      { edge: 'KEYRESULT', with: [{ inbound: 'TASK_OF', partition: 'x' }] },
      'invalid-argument',
      '',
    ],
    [
      'a type in no edge set by its bare name',
      { edge: 'KEYRESULT', with: ['WATCHER'] },
      'not-declared',
      "{ edge: 'WATCHER' }",
    ],
    [
      'a label of a type in no edge set',
      { edge: 'KEYRESULT', with: [{ edge: 'WATCHER', label: 'x' }] },
      'not-declared',
      '',
    ],
    ...[null, {}, ['LEAD'], new Set(['LEAD'])].map((label): [string, unknown, string, string] => [
      'a label that is no scalar',
      { edge: 'MEMBER', label },
      'invalid-argument',
      'a text',
    ]),
    ['another option', { edge: 'MEMBER', labels: 'LEAD' }, 'invalid-argument', 'edge, label, with'],
    ['no entry', null, 'invalid-argument', ''],
    ['an undefined entry', undefined, 'invalid-argument', ''],
  ];
  it.each(refused)('%s', async (_, entry, code, hint) => {
    const read = (reader as unknown as Reader).page('TEAM-1', 'TEAMGOAL', { with: [entry as never] });
    const error = await read.catch((error: unknown) => error);
    expect(error).toMatchObject({ code, ...(hint !== '' && { hint: expect.stringContaining(hint) }) });
  });
});

describe('levels that are no list', () => {
  it.each([['MEMBER'], [null], [{ edge: 'MEMBER' }]])('are refused: %j', async (levels) => {
    const open = reader as unknown as Reader;
    for (const with_ of [levels, ...(levels === null ? [] : [[{ edge: 'KEYRESULT', with: levels }]])]) {
      const read = open.page('TEAM-1', 'TEAMGOAL', { with: with_ as never });
      await expect(read).rejects.toMatchObject({ code: 'invalid-argument', hint: expect.stringContaining("with: ['") });
    }
  });
});
