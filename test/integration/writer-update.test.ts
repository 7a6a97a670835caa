import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { InvalidBatchError } from '../../src/client/write/batch.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { ExactNumber } from '../../src/core/items/plain.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, rank, sum } from '../../src/core/model/schema.ts';
import type { Store } from '../../src/core/store-port.ts';
import { StoreError } from '../../src/foundation/errors.ts';
import { withReplacedCalls } from '../../src/store/wrapped.ts';
import { throughCalls } from '../support/calls.ts';
import { uniqueTableName } from '../support/table.ts';
import { openWriter, racingWriter } from '../support/writer.ts';

function model() {
  return defineGraph({
    table: uniqueTableName(),
    nodes: {
      TASK: node({ view: 'ALL', maxEntries: { tags: 3 } }),
      GOAL: node({
        view: 'ALL',
        fields: z.object({
          title: z.string().min(1),
          points: z.number().max(10).optional(),
          tags: z.set(z.string()).optional(),
        }),
      }),
      DOC: node({ view: 'ALL', versionAttribute: 'v' }),
      NOTE: node({ view: ['title'], deletedWhen: 'gone', expires: 'expiresAt', search: { title: 'title' } }),
    },
    edges: {
      MEMBER: edge({
        from: 'GOAL',
        to: 'TASK',
        edgeSet: ['role'],
        inbound: { orders: { gsi0: rank('role', { LEAD: 2, GUEST: 1 }) } },
      }),
      LINK: edge({ from: 'TASK', to: 'TASK', keys: 'hashed' }),
      WORK: edge({
        ...{ from: 'TASK', to: 'TASK', edgeSet: false, deletedWhen: 'gone', expires: 'expiresAt' },
        inbound: { total: { hours: sum('hours') } },
        outgoing: { groupBy: ['kind'] },
      }),
    },
  });
}

async function open() {
  const table = await openWriter(model());
  const rawItems = async () => (await table.store.scan({ segment: 0, segments: 1, consistent: true })).items;
  return { ...table, rawItems };
}

