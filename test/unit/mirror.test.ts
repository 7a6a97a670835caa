import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createReader } from '../../src/client/read/reader.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { hashedEdgeKey } from '../../src/core/items/hashed-key.ts';
import { textOfKey } from '../../src/core/items/keys.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { GONE } from '../../src/core/model/gone.ts';
import { MIRROR } from '../../src/core/model/mirrored.ts';
import { edge, node, part } from '../../src/core/model/schema.ts';
import { mirrorHandler } from '../../src/deployment/lambda/mirror-handler.ts';
import { contributionsOf, liveMakers } from '../../src/mirror/contributions.ts';
import { type MappedItem, mappedEdge, mappedNode } from '../../src/mirror/items.ts';
import { mapped } from '../../src/mirror/mapped.ts';
import { createMirror } from '../../src/mirror/mirror.ts';
import { poisonedItems } from '../../src/mirror/poison.ts';
import { positionOf } from '../../src/mirror/position.ts';
import { mirrorStatus } from '../../src/mirror/progress.ts';
import { type SourceTable, sourceTable } from '../../src/mirror/source.ts';
import type { RawRecord } from '../../src/stream/raw-record.ts';
import { explain } from '../../src/trust/explain/explain.ts';
import { status } from '../../src/trust/explain/status.ts';
import { eraseSubject } from '../../src/trust/subject/erase-subject.ts';
import { HookedStore } from '../support/hooked-store.ts';
import { MemoryStore } from '../support/memory-store/memory-store.ts';

const graph = defineGraph({
  table: 'records',
  nodes: {
    USER: node({ view: 'ALL', fields: z.looseObject({ name: z.string().optional() }), parts: { STATE: part() } }),
    GOAL: node({ view: 'ALL' }),
  },
  edges: {
    KNOWS: edge({ from: 'USER', to: 'USER', keys: 'hashed' }),
    AIMS: edge({ from: 'USER', to: 'GOAL' }),
    HELPS: edge({ from: 'GOAL', to: 'USER', inbound: { orders: { gsi0: 'since' } } }),
  },
  mirrored: ['USER', 'KNOWS', 'AIMS'],
});

const LABEL = '2026-03-01T00:00:00.000';
const NOW = Date.parse('2026-03-01T12:00:00Z');

function sourceOf(map: (item: Record<string, unknown>) => readonly MappedItem[], version = 1): SourceTable {
  return sourceTable('app', { map, version });
}

const users = sourceOf(({ sk, name, knows }) => [
  mappedNode(`USER-${String(sk)}`, { name }),
  ...(knows === undefined ? [] : [mappedEdge(`USER-${String(sk)}`, 'KNOWS', `USER-${String(knows)}`)]),
]);

function image(sk: string, attributes: Item = {}): Item {
  return { pk: { S: 'user' }, sk: { S: sk }, ...attributes };
}

function record(number: number, before: Item | undefined, after: Item | undefined, atMs = NOW): RawRecord {
  const { pk, sk } = (after ?? before)!;
  return {
    eventName: before === undefined ? 'INSERT' : after === undefined ? 'REMOVE' : 'MODIFY',
    dynamodb: {
      Keys: { pk, sk },
      ...(before && { OldImage: before }),
      ...(after && { NewImage: after }),
      SequenceNumber: String(number),
      ApproximateCreationDateTime: atMs / 1000,
    },
  };
}

/** A mirror on a table in memory, with a source table of these items. */
function world(of: SourceTable = users, now = () => NOW) {
  const memory = new MemoryStore(graph.table);
  const items = new Map<string, Item>();
  const before: { call?: () => Promise<void> } = {};
  const store = Object.assign(
    new HookedStore(memory, async () => {
      const { call } = before;
      delete before.call;
      await call?.();
    }),
    { scan: memory.scan.bind(memory) },
  );
  const sourceStore = {
    get: async ({ sk }: Item) => items.get((sk as { S: string }).S),
    scan: async () => ({ items: [...items.values()] }),
  };
  const wait = async (): Promise<void> => undefined;
  const mirrorOf = (declared: SourceTable) => createMirror(graph, { source: declared, store, sourceStore, now, wait });
  const put = (item: Item): Item => {
    items.set((item['sk'] as { S: string }).S, item);
    return item;
  };
  const user = async (id: string) => (await memory.get({ source: id, target: id }, { consistent: true })).item;
  return { memory, store, items, before, put, user, mirror: mirrorOf(of), mirrorOf };
}

