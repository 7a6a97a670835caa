import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { HISTORY_ROUTES, type HistoryAnswer } from '../../packages/studio/api/history.ts';
import { differencesOf, isCompared } from '../../packages/studio/base/differences.ts';
import { Flow, type HeadRecord } from '../../packages/studio/base/flow.ts';
import {
  itemsAfterEach,
  type JudgedMoment,
  momentAt,
  stretchesOf,
  versionsOf,
} from '../../packages/studio/base/history.ts';
import { SeenChanges } from '../../packages/studio/base/seen-changes.ts';
import { Timeline } from '../../packages/studio/base/timeline.ts';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { defineGraph, edge, node } from '../../src/index.ts';
import { createProjector } from '../../src/projecting/apply/projector.ts';
import { encodeRegistry, type Generation } from '../../src/registry/registry.ts';
import { LABEL } from '../support/records.ts';
import { ScriptedStream } from '../support/scripted-stream.ts';
import { StreamedStore } from '../support/streamed-store.ts';

const base = (seconds: number, isEqual: boolean): JudgedMoment => ({ atMs: 1_000 * seconds, isBase: true, isEqual });
const derived = (seconds: number, isEqual: boolean): JudgedMoment => ({ ...base(seconds, isEqual), isBase: false });
const statesOf = (moments: JudgedMoment[], isApplied: boolean, wasEqual = false) =>
  stretchesOf(moments, { isApplied, wasEqual }).map(({ state, fromMs, untilMs }) => [state, fromMs, untilMs]);

describe('the stretches of a node', () => {
  it('are lag between a base write and the projection of it', () => {
    const moments = [base(1, false), derived(2, false), derived(4, true), base(9, true)];
    expect(stretchesOf(moments, { isApplied: true, wasEqual: false })).toEqual([
      { state: 'lag', first: 0, last: 1, fromMs: 1_000, untilMs: 4_000 },
      { state: 'equal', first: 2, last: 3, fromMs: 4_000, untilMs: null },
    ]);
  });

  it('are drift where a difference lasts and all records are applied, and lag as long as one may be on its way', () => {
    const moments = [derived(1, true), base(2, false)];
    expect(statesOf(moments, true).at(-1)).toEqual(['drift', 2_000, null]);
    expect(statesOf(moments, false).at(-1)).toEqual(['lag', 2_000, null]);
  });

  it('are drift where a write of a derived item began the difference, also when it was repaired', () => {
    expect(statesOf([derived(1, true), derived(2, false), derived(9, true)], true)[1]).toEqual(['drift', 2_000, 9_000]);
    // The other half of a transaction comes within the second.
    expect(statesOf([derived(1, true), derived(2, false), derived(3, true)], true)[1]).toEqual(['lag', 2_000, 3_000]);
    // Before the first moment a base item may have been written, unless nothing differed then.
    expect(statesOf([derived(2, false), derived(9, true)], true)[0]).toEqual(['lag', 2_000, 9_000]);
    expect(statesOf([derived(2, false), derived(9, true)], true, true)[0]).toEqual(['drift', 2_000, 9_000]);
  });

  it('share out all moments, and say equal of those that are', () => {
    const moment = fc.record({ after: fc.nat({ max: 3 }), isBase: fc.boolean(), isEqual: fc.boolean() });
    fc.assert(
      fc.property(fc.array(moment), fc.boolean(), (drawn, isApplied) => {
        let atMs = 0;
        const moments = drawn.map(({ after, ...rest }) => {
          atMs += 1_000 * after;
          return { atMs, ...rest };
        });
        const stretches = stretchesOf(moments, { isApplied, wasEqual: false });
        const covered = stretches.flatMap(({ first, last, state }) =>
          moments.slice(first, last + 1).map(({ isEqual }, i) => [first + i, isEqual, state === 'equal']),
        );
        expect(covered).toEqual(moments.map(({ isEqual }, i) => [i, isEqual, isEqual]));
        for (const [i, { untilMs }] of stretches.entries()) expect(untilMs).toBe(stretches[i + 1]?.fromMs ?? null);
        for (const { state } of isApplied ? [] : stretches.slice(-1)) expect(state).not.toBe('drift');
      }),
    );
  });
});