describe('updateNode with named changes', () => {
  it.each([
    ['TASK-1', { add: { text: 1 } }, 'attribute text is a string in the stored item, so that no number can be added'],
    ['TASK-1', { add: { nothing: 1 } }, 'attribute nothing is null in the stored item'],
    [
      'TASK-1',
      { addTo: { list: ['a'] } },
      'attribute list is a list in the stored item, so that no elements of a string set',
    ],
    ['TASK-1', { addTo: { tags: ['a'] } }, 'attribute tags is a list in the stored item'],
    [
      'TASK-1',
      { deleteFrom: { text: [1] } },
      'attribute text is a string in the stored item, so that no elements of a number',
    ],
    ['GOAL-1', { add: { points: 1 } }, 'attribute points is a string in the stored item'],
    ['DOC-1', { set: { a: 1 } }, 'attribute v is its version and should be a whole number, but is a string'],
    ['DOC-2', { set: { a: 1 } }, 'attribute v is its version and should be a whole number, but is null'],
  ] as const)('names a stored value of another type than %s with %j needs', async (id, change, message) => {
    const { writer, store, rawItems } = await open();
    const of = (one: string) => ({ source: { S: one }, target: { S: one } });
    await store.put({ ...of('TASK-1'), text: { S: 'x' }, nothing: { NULL: true }, list: { L: [] }, tags: { L: [] } });
    await store.put({ ...of('GOAL-1'), title: { S: 'x' }, points: { S: '1' } });
    await store.put({ ...of('DOC-1'), v: { S: 'one' } });
    await store.put({ ...of('DOC-2'), v: { NULL: true } });
    const before = await rawItems();
    const wrong = { code: 'invalid-attribute', message: expect.stringContaining(`Node "${id}": ${message}`) };
    const updates = [
      () => writer.updateNode(id, change as never),
      () => writer.updateNode(id, change as never, { idempotent: true }),
      () => writer.transact((transaction) => transaction.updateNode(id, change as never)),
    ];
    for (const [i, update] of updates.entries()) {
      const error = (await update().catch((thrown: unknown) => thrown)) as InvalidBatchError;
      const [first = { error, position: undefined }] = error.problems ?? [];
      expect(first.position).toBe(i < 2 ? undefined : 1);
      expect(first.error).toMatchObject(wrong);
      expect(first.error.hint).not.toBe('');
    }
    expect(await rawItems()).toEqual(before);
  });

  const MOST = 999_999_999_999_999;
  it.each([
    [{ expiresAt: 3600 }, {}, 'a time before 2017'],
    [{ expiresAt: 0.5 }, { expiresAt: 4e9 }, 'a whole number of seconds since 1970, but'],
    [{ expiresAt: 1e15 }, { expiresAt: 4e9 }, 'a whole number of seconds since 1970, but'],
    [{ expiresAt: 96e9 }, { expiresAt: 4e9 }, 'but is 100000000000, as if in milliseconds'],
    [{ expiresAt: -3e9 }, { expiresAt: 4e9 }, 'but is 1000000000, a time before 2017'],
    [{ expiresAt: 1 }, { expiresAt: 'never' }, 'is a string in the stored item'],
    [{ hours: 1e-13 }, {}, 'at most 15 digits before the point and 12 behind it, but'],
    [{ hours: 1e15 }, {}, 'at most 15 digits before the point'],
    [{ hours: 10n ** 17n }, { hours: 1 }, 'at most 15 digits before the point'],
    [{ hours: 1 }, { hours: MOST }, 'at most 15 digits before the point and 12 behind it, but is 1000000000000000'],
    [{ kind: -1 }, { kind: -MOST }, 'at most 15 digits before the point and 12 behind it, but is -1000000000000000'],
    [{ hours: 1 }, { hours: 'x' }, 'is a string in the stored item'],
  ])('refuses to add %o to %o, which leaves what the model accepts', async (add, attributes, message) => {
    const { graph, store, rawItems } = await open();
    // Another producer may write texts.
    const texts = Object.entries({ n: 1, ...attributes }).map(([name, value]) => [
      name,
      typeof value === 'string' ? { S: value } : { N: String(value) },
    ]);
    await store.put({ source: { S: 'TASK-1' }, target: { S: 'WORK-TASK-2' }, ...Object.fromEntries(texts) });
    const before = await rawItems();
    const writer = createWriter(graph, { store });
    const edge = ['TASK-1', 'WORK', 'TASK-2'] as const;
    const updates = [
      () => writer.updateEdge(...edge, { add } as never),
      () => writer.updateEdge(...edge, { add } as never, { upsert: true }),
      () => writer.updateEdge(...edge, { add } as never, { idempotent: true, if: { n: 1 } }),
      ...[{}, { upsert: true }].map((options) => () => {
        return writer.transact((each) => {
          each.putNode('TASK-1', {});
          each.updateEdge(...edge, { add } as never, options);
        });
      }),
    ];
    for (const [i, update] of updates.entries()) {
      const error = (await update().catch((thrown: unknown) => thrown)) as InvalidBatchError;
      const [first = { error, position: undefined }] = error.problems ?? [];
      expect(first.position).toBe(i < 3 ? undefined : 2);
      expect(first.error).toMatchObject({ code: 'invalid-attribute', message: expect.stringContaining(message) });
      expect(first.error.message).toContain(`Edge "TASK-1" "WORK-TASK-2": attribute ${Object.keys(add)[0]}`);
    }
    expect(await rawItems()).toEqual(before);
    const other = writer.updateEdge(...edge, { add: { hours: 1 } }, { if: { n: 2 } });
    await expect(other).rejects.toMatchObject({ code: 'condition-failed' });
  });

  it('adds within what the model accepts, with one call', async () => {
    const { graph, store } = await open();
    const calls: string[] = [];
    const noted = throughCalls(store, async (method, _parameters, call) => {
      calls.push(method);
      return await call();
    });
    const writer = createWriter(graph, { store: noted });
    const add = (amounts: object, options = {}) =>
      writer.updateEdge('TASK-1', 'WORK', 'TASK-2', { add: amounts } as never, options);
    await add({ hours: MOST, kind: new ExactNumber('1e-12'), expiresAt: 4e9 }, { upsert: true });
    await add({ hours: -MOST, kind: MOST, expiresAt: 95_999_999_999 });
    const { attributes } = await add({ hours: -MOST, kind: -1, expiresAt: -98_499_999_999 }, { ifPresent: true });
    expect(attributes).toEqual({
      hours: -MOST,
      kind: new ExactNumber('999999999999998.000000000001'),
      expiresAt: 1_500_000_000,
    });
    expect(calls).toEqual(['change', 'change', 'change']);
  });

  it('refuses to add to an attribute that the model needs as a text', async () => {
    const { writer, rawItems } = await open();
    await writer.putNode('NOTE-1');
    const before = await rawItems();
    await expect(writer.updateNode('NOTE-1', { add: { title: 1 } })).rejects.toMatchObject({
      code: 'invalid-attribute',
      message: expect.stringContaining('attribute title, needed for'),
    });
    expect(await rawItems()).toEqual(before);
  });

  const HALF = { text: 'x'.repeat(300_000), n: 10n ** 38n - 1n, most: 9n * 10n ** 125n };
  it.each([
    [
      'item-too-large',
      { set: { more: 'x'.repeat(200_000) } },
      /has 50\d{4} bytes, most of them in attribute "text"; .*400 KB/,
    ],
    [
      'item-too-large',
      { addTo: { more: ['x'.repeat(200_000)] } },
      /has 50\d{4} bytes, most of them in attribute "text"/,
    ],
    ['invalid-attribute', { add: { n: 0.1 } }, /: attribute n has more than 38 significant digits/],
    ['invalid-attribute', { add: { most: HALF.most } }, /: attribute most is outside DynamoDB's range/],
  ])('refuses as %s what only the stored item makes too large: %#', async (code, change, message) => {
    const { writer, rawItems } = await open();
    await writer.putNode('TASK-1', HALF);
    const before = await rawItems();
    const next = { ...HALF, ...('set' in change && change.set) };
    const updates = [
      () => writer.updateNode('TASK-1', change as never),
      () => writer.updateNode('TASK-1', change as never, { idempotent: true }),
      () => writer.transact((transaction) => transaction.updateNode('TASK-1', change as never)),
      ...('set' in change ? [() => writer.updateNode('TASK-1', () => next)] : []),
    ];
    for (const update of updates) {
      await expect(update()).rejects.toMatchObject({ code, message: expect.stringContaining('Node "TASK-1"') });
      await expect(update()).rejects.toThrow(message);
    }
    expect(await rawItems()).toEqual(before);
  });

  it('changes what it names and keeps the rest, in one call without a read', async () => {
    const { writer, read, graph, store } = await open();
    await writer.putNode('TASK-1', {
      a: 1,
      b: 'keep',
      gone: true,
      tags: new Set(['x', 'y']),
      n: new ExactNumber('1.5'),
    });
    const calls: string[] = [];
    const noted = throughCalls(store, async (method, _parameters, call) => {
      calls.push(method);
      return await call();
    });
    const counting = createWriter(graph, { store: noted });
    const { attributes, capacity } = await counting.updateNode(
      'TASK-1',
      {
        set: { a: 2, fresh: [1, 'x'] },
        remove: ['gone'],
        add: { n: -3, count: 12345678901234567890n },
        addTo: { words: ['a'] },
        deleteFrom: { tags: ['y', 'z'] },
      },
      { capacity: true },
    );
    expect(calls).toEqual(['change']);
    expect({ wcu: capacity!.wcu >= 1, rcu: capacity!.rcu }).toEqual({ wcu: true, rcu: 0 });
    expect(attributes).toEqual({
      ...{ a: 2, b: 'keep', fresh: [1, 'x'], tags: new Set(['x']), n: -1.5, words: new Set(['a']) },
      count: new ExactNumber('12345678901234567890'),
    });
    expect(await read('TASK-1')).toMatchObject({ n: { N: '-1.5' }, count: { N: '12345678901234567890' } });
  });

  it('is refused for an absent node, and makes it with upsert', async () => {
    const { writer, read } = await open();
    await expect(writer.updateNode('TASK-1', { set: { a: 1 } })).rejects.toMatchObject({ code: 'not-found' });
    await expect(writer.updateNode('TASK-1', (task) => ({ ...task, a: 1 }))).rejects.toMatchObject({
      code: 'not-found',
    });
    expect(await read('TASK-1')).toBeUndefined();
    await writer.updateNode('TASK-1', { add: { a: 1 } }, { upsert: true });
    await writer.updateNode('TASK-2', () => ({ b: 1 }), { upsert: true });
    expect([await read('TASK-1'), await read('TASK-2')]).toEqual([{ a: { N: '1' } }, { b: { N: '1' } }]);
  });

  it.each<[string, object, string]>([
    ['a key', { set: { source: 'x' } }, 'invalid-attribute'],
    ['an attribute that is named twice', { set: { a: 1 }, remove: ['a'] }, 'invalid-attribute'],
    ['a part that updates do not have', { put: { a: 1 } }, 'invalid-argument'],
    ['a text to add', { add: { a: '1' } }, 'invalid-attribute'],
    ['an empty set of elements', { addTo: { a: [] } }, 'invalid-attribute'],
    ['a value that DynamoDB cannot hold', { set: { a: new Date() } }, 'invalid-attribute'],
    ['more entries than the model allows', { set: { tags: new Set(['1', '2', '3', '4']) } }, 'too-many-entries'],
  ])('refuses %s', async (_, change, code) => {
    const { writer, read } = await open();
    await writer.putNode('TASK-1', { a: 1 });
    await expect(writer.updateNode('TASK-1', change as never)).rejects.toMatchObject({ name: 'EdgeloomError', code });
    expect(await read('TASK-1')).toEqual({ a: { N: '1' } });
  });

  it('reads the node where it adds to a set whose entries the model limits', async () => {
    const { writer } = await open();
    await writer.putNode('TASK-1', { tags: new Set(['a', 'b']) });
    const change = { addTo: { tags: ['b', 'c'] } };
    const { attributes, capacity } = await writer.updateNode('TASK-1', change, { capacity: true });
    expect(attributes).toEqual({ tags: new Set(['a', 'b', 'c']) });
    expect(capacity!.rcu).toBe(1);
    const more = writer.updateNode('TASK-1', { addTo: { tags: ['d'] } });
    await expect(more).rejects.toMatchObject({ code: 'too-many-entries' });
  });

  it('refuses an attribute that the fields drop, with the name that was probably meant', async () => {
    const { writer, read, store, graph } = await open();
    await writer.putNode('GOAL-1', { title: 'Run' });
    const refusal = {
      code: 'invalid-attribute',
      message: 'Node "GOAL-1": attribute titel is dropped by the fields of its type.',
      hint: 'Did you mean title? The fields have title, points, tags.',
    };
    const set = { titel: 'Walk' } as object;
    await expect(writer.updateNode('GOAL-1', { set })).rejects.toMatchObject(refusal);
    await expect(writer.updateNode('GOAL-1', (goal) => ({ ...goal, ...set }))).rejects.toMatchObject(refusal);
    const transaction = writer.transact((each) => each.updateNode('GOAL-1', { set }));
    await expect(transaction).rejects.toMatchObject({ code: 'invalid-attribute', hint: refusal.hint });
    const add = { point: 1 } as object as { points: number };
    await expect(writer.updateNode('GOAL-1', { add })).rejects.toThrow('attribute point is dropped');
    // Another producer's attribute would have been removed.
    await store.put({
      ...(await store.get({ source: 'GOAL-1', target: 'GOAL-1' }, { consistent: true })).item!,
      note: { S: 'kept' },
    });
    await expect(writer.updateNode('GOAL-1', { set: { note: 'new' } as object })).rejects.toThrow('note is dropped');
    expect(await read('GOAL-1')).toEqual({ title: { S: 'Run' }, note: { S: 'kept' } });
    await writer.updateNode('GOAL-1', { remove: ['note'] as never });
    // What is added to the items of all types is for those that know it.
    const stamping = createWriter(graph, { store, onWrite: () => ({ updatedAt: 1 }) });
    await stamping.updateNode('GOAL-1', { set: { title: 'Go' } });
    await stamping.updateNode('GOAL-1', (goal) => ({ ...goal, points: 2 }));
    expect(await read('GOAL-1')).toEqual({ title: { S: 'Go' }, points: { N: '2' } });
  });

  it('validates the whole result where the type declares fields', async () => {
    const { writer, read, store } = await open();
    await writer.putNode('GOAL-1', { title: 'Run', points: 8 });
    await expect(writer.updateNode('GOAL-1', { add: { points: 3 } })).rejects.toMatchObject({
      code: 'invalid-attribute',
      message: expect.stringContaining('points'),
    });
    await expect(writer.updateNode('GOAL-1', { remove: ['title' as never] })).rejects.toMatchObject({
      code: 'invalid-attribute',
    });
    // Another producer keeps an attribute that the fields do not know: it stays.
    const { item } = await store.get({ source: 'GOAL-1', target: 'GOAL-1' }, { consistent: true });
    await store.put({ ...item!, legacy: { S: 'x' } });
    const change = { add: { points: 2 }, addTo: { tags: ['t'] } };
    const { attributes, capacity } = await writer.updateNode('GOAL-1', change, { capacity: true });
    expect({ attributes, rcu: capacity!.rcu }).toEqual({
      attributes: { title: 'Run', points: 10, tags: new Set(['t']), legacy: 'x' },
      rcu: 1,
    });
    expect(await read('GOAL-1')).toMatchObject({ legacy: { S: 'x' }, points: { N: '10' } });
  });
});

describe('updateNode with a function', () => {
  it('takes a frozen result, whose numbers the validator takes in another form', async () => {
    const { writer, read } = await open();
    await writer.putNode('GOAL-1', { title: 'Run' });
    const update = (more: object) =>
      writer.updateNode('GOAL-1', (attributes) => Object.freeze({ ...attributes, points: 5n as never, ...more }));
    await expect(update({ goal: 'x' })).rejects.toMatchObject({ code: 'invalid-attribute' });
    await update({});
    expect(await read('GOAL-1')).toEqual({ title: { S: 'Run' }, points: { N: '5' } });
  });

  it('writes only what differs', async () => {
    const { writer, graph, store } = await open();
    await writer.putNode('TASK-1', { a: 1, b: { deep: [1] }, c: 'x' });
    const changes: unknown[] = [];
    const watched = createWriter(graph, {
      store: withReplacedCalls(store, {
        change: (change) => {
          changes.push(change);
          return store.change(change);
        },
      }),
    });
    await watched.updateNode('TASK-1', ({ a, c: _c, ...rest }) => ({ ...rest, a: (a as number) + 1 }));
    expect(changes).toMatchObject([{ changes: { set: { a: { N: '2' } }, remove: ['c'] } }]);
    await watched.updateNode('TASK-1', (task) => task);
    expect(changes).toHaveLength(1);
  });

  it('depends only on what it looks at', async () => {
    const { writer, ...table } = await open();
    await writer.putNode('TASK-1', { a: 1, other: 1 });
    const racing = racingWriter(table, () => writer.updateNode('TASK-1', { add: { other: 1 } }));
    let runs = 0;
    await racing.updateNode('TASK-1', (task) => {
      runs += 1;
      const next = { a: (task['a'] as number) + 1, other: 1 };
      return next;
    });
    // What the function wrote back unseen differs by now, but it did not change it: the other writer's stays.
    expect(runs).toBe(1);
    const { attributes } = await writer.updateNode('TASK-1', {});
    expect(attributes).toEqual({ a: 2, other: 2 });
  });

  it.each([
    ['a sum', 'edge', { hours: 2 }],
    ['a group', 'edge', { kind: 'x' }],
    ['deletedWhen', 'edge', { gone: false }],
    ['expires', 'edge', { expiresAt: 9_999_999_999 }],
    ['deletedWhen', 'node', { gone: false }],
    ['expires', 'node', { expiresAt: 9_999_999_999 }],
    ['a view', 'node', { title: 'x' }],
  ])('depends on the absence of the attribute of %s where it looks at all of an %s', async (_, kind, added) => {
    const { writer, ...table } = await open();
    const update = ({ updateNode, updateEdge }: typeof writer, change: Parameters<typeof updateNode>[1]) =>
      kind === 'node' ? updateNode('NOTE-1', change) : updateEdge('TASK-1', 'WORK', 'TASK-2', change);
    await writer.putNode('NOTE-1', { a: 1 });
    await writer.putEdge('TASK-1', 'WORK', 'TASK-2', { a: 1 });
    const racing = racingWriter(table, () => update(writer, { set: added }));
    const seen: object[] = [];
    const { attributes } = await update(racing, (item) => {
      seen.push({ ...item });
      return { ...item, a: 2 };
    });
    expect(seen).toEqual([{ a: 1 }, { a: 1, ...added }]);
    expect(attributes).toEqual({ a: 2, ...added });
  });

  it('gives up where others never let it through', async () => {
    const { writer, ...table } = await open();
    await writer.putNode('TASK-1', { count: 1 });
    const racing = racingWriter(table, () => writer.updateNode('TASK-1', { add: { count: 1 } }));
    let nowMs = 0;
    // A second for each look at the clock.
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 1_000));
    const update = racing.updateNode('TASK-1', (task) => ({ ...task, count: 0 }));
    await expect(update).rejects.toMatchObject({ code: 'too-much-contention' });
    clock.mockRestore();
  });

  it('lets each of many function updates of one item at once through', async () => {
    const { graph, store, writer } = await open();
    await writer.putNode('TASK-1', { count: 0 });
    // Each attempt of all that are left waits for the others, so that one of them succeeds.
    let waiting: (() => void)[] = [];
    let left = 20;
    const release = (): void => {
      if (waiting.length < left) return;
      for (const go of waiting) go();
      waiting = [];
    };
    const together = withReplacedCalls(store, {
      change: async (change) => {
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          release();
        });
        const result = await store.change(change);
        if (result.applied) left -= 1;
        release();
        return result;
      },
    });
    const writers = createWriter(graph, { store: together, wait: async () => undefined });
    const updates = Array.from({ length: 20 }, () =>
      writers.updateNode('TASK-1', (task) => ({ ...task, count: Number(task['count']) + 1 })),
    );
    await Promise.all(updates);
    expect((await writer.updateNode('TASK-1', {})).attributes).toEqual({ count: 20 });
  });

  it('refuses to depend on more than 150 attributes, and takes them by name', async () => {
    const { writer } = await open();
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`a${i}`, i]));
    await writer.putNode('TASK-1', many);
    const spread = writer.updateNode('TASK-1', (task) => ({ ...task, a0: 5 }));
    await expect(spread).rejects.toMatchObject({
      code: 'too-many-attributes',
      message: expect.stringContaining('151'),
    });
    const { a149: _, ...fits } = many;
    await writer.putNode('TASK-1', fits);
    const { attributes } = await writer.updateNode('TASK-1', (task) => ({ ...task, a0: 5 }));
    expect(attributes['a0']).toBe(5);
    await writer.putNode('TASK-1', many);
    expect((await writer.updateNode('TASK-1', { set: { a0: 7 } })).attributes['a0']).toBe(7);
  });

  it('refuses a function that changes what it was given, or gives nothing', async () => {
    const { writer } = await open();
    await writer.putNode('TASK-1', { a: 1 });
    const mutating = writer.updateNode('TASK-1', (task) => {
      task['a'] = 2;
      return task;
    });
    await expect(mutating).rejects.toMatchObject({ code: 'invalid-argument' });
    const nothing = writer.updateNode('TASK-1', (() => undefined) as never);
    await expect(nothing).rejects.toMatchObject({ code: 'invalid-argument' });
  });
});