describe('what a mapping makes', () => {
  it('has the keys of the model, hashed where the type has hashed keys, and validated attributes', () => {
    const target = hashedEdgeKey('KNOWS', 'USER-2');
    const made = mapped(graph, users, image('1', { name: { S: 'Ann' }, knows: { S: '2' } }));
    expect([...made]).toEqual([
      [
        textOfKey({ source: 'USER-1', target: 'USER-1' }),
        { source: { S: 'USER-1' }, target: { S: 'USER-1' }, name: { S: 'Ann' } },
      ],
      [
        textOfKey({ source: 'USER-1', target }),
        { source: { S: 'USER-1' }, target: { S: target }, targetId: { S: 'USER-2' } },
      ],
    ]);
    expect(mapped(graph, users, undefined).size).toBe(0);
  });

  it.each<[string, (item: Record<string, unknown>) => readonly unknown[], RegExp]>([
    ['a type that the model lacks', () => [mappedNode('PLACE-1')], /PLACE/],
    ['a type that is not mirrored', () => [mappedNode('GOAL-1')], /mirrored/],
    ['an attribute that fields refuse', () => [mappedNode('USER-1', { name: 7 })], /name/],
    ['an attribute that DynamoDB refuses', () => [mappedNode('USER-1', { tags: new Set() })], /tags/],
    ['bookkeeping', () => [mappedNode('USER-1', { [MIRROR]: 1 })], /~mirror/],
    ['an expiry', () => [mappedNode('USER-1', { expiresAt: 1 })], /expiresAt/],
    ['a key twice', () => [mappedNode('USER-1'), mappedNode('USER-1')], /twice/],
    ['no item', () => ['USER-1'], /no item/],
    ['an edge between other types', () => [mappedEdge('USER-1', 'AIMS', 'USER-2')], /AIMS/],
  ])('is not %s', (_what, map, text) => {
    const wrong = () => mapped(graph, sourceOf(map as (item: object) => MappedItem[]), image('1'));
    expect(wrong).toThrow(text);
    expect(wrong).toThrow(expect.objectContaining({ code: 'invalid-mapping' }));
    expect(wrong).toThrow(/app\/\{"pk":\{"S":"user"\},"sk":\{"S":"1"\}\}/);
  });

  it('is an error that names the source item where the mapping throws, or gives no list', () => {
    const boom = sourceOf(() => {
      throw new Error('boom');
    });
    expect(() => mapped(graph, boom, image('1'))).toThrow(/"S":"1".*boom/);
    const none = sourceOf(() => 'USER-1' as never);
    expect(() => mapped(graph, none, image('1'))).toThrow(/gave/);
  });

  it('is declared with a name, a function and a version', () => {
    expect(() => sourceTable('a', { map: () => [] })).toThrow(/name/);
    expect(() => sourceTable('app', {} as never)).toThrow(/map/);
    expect(() => sourceTable('app', { map: () => [], version: 0 })).toThrow(/version/);
    expect(() =>
      defineGraph({ table: 'records', nodes: { A: node({ view: 'ALL' }) }, mirrored: ['B' as 'A'] }),
    ).toThrow(/mirrored: names "B"/);
  });
});

describe('a position', () => {
  it('compares as a text, by the stream first', () => {
    const later = [
      positionOf('2026-03-01T00:00:33', '99999'),
      positionOf('2026-03-01T00:00:33', '100000'),
      positionOf('2026-03-01T00:00:33.5', '1'),
      positionOf('2026-03-01T00:00:33.51', '1'),
    ];
    expect(['0', ...later].sort()).toEqual(['0', ...later]);
    expect(positionOf('9', '1') < positionOf('10', '1')).toBe(true);
  });
});

