import { beforeAll, describe, expect, it } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { ExactNumber } from '../../src/core/items/plain.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { allPages, countingReader } from '../support/reader.ts';
import { baseItem as item } from '../support/records.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

const graph = defineGraph({
  table: uniqueTableName(),
  nodes: {
    GOAL: node({ view: ['title', 'size', 'constructor'] }),
    USER: node({ view: 'ALL' }),
    TEAM: node({ view: 'KEYS_ONLY' }),
  },
  edges: {
    MEMBER: edge({
      from: ['GOAL', 'TEAM'],
      to: ['USER', 'TEAM'],
      edgeSet: ['role', 'weight', 'active', 'constructor'],
    }),
    WATCHER: edge({ from: 'GOAL', to: 'USER', edgeSet: false }),
    NEXT: edge({ from: 'GOAL', to: 'GOAL' }),
  },
});

const BIG = '12345678901234567890123456789012345678';

let table: Awaited<ReturnType<typeof testTable<typeof graph>>>;
let reader: ReturnType<typeof createReader<typeof graph>>;

beforeAll(async () => {
  table = await testTable(graph);
  const goal = { title: { S: 'Ship' }, size: { N: BIG }, secret: { S: 's' }, constructor: { S: 'data' } };
  const items = [
    item('GOAL-1', 'GOAL-1', goal),
    item('GOAL-1', 'MEMBER-USER-b|%', { role: { S: 'a|b%=c' }, weight: { N: BIG } }),
    item('GOAL-1', 'MEMBER-USER-a', { active: { BOOL: false }, weight: { N: '7' } }),
    item('GOAL-1', 'MEMBER-USER-\u{1f600}', { constructor: { NULL: true as const } }),
    item('GOAL-1', 'MEMBER-USER-\uffff'),
    item('GOAL-1', 'MEMBER-TEAM-constructor', { role: { B: new Uint8Array([1, 2]) } }),
    item('GOAL-1', 'NEXT-GOAL-2'),
    item('GOAL-1', 'WATCHER-USER-a', { since: { S: '2020' } }),
    item('GOAL-1', 'OTHERTYPE-USER-a'),
    item('GOAL-dangling', 'NEXT-GOAL-1'),
    item('TEAM-1', 'TEAM-1', { name: { S: 'Core' } }),
    item('USER-__proto__', 'USER-__proto__', { tags: { SS: ['x', 'y'] } }),
    ...Array.from({ length: 250 }, (_, i) => item(`USER-n${i}`, `USER-n${i}`, { i: { N: String(i) } })),
  ];
  await table.store.writeMany(items.map((put) => ({ put })));
  await table.projectAll();
  reader = createReader(graph, { store: table.store });
});

/** The edge set of GOAL-1: by type, then by target in byte order. */
const EDGE_SET: unknown[] = [
  { type: 'MEMBER', target: 'TEAM-constructor', role: new Uint8Array([1, 2]) },
  { type: 'MEMBER', target: 'USER-a', weight: 7, active: false },
  { type: 'MEMBER', target: 'USER-b|%', role: 'a|b%=c', weight: new ExactNumber(BIG) },
  { type: 'MEMBER', target: 'USER-\uffff' },
  { type: 'MEMBER', target: 'USER-\u{1f600}', constructor: null },
  { type: 'NEXT', target: 'GOAL-2' },
];