describe('updateEdge', () => {
  it('changes attributes of an edge, checked against the orders of its type', async () => {
    const { writer, read } = await open();
    await writer.putEdge('GOAL-1', 'MEMBER', 'TASK-1', { role: 'GUEST', note: 'x' });
    await writer.updateEdge('GOAL-1', 'MEMBER', 'TASK-1', { set: { role: 'LEAD' } });
    expect(await read('GOAL-1', 'MEMBER-TASK-1')).toEqual({ role: { S: 'LEAD' }, note: { S: 'x' } });
    const wrong = writer.updateEdge('GOAL-1', 'MEMBER', 'TASK-1', { set: { role: 'BOSS' } });
    await expect(wrong).rejects.toMatchObject({ code: 'invalid-attribute' });
  });

  it('keeps the target of a hashed key in the item that it makes, and out of what it gives', async () => {
    const { writer, projectAll } = await open();
    const made = await writer.updateEdge('TASK-1', 'LINK', 'TASK-2', { set: { n: 1 } }, { upsert: true });
    const next = await writer.updateEdge('TASK-1', 'LINK', 'TASK-2', (link) => ({ n: (link['n'] as number) + 1 }));
    expect([made.attributes, next.attributes]).toEqual([{ n: 1 }, { n: 2 }]);
    const refused = writer.updateEdge('TASK-1', 'LINK', 'TASK-2', { set: { targetId: 'TASK-3' } });
    await expect(refused).rejects.toMatchObject({ code: 'invalid-attribute' });
    expect((await projectAll()).quarantined).toBe(0);
  });
});