describe('records of a source table', () => {
  it('take one write for each item, and one where they come again, and no read', async () => {
    const { mirror, store, user } = world();
    const ann = image('1', { name: { S: 'Ann' } });
    await mirror.apply([], { streamLabel: LABEL });
    await mirror.apply([record(1, undefined, ann)], { streamLabel: LABEL });
    expect(store.log.slice(3)).toEqual(['change USER-1 USER-1']);
    expect(await user('USER-1')).toMatchObject({ name: { S: 'Ann' } });
    const seen = await user('USER-1');
    await mirror.apply([record(1, undefined, ann)], { streamLabel: LABEL });
    expect(store.log.slice(4)).toEqual(['change USER-1 USER-1']);
    expect(await user('USER-1')).toEqual(seen);
  });

  it('leave a tombstone that expires in two days, and a later record takes its place', async () => {
    const { mirror, user } = world();
    const ann = image('1', { name: { S: 'Ann' } });
    await mirror.apply([record(2, ann, undefined)], { streamLabel: LABEL });
    expect(await user('USER-1')).toMatchObject({
      [GONE]: { BOOL: true },
      expiresAt: { N: String(NOW / 1000 + 48 * 3600) },
    });
    await mirror.apply([record(1, undefined, ann)], { streamLabel: LABEL });
    expect(await user('USER-1')).toHaveProperty([GONE]);
    await mirror.apply([record(10, undefined, ann)], { streamLabel: LABEL });
    expect(await user('USER-1')).not.toHaveProperty('expiresAt');
    expect(await user('USER-1')).not.toHaveProperty([GONE]);
  });

  it('of two source items with one key keep both, and the other takes over when the shown one goes', async () => {
    const shared = sourceOf(({ sk }) => [mappedNode('USER-1', { name: String(sk) })]);
    const { mirror, user } = world(shared);
    await mirror.apply([record(1, undefined, image('b')), record(2, undefined, image('a'))], { streamLabel: LABEL });
    const both = contributionsOf(graph, await user('USER-1'))!;
    expect(liveMakers(both)).toHaveLength(2);
    const shown = both.shown.includes('"a"') ? 'a' : 'b';
    expect(await user('USER-1')).toMatchObject({ name: { S: shown } });
    await mirror.apply([record(3, image(shown), undefined)], { streamLabel: LABEL });
    expect(await user('USER-1')).toMatchObject({ name: { S: shown === 'a' ? 'b' : 'a' } });
  });

  it('are given back from the first that a call refuses for now', async () => {
    const { mirror, memory } = world();
    const throttled = memory.change.bind(memory);
    const { StoreError } = await import('../../src/foundation/errors.ts');
    memory.change = async (change) => {
      if (change.key.source === 'USER-2') throw new StoreError('retryable', 'ThrottlingException', 'Throttled.');
      return throttled(change);
    };
    const records = ['1', '2', '3'].map((id, i) => record(i + 1, undefined, image(id)));
    expect(await mirror.apply(records, { streamLabel: LABEL })).toMatchObject({ failedFrom: '2' });
    expect(await mirror.apply(records, { streamLabel: LABEL, remainingMs: () => 0 })).toMatchObject({
      failedFrom: '1',
    });
    memory.change = async () => {
      throw new StoreError('fatal', 'AccessDeniedException', 'No.');
    };
    await expect(mirror.apply(records, { streamLabel: LABEL })).rejects.toThrow('No.');
  });

  it('need both images, and the keys that the source declares', async () => {
    const { mirror } = world();
    const one = record(1, undefined, image('1'));
    const without: RawRecord = { ...one, eventName: 'MODIFY' };
    await expect(mirror.apply([without], { streamLabel: LABEL })).rejects.toMatchObject({ code: 'missing-images' });
    const other: RawRecord = { dynamodb: { ...one.dynamodb, Keys: { id: { S: '1' } }, NewImage: { id: { S: '1' } } } };
    await expect(mirror.apply([other], { streamLabel: LABEL })).rejects.toThrow(/key attribute pk/);
  });

  it('that the mapping does not take are noted by the key of the source item, and undone when it takes it again', async () => {
    const picky = sourceOf((item) => {
      if (item['bad'] !== undefined) throw new Error('bad');
      return [mappedNode(`USER-${String(item['name'])}`)];
    });
    const { mirror, store, user, put } = world(picky);
    const [one, bad, two] = [
      image('1', { name: { S: 'one' } }),
      image('1', { bad: { S: 'x' } }),
      image('1', { name: { S: 'two' } }),
    ];
    await mirror.apply([record(1, undefined, one)], { streamLabel: LABEL });
    await mirror.apply([record(2, one, bad)], { streamLabel: LABEL });
    const entries = async () => {
      const found = [];
      for await (const entry of poisonedItems(store, picky)) found.push(entry);
      return found;
    };
    expect(await entries()).toMatchObject([
      {
        maker: 'app/{"pk":{"S":"user"},"sk":{"S":"1"}}',
        code: 'invalid-mapping',
        reason: expect.stringContaining('bad'),
      },
    ]);
    expect(await user('USER-one')).not.toHaveProperty([GONE]);
    put(bad);
    expect(await mirror.reconcile()).toMatchObject({ poisoned: 2 });
    // The source item itself decides, and not a record that came again.
    await mirror.apply([record(3, bad, two)], { streamLabel: LABEL });
    expect(await entries()).toHaveLength(1);
    put(two);
    await mirror.apply([record(3, bad, two)], { streamLabel: LABEL });
    expect(await entries()).toEqual([]);
    expect(await user('USER-one')).toHaveProperty([GONE]);
    expect(await user('USER-two')).not.toHaveProperty([GONE]);
    await mirror.apply([record(2, one, bad)], { streamLabel: LABEL });
    expect(await entries()).toEqual([]);
  });

  it('of one batch count by their number, not by their place in it', async () => {
    const { mirror, user } = world();
    const [ann, bob] = [image('1', { name: { S: 'Ann' } }), image('1', { name: { S: 'Bob' }, knows: { S: '2' } })];
    const [first, second] = [record(1, undefined, ann), record(2, ann, bob)];
    await mirror.apply([first, second, first], { streamLabel: LABEL });
    expect(await user('USER-1')).toMatchObject({ name: { S: 'Bob' } });
    const gone = world();
    await gone.mirror.apply([first, record(3, ann, undefined), first], { streamLabel: LABEL });
    expect(await gone.user('USER-1')).toHaveProperty([GONE]);
  });

  it('that come again in one batch neither begin nor end a quarantine', async () => {
    const picky = sourceOf(({ bad, name }) => {
      if (bad !== undefined) throw new Error('bad');
      return [mappedNode(`USER-${String(name)}`)];
    });
    const [one, two] = ['one', 'two'].map((name) => image('1', { name: { S: name } })) as [Item, Item];
    const bad = image('1', { bad: { S: 'x' } });
    const noted = async (records: RawRecord[], last: Item): Promise<number> => {
      const { mirror, store, put } = world(picky);
      put(last);
      await mirror.apply(records, { streamLabel: LABEL });
      let count = 0;
      for await (const _ of poisonedItems(store, picky)) count += 1;
      return count;
    };
    const [first, second, third] = [record(1, undefined, one), record(2, one, bad), record(3, bad, two)];
    expect(await noted([first, second, first], bad)).toBe(1);
    expect(await noted([first, second, third, second], two)).toBe(0);
    const { mirror, user, put } = world(picky);
    put(two);
    await mirror.apply([first, second, third, second], { streamLabel: LABEL });
    expect(await user('USER-one')).toHaveProperty([GONE]);
    expect(await user('USER-two')).not.toHaveProperty([GONE]);
  });

  it('with binary keys name the source item, whether they bring bytes or base64 text', async () => {
    const bytes = Uint8Array.of(1, 2, 250);
    const made = sourceOf(({ sk }) => [mappedNode(`USER-${Buffer.from(sk as Uint8Array).toString('hex')}`)]);
    const { mirror, user } = world(made);
    const asText = image('1', { sk: { B: Buffer.from(bytes).toString('base64') as unknown as Uint8Array } });
    const makers = async () => [...contributionsOf(graph, await user('USER-0102fa'))!.byMaker.keys()];
    await mirror.apply([record(1, undefined, asText)], { streamLabel: LABEL });
    expect(await makers()).toEqual(['app/{"pk":{"S":"user"},"sk":{"B":"AQL6"}}']);
    await mirror.apply([record(2, undefined, image('1', { sk: { B: bytes } }))], { streamLabel: LABEL });
    expect(await makers()).toHaveLength(1);
  });

  it('from before another mapping began are settled by the source item', async () => {
    const { mirror, mirrorOf, user, put } = world();
    const [ann, bob] = [image('1', { name: { S: 'Ann' } }), image('1', { name: { S: 'Bob' } })];
    await mirror.apply([record(1, undefined, ann)], { streamLabel: LABEL });
    put(bob);
    const next = mirrorOf({ ...users, version: 2 });
    await next.apply([record(2, undefined, ann, NOW - 60_000)], { streamLabel: LABEL });
    expect(await user('USER-1')).toMatchObject({ name: { S: 'Bob' } });
    await next.apply([record(3, undefined, ann, NOW + 2 * 3_600_000)], { streamLabel: LABEL });
    expect(await user('USER-1')).toMatchObject({ name: { S: 'Ann' } });
  });
});