describe('get', () => {
  it('decodes the edge set, sorted, labels of their base type, absent ones left out', async () => {
    const [goal] = await reader.getViews(['GOAL-1']);
    expect(goal?.edgeSet).toEqual(EDGE_SET);
    expect(goal?.attributes).toEqual({ title: 'Ship', size: new ExactNumber(BIG), constructor: 'data' });
  });

  it('gives one entry for each id, in order, also for unknown, repeated and impossible ones', async () => {
    const odd = ['GOAL-2', 'NOBODY-1', 'constructor', '', 'GOAL-\ud800', `USER-${'x'.repeat(3_000)}`, 'GOAL'];
    const ids: string[] = ['TEAM-1', ...odd, 'TEAM-1', 'GOAL-dangling', 'USER-__proto__'];
    expect(await reader.getViews(ids)).toEqual([
      { id: 'TEAM-1', attributes: {}, edgeSet: [] },
      ...odd.map(() => null),
      { id: 'TEAM-1', attributes: {}, edgeSet: [] },
      { id: 'GOAL-dangling', attributes: null, edgeSet: [{ type: 'NEXT', target: 'GOAL-1' }] },
      { id: 'USER-__proto__', attributes: { tags: new Set(['x', 'y']) }, edgeSet: [] },
    ]);
    expect(await reader.getViews([])).toEqual([]);
    await expect(reader.getViews([undefined as unknown as string])).rejects.toThrow(
      expect.objectContaining({ code: 'invalid-id' }),
    );
  });

  it('reads 250 nodes in three calls', async () => {
    const { reader: counted, callsOf } = countingReader(graph, table.endpoint);
    const ids = Array.from({ length: 250 }, (_, i) => `USER-n${249 - i}`);
    const calls = await callsOf(async () => {
      expect(await counted.getViews(ids)).toEqual(
        ids.map((id) => ({ id, attributes: { i: Number(id.slice(6)) }, edgeSet: [] })),
      );
    });
    expect(calls).toEqual({ BatchGetItemCommand: 3 });
  });

  it('reads the nodes themselves only for attributes that their views do not hold', async () => {
    const { reader: counted, callsOf } = countingReader(graph, table.endpoint);
    const reads = [
      { attributes: ['title'], calls: 1, expected: [{ title: 'Ship' }, {}] },
      { attributes: ['title', 'secret'], calls: 2, expected: [{ title: 'Ship', secret: 's' }, {}] },
      { attributes: [], calls: 1, expected: [{}, {}] },
    ];
    for (const { attributes, calls, expected } of reads) {
      const made = await callsOf(async () => {
        const nodes = await counted.getViews(['GOAL-1', 'USER-__proto__'], { attributes });
        expect(nodes.map((read) => read?.attributes)).toEqual(expected);
        expect(nodes[0]?.edgeSet).toEqual(EDGE_SET);
      });
      expect(made).toEqual({ BatchGetItemCommand: calls });
    }
    const all = await counted.getViews(['TEAM-1', 'GOAL-2', 'USER-n1'], { attributes: 'ALL', consistent: true });
    expect(all.map((read) => read?.attributes)).toEqual([{ name: 'Core' }, undefined, { i: 1 }]);
    expect((await counted.getViews(['TEAM-1'], { attributes: ['name'] }))[0]?.attributes).toEqual({ name: 'Core' });
  });

  it('does not lose a put where a node is read, changed and put, though its view lags', async () => {
    // Nothing projects these two puts.
    const put = (attributes: Item) => table.store.put(item('USER-account', 'USER-account', attributes));
    await put({ name: { S: 'Ada' }, points: { N: '1' } });
    const read = async (attributes: 'ALL' | string[]) =>
      (await reader.getViews(['USER-account'], { attributes, consistent: true }))[0]?.attributes;
    expect(await read('ALL')).toEqual({ name: 'Ada', points: 1 });
    await put({ name: { S: 'Ada' }, points: { N: '2' } });
    expect(await read('ALL')).toEqual({ name: 'Ada', points: 2 });
    expect(await read(['points'])).toEqual({ points: 2 });
    await table.store.delete({ source: 'USER-account', target: 'USER-account' });
    expect(await read('ALL')).toBeUndefined();
  });

  it('converts numbers as it is told', async () => {
    const lossless = createReader(graph, { store: table.store, readNumber: (text) => `#${text}` });
    const [goal] = await lossless.getViews(['GOAL-1']);
    expect(goal?.attributes).toMatchObject({ size: `#${BIG}` });
    expect(goal?.edgeSet[1]).toMatchObject({ weight: '#7' });
  });

  it('takes a label named __proto__ as data', async () => {
    await table.store.put(item('GOAL-proto', '~view', { edgeSet: { SS: ['MEMBER-USER-a|__proto__=x'] } }));
    const entry = (await reader.getViews(['GOAL-proto']))[0]?.edgeSet[0];
    expect(Object.entries(entry ?? {})).toEqual([
      ['type', 'MEMBER'],
      ['target', 'USER-a'],
      ['__proto__', 'x'],
    ]);
    expect(Object.getPrototypeOf(entry)).toBe(Object.prototype);
  });

  it('leaves out elements that are no edges', async () => {
    const view = { edgeSet: { SS: ['MEMBER-USER-a|role=LEAD', 'MEMBER-', 'rubbish', 'MEMBER-USER-b|role', '|x=1'] } };
    await table.store.put(item('GOAL-corrupt', '~view', view));
    expect((await reader.getViews(['GOAL-corrupt']))[0]?.edgeSet).toEqual([
      { type: 'MEMBER', target: 'USER-a', role: 'LEAD' },
    ]);
  });

  it('gives the same result where types left the set because it grew too big', async () => {
    const [whole] = await reader.getViews(['GOAL-1']);
    const { item: view } = await table.store.get({ source: 'GOAL-1', target: '~view' }, { consistent: true });
    const elements = (view!['edgeSet'] as { SS: string[] }).SS;
    const evictedView = {
      ...view,
      source: { S: 'GOAL-1' },
      evicted: { SS: ['MEMBER'] },
      edgeSet: { SS: elements.filter((element) => !element.startsWith('MEMBER-')) },
    };
    await table.store.put(evictedView);
    try {
      const { reader: counted, callsOf } = countingReader(graph, table.endpoint);
      for (const consistent of [false, true]) {
        const calls = await callsOf(async () => {
          expect((await counted.getViews(['GOAL-1'], { consistent }))[0]).toEqual(whole);
        });
        expect(calls).toEqual({ BatchGetItemCommand: 1, QueryCommand: 1 });
      }
    } finally {
      await table.store.put(view!);
    }
  });
});