describe('a lost answer', () => {
  /** A store whose next changes are made, and whose answers are lost. */
  async function losing(losses: number) {
    const table = await open();
    let left = losses;
    const lose = async <T>(call: () => Promise<T>): Promise<T> => {
      const result = await call();
      left -= 1;
      if (left >= 0) throw new StoreError('retryable', 'TimeoutError', 'DynamoDB did not answer in time.');
      return result;
    };
    const { store, graph } = table;
    const lossy = createWriter(graph, {
      wait: async () => undefined,
      store: withReplacedCalls(store, {
        change: (change) => lose(() => store.change(change)),
        changeAll: (changes, token) => lose(() => store.changeAll(changes, token)),
      }),
    });
    await table.writer.putNode('TASK-1', { count: 1 });
    return { ...table, lossy };
  }

  it('of an update is the error outcome-unknown, and adds once', async () => {
    const { lossy, read } = await losing(2);
    const refused = { code: 'outcome-unknown' };
    await expect(lossy.updateNode('TASK-1', { add: { count: 1 } })).rejects.toMatchObject(refused);
    expect(await read('TASK-1')).toEqual({ count: { N: '2' } });
    const increment = lossy.updateNode('TASK-1', ({ count }) => ({ count: (count as number) + 1 }));
    await expect(increment).rejects.toMatchObject(refused);
    expect(await read('TASK-1')).toEqual({ count: { N: '3' } });
  });

  it('is asked for again with once, and adds once', async () => {
    const { lossy, read } = await losing(3);
    const asked = { idempotent: true, capacity: true };
    const { attributes, capacity } = await lossy.updateNode('TASK-1', { add: { count: 1 } }, asked);
    expect(attributes).toEqual({ count: 2 });
    // The consistent read of the item after the transaction.
    expect(capacity!.rcu).toBe(1);
    const increment = ({ count }: Record<string, unknown>) => ({ count: (count as number) + 1 });
    expect((await lossy.updateNode('TASK-1', increment, asked)).capacity!.rcu).toBe(2);
    expect(await read('TASK-1')).toEqual({ count: { N: '3' } });
  });

  it('is none where another call with the token was in progress, and has made the transaction', async () => {
    const { store, graph, writer } = await open();
    await writer.putNode('GOAL-1', { title: 'Old' });
    const answers = ['TransactionInProgressException', 'IdempotentParameterMismatchException'];
    const changeAll = async () => {
      const code = answers.shift()!;
      throw new StoreError(code.startsWith('Transaction') ? 'retryable' : 'terminal', code, 'planned');
    };
    const later = createWriter(graph, {
      store: withReplacedCalls(store, { changeAll }),
      wait: async () => undefined,
    });
    // Validated as a whole, so the content of the call depends on what is stored.
    await later.transact((t) => t.updateNode('GOAL-1', { set: { title: 'New' } }), { idempotencyToken: 'token-1' });
    expect(answers).toEqual([]);
  });

  it('of the read after the change with once is asked for again, and never says that nothing was changed', async () => {
    const table = await losing(0);
    for (const kind of ['retryable', 'fatal'] as const) {
      let failures = 0;
      let most = 2;
      const get: Store['get'] = async (key, options) => {
        if (failures++ < most) throw new StoreError(kind, 'planned', 'No read now.');
        return await table.store.get(key, options);
      };
      const writer = createWriter(table.graph, {
        store: withReplacedCalls(table.store, { get }),
        wait: async () => undefined,
      });
      const before = Number((await table.read('TASK-1'))?.['count']?.['N' as never]);
      const add = () => writer.updateNode('TASK-1', { add: { count: 1 } }, { idempotent: true });
      if (kind === 'retryable') expect((await add()).attributes).toEqual({ count: before + 1 });
      most = Number.POSITIVE_INFINITY;
      const made = before + (kind === 'retryable' ? 2 : 1);
      await expect(add()).rejects.toMatchObject({
        code: 'outcome-unknown',
        message: expect.stringContaining('the change was made'),
      });
      expect(await table.read('TASK-1')).toEqual({ count: { N: String(made) } });
    }
  });

  it('of a transaction is asked for again under its token', async () => {
    const { lossy, read } = await losing(3);
    await lossy.transact((transaction) => transaction.updateNode('TASK-1', { add: { count: 1 } }));
    expect(await read('TASK-1')).toEqual({ count: { N: '2' } });
  });
});