describe('walks', () => {
  it('put what is absent, or of an older version, and keep the position', async () => {
    const { mirror, mirrorOf, put, user } = world();
    put(image('2'));
    const ann = put(image('1', { name: { S: 'Ann' } }));
    await mirror.apply([record(7, undefined, ann)], { streamLabel: LABEL });
    expect(await mirror.snapshot()).toEqual({ items: 2, written: 1, poisoned: 0 });
    expect(await mirror.snapshot()).toEqual({ items: 2, written: 0, poisoned: 0 });
    expect(await mirrorOf({ ...users, version: 2 }).snapshot()).toMatchObject({ written: 2 });
    const [entry] = [...contributionsOf(graph, await user('USER-1'))!.byMaker.values()];
    expect(entry).toMatchObject({ version: 2, position: positionOf(LABEL, '7') });
  });

  it('read the source item again where the base item has changed meanwhile', async () => {
    const { mirror, before, put, user, memory } = world();
    const [ann, bob] = [image('1', { name: { S: 'Ann' } }), image('1', { name: { S: 'Bob' } })];
    put(ann);
    await mirror.snapshot();
    await mirror.apply([record(1, undefined, image('1'))], { streamLabel: LABEL });
    // Between the reads of the walk and its write the source item changes, and its record is applied.
    const change = memory.change.bind(memory);
    memory.change = async (given) => {
      memory.change = change;
      put(bob);
      await mirror.apply([record(2, ann, bob)], { streamLabel: LABEL });
      return change(given);
    };
    await mirror.reconcile();
    expect(before).toEqual({});
    expect(await user('USER-1')).toMatchObject({ name: { S: 'Bob' } });
  });

  describe('that the mapping does not take', () => {
    const picky = (version: number) =>
      sourceOf((item) => {
        if (item['bad'] !== undefined) throw new Error('bad');
        return [mappedNode(`USER-${String(item['name'])}`)];
      }, version);
    const [good, bad] = [image('1', { name: { S: 'one' } }), image('1', { bad: { S: 'x' } })];
    const USER_ONE = textOfKey({ source: 'USER-one', target: 'USER-one' });
    const poisonedOf = async ({ store }: ReturnType<typeof world>) => {
      const found = [];
      for await (const entry of poisonedItems(store, picky(1))) found.push(entry);
      return found;
    };

    it('and that are mended in one batch are not noted by a late process', async () => {
      const of = world(picky(1));
      of.put(good);
      await of.mirror.apply([record(1, undefined, bad), record(2, bad, good)], { streamLabel: LABEL });
      await of.mirror.apply([record(1, undefined, bad)], { streamLabel: LABEL });
      expect(await poisonedOf(of)).toEqual([]);
    });

    it('are not noted by a walk where the source item is mended meanwhile', async () => {
      const of = world(picky(1));
      await of.mirror.apply([record(1, undefined, good)], { streamLabel: LABEL });
      of.put(bad);
      of.before.call = async () => {
        of.put(good);
      };
      await of.mirror.sweep();
      expect(await poisonedOf(of)).toEqual([]);
    });

    it.each(['snapshot', 'reconcile'] as const)(
      'are visited again by a %s where they are mended meanwhile',
      async (walk) => {
        const of = world(picky(1));
        await of.mirror.apply([record(1, undefined, image('1', { name: { S: 'old' } }))], { streamLabel: LABEL });
        of.put(bad);
        const get = of.memory.get.bind(of.memory);
        of.memory.get = async (...given) => {
          // The entry of the quarantine is read before the source item is asked again.
          if (given[0].target.startsWith('mirror-poison/')) of.put(good);
          return get(...given);
        };
        await of.mirror[walk]();
        expect(await poisonedOf(of)).toEqual([]);
        expect(await of.user('USER-one')).toMatchObject({ source: { S: 'USER-one' } });
        if (walk === 'reconcile') expect(await of.user('USER-old')).toHaveProperty([GONE]);
      },
    );

    it('are not noted if they are from before the mapping began', async () => {
      const of = world(picky(2));
      of.put(good);
      await of.mirror.apply([record(1, undefined, bad)], { streamLabel: LABEL });
      expect(await poisonedOf(of)).toEqual([]);
    });

    it('are reported by a check, which notes nothing without repair', async () => {
      const of = world(picky(1));
      of.put(good);
      await of.mirror.snapshot();
      of.put(bad);
      expect((await of.mirror.check()).poisoned).toMatchObject([{ code: 'invalid-mapping', keys: [USER_ONE] }]);
      expect(await poisonedOf(of)).toEqual([]);
      expect((await of.mirror.check({ repair: true })).poisoned).toHaveLength(1);
      expect(await poisonedOf(of)).toMatchObject([{ keys: [USER_ONE] }]);
      expect((await of.mirror.check()).poisoned).toMatchObject([{ keys: [USER_ONE] }]);
    });

    it('are noted no more after a check with repair that finds them mended', async () => {
      const of = world(picky(1));
      await of.mirror.apply([record(1, undefined, bad)], { streamLabel: LABEL });
      of.put(good);
      expect((await of.mirror.check({ repair: true })).poisoned).toEqual([]);
      expect(await poisonedOf(of)).toEqual([]);
    });

    it('stay noted where an old record mended an earlier image', async () => {
      const of = world(picky(1));
      of.put(bad);
      await of.mirror.apply([record(1, undefined, bad)], { streamLabel: LABEL });
      await of.mirror.apply([record(2, bad, good)], { streamLabel: LABEL });
      expect(await poisonedOf(of)).toHaveLength(1);
    });
  });

  it('from before the first version that is known say nothing, unless that is version 1', async () => {
    const of = world();
    await of.mirrorOf({ ...users, version: 2 }).apply([record(1, undefined, image('1'))], { streamLabel: LABEL });
    expect(await of.user('USER-1')).toHaveProperty([GONE]);
  });

  it('end with the signal', async () => {
    const { mirror, put } = world();
    put(image('1'));
    const signal = AbortSignal.abort(new Error('enough'));
    for (const walk of [mirror.snapshot, mirror.sweep, mirror.reconcile])
      await expect(walk({ signal })).rejects.toThrow('enough');
  });

  it('repair an item that differs for two source items in one check', async () => {
    const of = world(sourceOf(({ name }) => [mappedNode('USER-1', { name })]));
    of.put(image('1', { name: { S: 'one' } }));
    await of.mirror.snapshot();
    of.items.clear();
    of.put(image('2', { name: { S: 'two' } }));
    expect((await of.mirror.check({ repair: true })).differences.map(({ repaired }) => repaired)).toEqual([true, true]);
    expect(await of.user('USER-1')).toMatchObject({ name: { S: 'two' } });
    expect(await of.mirror.check()).toMatchObject({ differences: [], pending: 0 });
  });

  it('report base items of a mirrored type that no source item has made, and leave them', async () => {
    const { mirror, memory, put, user } = world();
    put(image('1'));
    for (const id of ['USER-1', 'USER-9', 'GOAL-1']) await memory.put({ source: { S: id }, target: { S: id } });
    const found = async (repair: boolean) =>
      (await mirror.check({ repair })).differences.map(({ source: of, kind, maker, repaired }) =>
        [of, kind, maker === '', repaired].join(' '),
      );
    expect(await found(false)).toEqual(['USER-9 stray true false', 'USER-1 missing false false']);
    expect((await mirror.check({ processed: async () => false })).pending).toBe(2);
    expect(await found(true)).toEqual(['USER-9 stray true false', 'USER-1 missing false true']);
    await mirror.reconcile();
    expect(await user('USER-9')).not.toHaveProperty([GONE]);
    expect(await found(false)).toEqual(['USER-9 stray true false']);
  });

  it('check both ways, name conflicts, and repair', async () => {
    const { mirror, put, items, memory, user } = world();
    for (const id of ['1', '2', '3']) put(image(id, { name: { S: id } }));
    await mirror.snapshot();
    expect(await mirror.check()).toMatchObject({ differences: [], pending: 0, conflicts: [], poisoned: [] });
    items.delete('1');
    await memory.delete({ source: 'USER-2', target: 'USER-2' });
    await memory.put({ ...(await user('USER-3'))!, name: { S: 'damaged' } });
    const found = async (repair: boolean) =>
      (await mirror.check({ repair })).differences.map(({ source: of, kind }) => `${of} ${kind}`).sort();
    expect(await found(false)).toEqual(['USER-1 stray', 'USER-2 missing', 'USER-3 different']);
    expect((await mirror.check({ processed: async () => false })).pending).toBe(3);
    expect(await found(true)).toHaveLength(3);
    expect(await found(false)).toEqual([]);
    const shared = sourceOf(() => [mappedNode('USER-9')]);
    const other = world(shared);
    for (const id of ['1', '2']) other.put(image(id));
    await other.mirror.snapshot();
    expect((await other.mirror.check()).conflicts).toMatchObject([
      { source: 'USER-9', makers: [expect.stringContaining('"1"'), expect.stringContaining('"2"')] },
    ]);
  });
});