describe('the moment that an address names', () => {
  const moments = [
    { atMs: 1_000, rev: 'a' },
    { atMs: 1_000, rev: 'b' },
    { atMs: 3_000, rev: 'c' },
  ];
  it.each([
    [{ at: 3_000, rev: 'a' }, 0],
    [{ at: 1_500, rev: undefined }, 1],
    [{ at: 9_000, rev: 'gone' }, 2],
    [{ at: 999, rev: undefined }, -1],
    [{ at: undefined, rev: undefined }, undefined],
  ])('%o is %s', (named, expected) => {
    expect(momentAt(moments, named)).toBe(expected);
  });
});

it('says of items what they were: of those that changed by their records, of the others by how they are', () => {
  const image = (text: string): Item => ({ text: { S: text } });
  const [one, two, kept] = [image('one'), image('two'), image('kept')];
  const present = new Map([
    ['KEPT', kept],
    ['NEW', two],
  ]);
  const after = itemsAfterEach(present, [
    { target: 'NEW', newImage: two },
    { target: 'OLD', oldImage: one, newImage: two },
    { target: 'OLD', oldImage: two },
  ]);
  expect(after.map((items) => Object.fromEntries(items))).toEqual([
    { KEPT: kept, NEW: two, OLD: one },
    { KEPT: kept, NEW: two, OLD: two },
    { KEPT: kept, NEW: two },
  ]);
  expect(versionsOf(after)).toEqual([
    { target: 'KEPT', image: kept, first: 0, last: 2 },
    { target: 'OLD', image: one, first: 0, last: 0 },
    { target: 'NEW', image: two, first: 0, last: 2 },
    { target: 'OLD', image: two, first: 1, last: 1 },
  ]);
  const [here, gone] = [new Map([['ONE', one]]), new Map()];
  expect(versionsOf([here, gone, here]).map(({ first, last }) => [first, last])).toEqual([
    [0, 0],
    [2, 2],
  ]);
});

it('begins anew after records that were not read, and follows the order of the stream', () => {
  const changes = new SeenChanges();
  const add = (sequence: number, source = 'USER-1'): void =>
    changes.add({ source, target: source, sequenceNumber: `${sequence}`, stream: LABEL, atMs: sequence });
  add(1);
  changes.noteGap();
  for (const sequence of [4, 3, 5]) add(sequence);
  add(6, 'USER-2');
  const { changes: own, hasGap } = changes.ofPartition('USER-1');
  expect(own.map(({ sequenceNumber }) => sequenceNumber)).toEqual(['3', '4', '5']);
  expect(hasGap).toBe(true);
  expect(changes.ofPartition('USER-2').hasGap).toBe(false);
});

describe('the changes of the stream', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  const MINUTE_MS = 60_000;
  const graph = defineGraph({ table: 'records', nodes: { USER: node({}) }, edges: {} });

  async function followed() {
    vi.useFakeTimers({ toFake: ['performance'] });
    const stream = new ScriptedStream(new StreamedStore(graph));
    const flow = new Flow(graph, async () => stream);
    stream.open('a');
    const write = async (shardId: string, name: string): Promise<void> => {
      await stream.put(shardId, { source: { S: 'USER-1' }, target: { S: 'USER-1' }, name: { S: name } });
    };
    const lookAfter = async (ms: number) => {
      vi.advanceTimersByTime(ms);
      await flow.look();
      const { changes, hasGap } = flow.changes.ofPartition('USER-1');
      return { names: changes.map(({ newImage }) => (newImage!['name'] as { S: string }).S), hasGap };
    };
    await write('a', 'one');
    expect(await lookAfter(0)).toEqual({ names: ['one'], hasGap: false });
    return { stream, write, lookAfter };
  }

  it('are those of all shards that came and went between two looks, in order', async () => {
    const { stream, write, lookAfter } = await followed();
    await write('a', 'two');
    for (const [shardId, parent] of [
      ['b', 'a'],
      ['c', 'b'],
      ['d', 'c'],
    ] as const) {
      stream.close(parent);
      stream.open(shardId, parent);
      await write(shardId, shardId);
    }
    expect(await lookAfter(MINUTE_MS)).toEqual({ names: ['one', 'two', 'b', 'c', 'd'], hasGap: false });
  });

  it('begin anew where records were lost, a shard has gone, or nobody looked for as long as a stream keeps them', async () => {
    const trimmed = await followed();
    await trimmed.write('a', 'lost');
    await trimmed.write('a', 'new');
    trimmed.stream.trim('a', 2);
    expect(await trimmed.lookAfter(MINUTE_MS)).toEqual({ names: ['new'], hasGap: true });

    const gone = await followed();
    gone.stream.vanish('a');
    gone.stream.open('z', 'y');
    await gone.write('z', 'new');
    expect(await gone.lookAfter(MINUTE_MS)).toEqual({ names: ['new'], hasGap: true });

    const late = await followed();
    await late.write('a', 'new');
    expect(await late.lookAfter(24 * 60 * MINUTE_MS)).toEqual({ names: ['new'], hasGap: true });
  });
});