describe('edges', () => {
  const MEMBERS = ['TEAM-constructor', 'USER-a', 'USER-b|%', 'USER-\uffff', 'USER-\u{1f600}'];

  it('gives the base edges of a type with all their attributes', async () => {
    const { items } = await reader.edges('GOAL-1', 'MEMBER');
    expect(items.map(({ target }) => target)).toEqual(MEMBERS);
    expect(items[1]).toEqual({
      source: 'GOAL-1',
      type: 'MEMBER',
      target: 'USER-a',
      attributes: { active: false, weight: 7 },
    });
    expect((await reader.edges('GOAL-1', 'WATCHER')).items).toEqual([
      { source: 'GOAL-1', type: 'WATCHER', target: 'USER-a', attributes: { since: '2020' } },
    ]);
    expect(await reader.edges('GOAL-2', 'MEMBER')).toEqual({ items: [] });
  });

  it('gives every type without the node itself, derived items and types outside the model, in one call', async () => {
    const { reader: counted, callsOf } = countingReader(graph, table.endpoint);
    const calls = await callsOf(async () => {
      const { items, cursor } = await counted.edges('GOAL-1', undefined, { limit: 7, consistent: true });
      expect(items.map(({ type, target }) => `${type} ${target}`)).toEqual([
        ...MEMBERS.map((target) => `MEMBER ${target}`),
        'NEXT GOAL-2',
        'WATCHER USER-a',
      ]);
      expect(cursor).toBeUndefined();
    });
    expect(calls['QueryCommand']).toBeLessThanOrEqual(2);
    expect(Object.keys(calls)).toEqual(['QueryCommand']);
  });

  it('pages through them with every page size', async () => {
    const whole = (await reader.edges('GOAL-1')).items;
    for (let limit = 1; limit <= whole.length + 1; limit++) {
      const pages = await allPages((cursor) => reader.edges('GOAL-1', undefined, { limit, cursor }));
      expect(pages.flat()).toEqual(whole);
      expect(pages).toHaveLength(Math.ceil(whole.length / limit));
    }
    const { cursor } = await reader.edges('GOAL-1', undefined, { limit: 1 });
    const invalid = expect.objectContaining({ code: 'invalid-cursor' });
    await expect(reader.edges('GOAL-1', 'MEMBER', { cursor })).rejects.toThrow(invalid);
    await expect(reader.edges('GOAL-2', undefined, { cursor })).rejects.toThrow(invalid);
  });

  it('goes on over the 1 MB at which DynamoDB ends a page, in a view whose edge type left the set, too', async () => {
    const targets = ['USER-1', 'USER-2', 'USER-3', 'USER-4'];
    for (const target of targets) {
      const large = { note: { S: 'x'.repeat(350_000) }, role: { S: 'LEAD' } };
      await table.store.put(item('TEAM-large', `MEMBER-${target}`, large));
    }
    const { items, cursor } = await reader.edges('TEAM-large', 'MEMBER', { limit: 4 });
    expect(items.map(({ target }) => target)).toEqual(targets);
    expect(cursor).toBeUndefined();
    await table.store.put(item('TEAM-large', '~view', { evicted: { SS: ['MEMBER'] } }));
    const [view] = await reader.getViews(['TEAM-large']);
    expect(view?.edgeSet).toEqual(targets.map((target) => ({ type: 'MEMBER', target, role: 'LEAD' })));
    expect(view?.truncated).toBeUndefined();
  });

  it('shows a hundred edges of a type that left the set, and says that there are more, where the last page has too many', async () => {
    const targets = Array.from({ length: 101 }, (_, i) => `USER-${1_000 + i}`);
    for (const [i, target] of targets.entries()) {
      const attributes = { role: { S: 'LEAD' }, ...(i < 3 && { note: { S: 'x'.repeat(350_000) } }) };
      await table.store.put(item('TEAM-over', `MEMBER-${target}`, attributes));
    }
    await table.store.put(item('TEAM-over', '~view', { evicted: { SS: ['MEMBER'] } }));
    const [view] = await reader.getViews(['TEAM-over']);
    expect(view?.edgeSet.map(({ target }) => target)).toEqual(targets.slice(0, 100));
    expect(view?.truncated).toEqual(['MEMBER']);
  });

  it('needs no projection', async () => {
    await table.store.put(item('GOAL-new', 'NEXT-GOAL-1'));
    expect(await reader.has('GOAL-new', 'NEXT', 'GOAL-1', { consistent: true })).toBe(true);
    expect((await reader.edges('GOAL-new', 'NEXT', { consistent: true })).items).toHaveLength(1);
    expect(await reader.getViews(['GOAL-new'], { consistent: true })).toEqual([null]);
  });
});