describe('a look at thousands of conflicts', () => {
  const count = 1_005;

  /** Each base item is made by two source items; `bad` ones are not taken. */
  async function crowded() {
    const shared = sourceOf(({ sk, bad }) => {
      if (bad) throw new Error('bad');
      return [mappedNode(`USER-${String(sk).slice(1)}`)];
    });
    const made = world(shared);
    for (let i = 0; i < count; i++) for (const of of ['a', 'b']) made.put(image(`${of}${i}`));
    for (let i = 0; i < 25; i++) made.put(image(`c${i}`, { bad: { BOOL: true } }));
    await made.mirror.snapshot();
    return made;
  }

  it('reads a thousand of them, many at once, and status names a few and the count', async () => {
    const { memory } = await crowded();
    const { conflicts, problems } = await status(graph, { store: memory });
    expect(conflicts).toHaveLength(1_000);
    const about = problems.filter((problem) => /made by/.test(problem));
    expect(about).toHaveLength(6);
    expect(about.at(-1)).toMatch(/^At least 1,?000 base items are made by several source items/);
    let asked = 0;
    let meet = (): void => undefined;
    const met = new Promise<void>((resolve) => {
      meet = resolve;
    });
    const store = new HookedStore(memory, async ({ method }) => {
      if (method !== 'get') return;
      asked += 1;
      // Each waits for ten others: one after the other they would never end.
      if (asked === 10) meet();
      await met;
    });
    await mirrorStatus(graph, store, { prunes: store });
    expect(asked).toBe(1_000);
  });

  it('has a watch look at the streams first, and log the first and the counts', async () => {
    const { store } = await crowded();
    const lines: [object, string][] = [];
    const log = (details: object, message: string) => void lines.push([details, message]);
    const logger = { debug: log, info: log, warn: log, error: log, child: () => logger };
    const arn = 'arn:aws:dynamodb:eu-central-1:123456789012:table/app/stream/1';
    const openSource = () => ({ get: async () => undefined, scan: async () => ({ items: [] }) });
    const handler = mirrorHandler(graph, { sources: [users], streamArns: [arn], store, openSource, logger });
    await handler({ watch: true }, { awsRequestId: 'r', getRemainingTimeInMillis: () => 60_000 });
    expect(lines[0]).toEqual([{ reads: arn, has: null }, 'the stack does not read the stream of the source']);
    const messages = lines.map(([, message]) => message);
    expect(messages.filter((message) => message === 'not taken by the mapping')).toHaveLength(20);
    expect(messages.filter((message) => message === 'several source items make it')).toHaveLength(20);
    expect(lines.at(-1)![0]).toEqual({ poisoned: 25, conflicts: 1_000, hasMoreConflicts: true });
  });
});