it('says nothing of what another model expected', async () => {
  const graph = defineGraph({ table: 'records', nodes: { USER: node({ view: ['name'] }) }, edges: {} });
  const store = new StreamedStore(graph);
  const changes = new SeenChanges();
  for (const [sequence, name] of [
    [1, 'Ada'],
    [2, 'Bea'],
    [3, 'Cleo'],
  ] as const) {
    const { sequenceNumber, stream, ...record } = (await store.producer('USER-1', 'USER-1', { name: { S: name } }))!;
    changes.add({ ...record, sequenceNumber: sequenceNumber!, stream, atMs: 1_000 * sequence });
  }
  const headOf = (version: number, states: Generation['state'][]): HeadRecord => {
    const generations = states.map((state, i) => ({ id: i + 1, definition: `d${i}`, state, changed: version }));
    const projections = new Map([['search:USER.name', { next: 2, generations }]]);
    return { text: encodeRegistry({ version, projections, shapes: new Map() }), atMs: 1_000 * version };
  };
  const flow = {
    ...{ changes, hasStream: true, look: async () => undefined },
    registryHeads: [headOf(1, ['kept']), headOf(3, ['ready'])],
  };
  const context = { graph, store, flow, timeline: new Timeline(), position: { find: async () => undefined } };
  const { moments, unknown } = (await HISTORY_ROUTES[0]!.answer(context as never, { id: 'USER-1' })) as HistoryAnswer;
  expect(moments.map(({ atMs }) => atMs)).toEqual([3_000]);
  expect(unknown).toBe('the model was another one');
});

it('compares what was expected with what was stored, part by part, at any moment', async () => {
  const graph = defineGraph({
    table: 'records',
    nodes: { USER: node({ view: ['name'], search: { name: {} } }), GOAL: node({}) },
    edges: {
      LIKES: edge({ from: 'USER', to: 'GOAL', edgeSet: [], copy: ['title'], inbound: { orders: { byDate: 'date' } } }),
    },
  });
  const store = new StreamedStore(graph);
  await store.producer('USER-1', 'USER-1', { name: { S: 'Ada' } });
  await store.producer('USER-1', 'LIKES-GOAL-1', { date: { S: '2026' } });
  const itemsNow = (source = 'USER-1') => {
    const items = [...store.items()] as (Item & { source: { S: string }; target: { S: string } })[];
    return new Map(items.filter((item) => item.source.S === source).map((item) => [item.target.S, item as Item]));
  };
  const before = await differencesOf(graph, 'USER-1', itemsNow());
  expect(before.map(({ target, part, stored }) => [target, part, stored])).toEqual(
    expect.arrayContaining([
      ['~view', 'attributes', null],
      ['~view', 'element LIKES-GOAL-1', null],
      ['~ix/name', 'index item', null],
    ]),
  );
  await createProjector(graph, { store }).project(store.records);
  expect(await differencesOf(graph, 'USER-1', itemsNow())).toEqual([]);
  const items = itemsNow();
  items.delete('~ix/name');
  const [missing, ...others] = await differencesOf(graph, 'USER-1', items);
  expect(missing).toMatchObject({ target: '~ix/name', part: 'index item', stored: null });
  expect(missing!.expected).toContain('Ada');
  expect(others).toEqual([]);
  // The item in the partition of an edge's target is the edge's.
  const [[target, image]] = [...itemsNow('GOAL-1')] as [[string, Item]];
  expect(target).toBe('~rev/LIKES-USER-1');
  expect(isCompared(graph, 'GOAL-1', target, image)).toBe(false);
  expect(isCompared(graph, 'USER-1', '~ix/name', itemsNow().get('~ix/name')!)).toBe(true);
});