describe('has', () => {
  it('says whether an edge exists, in one call', async () => {
    const { reader: counted, callsOf } = countingReader(graph, table.endpoint);
    const calls = await callsOf(async () => {
      expect(await counted.has('GOAL-1', 'MEMBER', 'USER-a')).toBe(true);
    });
    expect(calls).toEqual({ GetItemCommand: 1 });
    expect(await reader.has('GOAL-1', 'MEMBER', 'USER-aa')).toBe(false);
    expect(await reader.has('GOAL-1', 'WATCHER', 'USER-b')).toBe(false);
  });

  it('refuses what the model does not declare', async () => {
    const refusals: [Promise<unknown>, string, string][] = [
      [reader.has('GOAL-1', 'FOLLOWS' as 'NEXT', 'USER-a' as string), 'unknown-type', 'MEMBER, WATCHER, NEXT'],
      [reader.has('USER-1' as string, 'NEXT', 'GOAL-1' as string), 'unknown-type', 'They leave GOAL.'],
      [reader.has('GOAL-1' as string, 'NEXT', 'USER-1' as string), 'unknown-type', 'They enter GOAL.'],
      [reader.has('GOAL-1' as string, 'NEXT', 'G1' as string), 'invalid-id', 'USER-U1'],
      [reader.edges('PLACE-1' as string), 'unknown-type', 'the node types GOAL, USER, TEAM'],
      [reader.edges('GOAL' as string), 'invalid-id', 'USER-U1'],
      [reader.edges('' as string), 'invalid-key', ''],
      [reader.edges('GOAL-1', 'GOAL' as 'NEXT'), 'unknown-type', 'the edge types MEMBER, WATCHER, NEXT'],
    ];
    for (const [read, code, hint] of refusals) {
      await expect(read).rejects.toThrow(expect.objectContaining({ code, hint: expect.stringContaining(hint) }));
    }
  });
});