describe('a mirrored type', () => {
  it('is refused by every way to write, and shown without its bookkeeping', async () => {
    const { mirror, memory, put } = world();
    put(image('1', { name: { S: 'Ann' }, knows: { S: '2' } }));
    await mirror.snapshot();
    const writer = createWriter(graph, { store: memory });
    const refused = { code: 'mirrored-type' };
    await expect(writer.putNode('USER-1', {})).rejects.toMatchObject(refused);
    await expect(writer.updateNode('USER-1', { set: { name: 'Bob' } })).rejects.toMatchObject(refused);
    await expect(writer.deleteNode('USER-1')).rejects.toMatchObject(refused);
    await expect(writer.deleteNodeWithEdges('USER-1')).rejects.toMatchObject(refused);
    await expect(writer.putPart('USER-1', 'STATE', {})).rejects.toMatchObject(refused);
    await expect(writer.putEdge('USER-1', 'KNOWS', 'USER-2')).rejects.toMatchObject(refused);
    await expect(writer.deleteEdge('USER-1', 'AIMS', 'GOAL-1')).rejects.toMatchObject(refused);
    await expect(writer.transact((all) => void all.putNode('USER-1', {}))).rejects.toThrow(/mirrored/);
    await expect(writer.batch((all) => void all.deleteEdge('USER-1', 'AIMS', 'GOAL-1'))).rejects.toThrow(/mirrored/);
    await writer.putNode('GOAL-1', {});
    await writer.putEdge('GOAL-1', 'HELPS', 'USER-1', { since: '2026' });
    await expect(writer.putNode('GOAL-1', { [MIRROR]: 1 })).rejects.toThrow(/bookkeeping/);
    const reader = createReader(graph, { store: memory });
    expect(await reader.getNode('USER-1')).toEqual({ id: 'USER-1', attributes: { name: 'Ann' } });
    expect(await reader.getEdge('USER-1', 'KNOWS', 'USER-2')).toMatchObject({ attributes: {} });
    await eraseSubject(graph, { store: memory, id: 'USER-1', now: () => NOW, segments: 1 });
    expect(await reader.getNode('USER-1')).not.toBeNull();
  });

  it('is explained by its source items', async () => {
    const shared = sourceOf(() => [mappedNode('USER-1')]);
    const { mirror, memory, put } = world(shared);
    put(image('1'));
    await mirror.snapshot();
    await mirror.apply([record(5, undefined, image('2'))], { streamLabel: LABEL });
    const { notes } = await explain(graph, { key: { source: 'USER-1', target: 'USER-1' }, store: memory });
    expect(notes.join(' ')).toMatch(/"sk":\{"S":"1"\}\} makes it, by a snapshot/);
    expect(notes.join(' ')).toMatch(/"sk":\{"S":"2"\}\} makes it too, by the record .*5 and version 1/);
    expect(notes.join(' ')).toContain('in conflict');
  });
});
