import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createReader } from '../../src/client/read/reader.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { hashedEdgeKey } from '../../src/core/items/hashed-key.ts';
import { textOfKey } from '../../src/core/items/keys.ts';
import { ExactNumber } from '../../src/core/items/plain.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { GONE } from '../../src/core/model/gone.ts';
import { MIRROR } from '../../src/core/model/mirrored.ts';
import { edge, node, part } from '../../src/core/model/schema.ts';
import { mirrorHandler } from '../../src/deployment/lambda/mirror-handler.ts';
import { StoreError } from '../../src/foundation/errors.ts';
import { accessOf } from '../../src/sources/access.ts';
import { createSources } from '../../src/sources/create-sources.ts';
import { type MappedItem, mappedEdge, mappedNode } from '../../src/sources/items.ts';
import { mapped } from '../../src/sources/mapped.ts';
import {
  type DefineSourceOptions,
  defineSource,
  keyTextOf,
  keyTextOfItem,
  type Source,
  type SourceItem,
  type SourceKey,
  sourceTable,
  type TableSource,
} from '../../src/sources/source.ts';
import { sourcesStatus } from '../../src/sources/status.ts';
import type { SyncProgress } from '../../src/sources/sync.ts';
import { classifyError } from '../../src/store/classify.ts';
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

const START = Date.parse('2026-03-01T12:00:00Z');
const MINUTE = 60_000;

type Map_ = (item: SourceItem) => readonly MappedItem[];

const users: Map_ = ({ id, name, knows }) => [
  mappedNode(`USER-${id}`, { name }),
  ...(knows === undefined ? [] : [mappedEdge(`USER-${id}`, 'KNOWS', `USER-${knows}`)]),
];

/** A database of others, our table, and a clock that waits move. */
function world(table = new MemoryStore(graph.table)) {
  const rows = new Map<string, SourceItem>();
  const clock = { ms: START };
  const hook: { before?: (call: { method: string; target: string }) => void | Promise<void> } = {};
  const store = new HookedStore(table, async ({ method, keys }) => {
    const target = keys[0]?.split(' ').at(-1) ?? '';
    await hook.before?.({ method, target });
  });
  const source = (name: string, map: Map_, version: string | number = 1): Source =>
    defineSource(name, {
      map,
      version,
      read: (key) => rows.get(key),
      keys: (after = '') => [...rows.keys()].sort().filter((key) => key > after),
    });
  const open = (...sources: Source[]) =>
    createSources(graph, {
      sources,
      store,
      now: () => clock.ms,
      wait: async (milliseconds) => {
        clock.ms += milliseconds;
      },
      random: () => 0.5,
    });
  const user = async (id: string) => (await table.get({ source: id, target: id }, { consistent: true })).item;
  const shown = async (): Promise<string[]> => {
    const { items } = await table.scan({ segment: 0, segments: 1 });
    return items
      .filter((item) => !('S' in item['source']! && item['source'].S.startsWith('~')) && item[GONE] === undefined)
      .map((item) => `${Object.values(item['source']!)[0]} ${Object.values(item['target']!)[0]}`)
      .sort();
  };
  return { table, rows, clock, hook, store, source, open, user, shown };
}

const nodes = (...ids: string[]): string[] => ids.map((id) => `USER-${id} USER-${id}`).sort();

describe('what a mapping makes', () => {
  const fail = (reason: unknown): never => {
    throw reason;
  };
  const unreadable = Object.defineProperty({ ...mappedNode('USER-1') }, 'name', {
    ...{ enumerable: true, get: () => fail(new TypeError('no name')) },
  });
  const of = (map: Map_) => defineSource('app', { map, read: () => undefined });

  it('has the keys of the model, hashed where the type has hashed keys, and validated attributes', () => {
    const target = hashedEdgeKey('KNOWS', 'USER-2');
    expect([...mapped(graph, of(users), '1', { id: '1', name: 'Ann', knows: '2' })]).toEqual([
      [textOfKey({ source: 'USER-1', target: 'USER-1' }), { name: { S: 'Ann' } }],
      [textOfKey({ source: 'USER-1', target }), { targetId: { S: 'USER-2' } }],
    ]);
    expect(mapped(graph, of(users), '1', undefined).size).toBe(0);
  });

  it.each<[string, (item: SourceItem) => readonly unknown[], RegExp]>([
    ['a type that the model lacks', () => [mappedNode('PLACE-1')], /PLACE/],
    ['a type that is not mirrored', () => [mappedNode('GOAL-1')], /mirrored/],
    ['an attribute that fields refuse', () => [mappedNode('USER-1', { name: 7 })], /name/],
    ['an attribute that DynamoDB refuses', () => [mappedNode('USER-1', { tags: new Set() })], /tags/],
    ['bookkeeping', () => [mappedNode('USER-1', { [MIRROR]: 1 })], /~mirror/],
    ['an expiry', () => [mappedNode('USER-1', { expiresAt: 1 })], /expiresAt/],
    ['a key twice', () => [mappedNode('USER-1'), mappedNode('USER-1')], /twice/],
    ['no item', () => ['USER-1'], /not an item/],
    ['an edge between other types', () => [mappedEdge('USER-1', 'AIMS', 'USER-2')], /AIMS/],
    ['no list', () => 'USER-1' as never, /gave/],
    ['what it throws for', () => fail(new Error('boom')), /boom/],
    ['what has no text', () => fail(Object.create(null)), /threw: an object/],
    ['what it throws null for', () => fail(null), /threw: null/],
    ['an attribute that throws', () => [unreadable], /no name/],
    ['a key', () => [mappedNode('USER-1', { source: 'USER-2', target: 'USER-2' })], /source .*is a key/],
  ])('is not %s', (_what, map, text) => {
    const wrong = () => mapped(graph, of(map as Map_), 'k1', {});
    expect(wrong).toThrow(text);
    expect(wrong).toThrow(expect.objectContaining({ code: 'invalid-mapping' }));
    expect(wrong).toThrow(/app\/k1/);
  });
});

describe('a source', () => {
  it('is declared with a name, a function and a version', () => {
    const map = () => [];
    expect(() => sourceTable('a', { map })).toThrow(/"a" has a name that is not allowed/);
    expect(() => sourceTable('', { map })).toThrow(/has no name/);
    expect(() => sourceTable('app', {} as never)).toThrow(/map/);
    expect(() => sourceTable('app', { map, version: '' })).toThrow(/version/);
    expect(() => sourceTable('app', { map, version: Number.NaN })).toThrow(/version/);
    expect(() => sourceTable('app', { map, keys: { partitionKey: '' } })).toThrow(/key attributes/);
    expect(() => defineSource('app', { map } as never)).toThrow(/read/);
    expect(() => defineSource('app', { map, read: () => undefined, table: 'x' } as never)).toThrow(/table/);
    expect(() =>
      defineGraph({ table: 'records', nodes: { A: node({ view: 'ALL' }) }, mirrored: ['B' as 'A'] }),
    ).toThrow(/mirrored: names "B"/);
  });

  it('is touched by keys that it can have, under a name that there is', async () => {
    const { open, source } = world();
    const sources = open(source('app', users), sourceTable('app-table', { map: () => [] }));
    await expect(sources.touch('other', ['1'])).rejects.toThrow(/no source other.*app, app-table/);
    await expect(sources.touch('app', [''])).rejects.toMatchObject({ code: 'invalid-key' });
    await expect(sources.touch('app', ['x'.repeat(1_025)])).rejects.toMatchObject({ code: 'invalid-key' });
    await expect(sources.touch('app', [{ pk: 1 }])).rejects.toMatchObject({ code: 'invalid-key' });
    await expect(sources.touch('app-table', [{ pk: 'a' }])).rejects.toThrow(/no attribute sk/);
    await expect(sources.touch('app-table', [{ pk: 'a', sk: 'b' }])).rejects.toThrow(/Nothing opens/);
    await expect(sources.sync('app', { rate: 1 } as never)).rejects.toThrow(/rate/);
    for (const none of [undefined, null, {}]) {
      expect(() => createSources(none as never, { sources: [], store: {} as never })).toThrow(
        /createSources needs a model/,
      );
    }
  });

  it('has a name of its own, and is touched by a list of keys', async () => {
    const { open, source } = world();
    expect(() => open(source('app', users), source('app', users, 2))).toThrow(/Two sources have the name app/);
    const sources = open(source('app', users));
    await expect(sources.touch('app', '17')).rejects.toMatchObject({
      code: 'invalid-argument',
      hint: "Give a list: touch('app', [key]).",
    });
    await expect(sources.touch('app', undefined as never)).rejects.toMatchObject({ code: 'invalid-argument' });
    await expect(sources.touch('app', ['\ud800'])).rejects.toMatchObject({ code: 'invalid-key' });
  });

  it('that is a table has one text for each key, however the key is given', () => {
    const table = sourceTable('app', { map: () => [] }) as TableSource;
    const texts = (...keys: SourceKey[]) => [...new Set(keys.map((key) => keyTextOf(table, key)))];
    const sk = new Uint8Array([0, 255]);
    const [text, ...others] = texts(
      { pk: 1.5, sk },
      { pk: new ExactNumber('1.50'), sk },
      { pk: new ExactNumber('15e-1'), sk },
    );
    expect([text, others]).toEqual(['{"pk":{"N":"1.5"},"sk":{"B":"AP8="}}', []]);
    expect(texts(text!, '{ "sk": {"B":"AP8="}, "pk": {"N":"+1.500"} }')).toEqual([text]);
    const large = 10n ** 21n;
    expect(texts({ pk: large, sk }, { pk: new ExactNumber('1E+21'), sk })).toHaveLength(1);
    expect(keyTextOfItem(table, { pk: { N: String(large) }, sk: { B: sk } })).toBe(keyTextOf(table, { pk: large, sk }));
    expect(texts({ pk: 'p'.repeat(2_048), sk: 's'.repeat(1_024) })[0]).toHaveLength(3_101);
    const wrong = [
      '17',
      '{}',
      'null',
      '{"pk":{"BOOL":true},"sk":{"S":"a"}}',
      { pk: true, sk },
      { pk: Number.NaN, sk },
      null,
    ];
    for (const key of wrong) expect(() => keyTextOf(table, key as SourceKey)).toThrow(/key/i);
  });

  it('that lists no keys has no sync, and what is no item is said', async () => {
    const { open } = world();
    const bare = defineSource('app', { map: () => [], read: () => 7 as never });
    await expect(open(bare).sync('app')).rejects.toThrow(/lists no keys/);
    await expect(open(bare).touch('app', ['1'])).rejects.toThrow(/gave 7 for the key "1"/);
  });

  it.each<[string, Partial<DefineSourceOptions>, object]>([
    [
      'read that throws',
      {
        read: () => {
          throw new Error('db down.');
        },
      },
      {
        code: 'source-failed',
        message: 'read of the source app threw for the key "1": db down.',
        hint: expect.stringContaining('mirror sync app --resume'),
        cause: new Error('db down.'),
      },
    ],
    [
      'keys that throw',
      {
        keys: () => {
          throw null;
        },
      },
      { code: 'source-failed', message: 'keys of the source app threw: null.' },
    ],
    [
      'keys that throw on the way',
      {
        keys: async function* () {
          yield '1';
          throw new Error('gone');
        },
      },
      { code: 'source-failed', message: /gone/ },
    ],
    [
      'a promise of keys',
      { keys: (async () => ['1']) as never },
      {
        code: 'invalid-argument',
        message: 'keys of the source app gave [object Promise], which is not a list.',
        hint: expect.stringContaining('async generator'),
      },
    ],
    [
      'a promise of keys that is rejected',
      { keys: (() => Promise.reject(new Error('down'))) as never },
      { code: 'invalid-argument', message: /gave \[object Promise\]/ },
    ],
    ['no keys', { keys: (() => undefined) as never }, { code: 'invalid-argument', message: /gave undefined/ }],
    ['a string for keys', { keys: () => 'abc' }, { code: 'invalid-argument', message: /gave "abc"/ }],
    [
      'an error of ours',
      {
        read: () => {
          throw new StoreError('fatal', 'AccessDeniedException', 'No.');
        },
      },
      { code: 'AccessDeniedException' },
    ],
  ])('with %s is named in the error', async (_what, options, expected) => {
    const { open } = world();
    const sources = open(defineSource('app', { map: () => [], read: () => ({}), keys: () => ['1'], ...options }));
    const { message, ...rest } = expected as { message?: string | RegExp };
    for (const dryRun of [false, true]) {
      const error = await sources.sync('app', { dryRun }).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject(rest);
      if (message !== undefined) expect((error as Error).message).toMatch(message);
    }
  });

  it('that is a table is named in the errors of its calls, with a remedy of its own', async () => {
    const { store } = world();
    const named = async (name: string) => {
      const refuse = async (): Promise<never> => {
        throw classifyError(Object.assign(new Error('Refused'), { name }));
      };
      const sources = createSources(graph, {
        ...{ store, sources: [sourceTable('app', { map: () => [], keys: { partitionKey: 'id' } })] },
        openTable: () => ({ get: refuse, scan: refuse }),
      });
      const errors = [sources.touch('app', [{ id: '1' }]), sources.sync('app'), sources.sync('app', { dryRun: true })];
      return await Promise.all(errors.map((one) => one.catch((thrown: StoreError) => thrown)));
    };
    for (const error of await named('ResourceNotFoundException')) {
      const hint = expect.stringMatching(/sourceTable\('app'.*region.*--source-endpoint/);
      expect(error).toMatchObject({ kind: 'fatal', message: expect.stringContaining('The source table app: '), hint });
    }
    for (const error of await named('ValidationException')) {
      const hint = expect.stringContaining(
        "sourceTable('app', { keys: { partitionKey, sortKey } }). They are id there",
      );
      expect(error).toMatchObject({ kind: 'terminal', hint });
    }
  });
});

describe('touches', () => {
  it('of one batch take one look at the head, and write the ledger and each item once', async () => {
    const { rows, open, source, hook } = world();
    const sources = open(source('app', users));
    await sources.touch('app', ['0']);
    const calls: Record<string, number> = {};
    hook.before = ({ method, target }) => {
      const kind = target.startsWith('USER') ? 'item' : target.length === 32 ? 'ledger' : 'other';
      calls[`${method} ${kind}`] = (calls[`${method} ${kind}`] ?? 0) + 1;
    };
    for (let i = 0; i < 50; i++) rows.set(`${i}`, { id: `${i}` });
    await sources.touch('app', rows.keys());
    expect(calls['change ledger']).toBe(50);
    expect(calls['change item']).toBe(50);
    expect([calls['get ledger'], calls['get other']]).toEqual([50, 1]);
  });

  it('of two items that make one show the first, name both, and let the other take over', async () => {
    const { table, rows, open, source, user } = world();
    const sources = open(source('app', ({ name }) => [mappedNode('USER-1', { name })]));
    rows.set('b', { name: 'second' }).set('a', { name: 'first' });
    await sources.touch('app', ['b']);
    await sources.touch('app', ['a']);
    expect(await user('USER-1')).toMatchObject({ name: { S: 'first' } });
    const { conflicts } = await sources.sync('app', { dryRun: true });
    expect(conflicts).toEqual([{ source: 'USER-1', target: 'USER-1', shown: 'app/a', makers: ['app/a', 'app/b'] }]);
    const { notes } = await explain(graph, { key: { source: 'USER-1', target: 'USER-1' }, store: table });
    expect(notes.join(' ')).toMatch(/app\/b makes it too\. .*app\/a makes it\. .*in conflict: .*app\/a/);
    rows.delete('a');
    await sources.touch('app', ['a']);
    expect(await user('USER-1')).toMatchObject({ name: { S: 'second' } });
    expect((await sources.sync('app', { dryRun: true })).conflicts).toEqual([]);
  });

  it('refuse an item whose error has a text of any length, and hold up no other', async () => {
    const { rows, open, source, shown } = world();
    const map: Map_ = ({ id }) => {
      if (id === undefined) throw new Error('é'.repeat(500_000));
      return [mappedNode(`USER-${id}`)];
    };
    const sources = open(source('app', map));
    rows.set('1', {}).set('2', { id: '2' });
    await sources.touch('app', ['1', '2']);
    expect(await shown()).toEqual(nodes('2'));
    const { refused } = await sources.sync('app');
    expect(Buffer.byteLength(refused[0]!.reason)).toBeLessThan(2_010);
  });

  it.each([
    ['lacks its state and its revision', { state: undefined, r: undefined }, ['1', '2']],
    ['has a revision that is not a number', { r: { S: 'x' } }, ['2']],
    ['has a state that is not a map', { state: { S: 'x' } }, ['1', '2']],
    ['has keys that are not a list', { state: { M: { key: { S: '1' }, keys: { S: 'x' } } } }, ['1', '2']],
  ])('begin again with a ledger that %s', async (_, damage, left) => {
    const { table, rows, open, source, shown } = world();
    const sources = open(source('app', users));
    rows.set('1', { id: '1' });
    await sources.touch('app', ['1']);
    const { items } = await table.scan({ segment: 0, segments: 1 });
    const ledger = items.find((item) => 'state' in item && /ledger/.test(JSON.stringify(item)))!;
    const damaged = Object.entries({ ...ledger, ...damage }).filter(([, value]) => value !== undefined);
    await table.put(Object.fromEntries(damaged) as typeof ledger);
    rows.set('1', { id: '2' });
    await sources.touch('app', ['1']);
    expect(await shown()).toEqual(nodes(...left));
  });

  it.each(['key', 'keys', 'text', 'sync', 'head', 'mark', 'seen', 'part'])(
    'keep their records in a table whose keys or TTL have the name %s',
    async (name) => {
      for (const names of [{ partitionKey: name }, { sortKey: name }, { ttl: name }]) {
        const own = defineGraph({ table: { name: 'records', ...names }, nodes: { USER: node({ view: 'ALL' }) } });
        const table = new MemoryStore(own.table);
        const rows = new Map<string, SourceItem>([
          ['a', { id: '1' }],
          ['b', { id: '1' }],
          ['c', { bad: true }],
        ]);
        const map: Map_ = ({ id, bad }) => {
          if (bad) throw new Error('bad');
          return [mappedNode(`USER-${id}`)];
        };
        const keys = (after = '') => [...rows.keys()].filter((key) => key > after);
        const app = defineSource('app', { map, keys, read: (key) => rows.get(key) });
        const sources = createSources(own, { sources: [app], store: table, wait: async () => {} });
        await sources.touch('app', rows.keys());
        await sources.touch('app', rows.keys());
        const onProgress = ({ phase }: { phase: string }) => {
          if (phase === 'ledgers') throw new Error('killed');
        };
        await expect(sources.sync('app', { onProgress })).rejects.toThrow('killed');
        expect(await sources.sync('app', { resume: true })).toMatchObject({ items: 3, refused: [{ key: 'c' }] });
        const state = await sourcesStatus({ graph: own, store: table, prunes: table });
        expect(state).toMatchObject({ sources: [{ source: 'app', version: '1', refused: 1 }] });
        expect(state.conflicts).toMatchObject([{ makers: ['app/a', 'app/b'] }]);
        rows.clear();
        await sources.sync('app');
        expect(await sources.sync('app', { dryRun: true })).toMatchObject({ differences: [], conflicts: [] });
        expect((await sourcesStatus({ graph: own, store: table })).sources).toMatchObject([{ refused: 0 }]);
      }
    },
  );

  it('are left where a call is refused for now, and say which', async () => {
    const { rows, open, source, hook, shown } = world();
    const sources = open(source('app', users));
    for (const id of ['1', '2', '3']) rows.set(id, { id });
    hook.before = ({ method, target }) => {
      if (method === 'change' && target === 'USER-2') throw new StoreError('retryable', 'ThrottlingException', 'Busy.');
    };
    await expect(sources.touch('app', rows.keys())).rejects.toMatchObject({ code: 'ThrottlingException' });
    expect(await shown()).toEqual(nodes('1', '3'));
    hook.before = () => {
      throw new StoreError('fatal', 'AccessDeniedException', 'No.');
    };
    await expect(sources.touch('app', rows.keys())).rejects.toMatchObject({ code: 'AccessDeniedException' });
  });
});

describe('a signal', () => {
  it('ends calls whose source never answers, waits for the rate, and is checked', async () => {
    const { store } = world();
    const never = new Promise<never>(() => undefined);
    async function* stuck(): AsyncGenerator<string> {
      yield await never;
    }
    const asked: string[] = [];
    const sources = createSources(graph, {
      store,
      sources: [
        defineSource('reads', { map: () => [], read: () => never, keys: () => ['a'] }),
        defineSource('keys', { map: () => [], read: () => undefined, keys: stuck }),
        defineSource('many', {
          map: () => [],
          read: (key) => {
            asked.push(key);
            return { key };
          },
          keys: () => [...Array(2_000).keys()].map((i) => `${10_000 + i}`),
        }),
      ],
    });
    const ended = async (run: (signal: AbortSignal) => Promise<unknown>): Promise<void> => {
      const controller = new AbortController();
      setTimeout(() => controller.abort('gone'), 30);
      await expect(run(controller.signal)).rejects.toBe('gone');
    };
    await ended((signal) => sources.touch('reads', ['a'], { signal }));
    for (const dryRun of [false, true]) {
      for (const name of ['reads', 'keys']) await ended((signal) => sources.sync(name, { signal, dryRun }));
      // A wait of several seconds.
      await ended((signal) => sources.sync('many', { signal, dryRun, maxRcu: 1 }));
    }
    expect(asked.length).toBeLessThan(200);
    await expect(sources.touch('reads', ['a'], { signal: 5 as never })).rejects.toMatchObject({
      code: 'invalid-argument',
    });
  });
});

describe('an item of thousands of outputs', () => {
  const many: Map_ = ({ id, many: count }) => [
    mappedNode(`USER-${id}`),
    ...Array.from({ length: count ?? 0 }, (_, i) => mappedEdge(`USER-${id}`, 'AIMS', `GOAL-${i}`, { of: count })),
  ];

  it('goes on where it stopped, beside others, and in the end is whole', async () => {
    const { rows, open, source, hook, shown } = world();
    const sources = open(source('app', many));
    rows.set('a', { id: 'a', many: 1_000 }).set('b', { id: 'b' });
    let left = 0;
    let written = 0;
    hook.before = ({ method, target }) => {
      if (method === 'change' && target.startsWith('AIMS')) written += 1;
      left -= 1;
    };
    let calls = 0;
    for (;;) {
      calls += 1;
      left = 260;
      const result = await sources
        .touch('app', ['a', 'b'], { remainingMs: () => left * 1_000 })
        .catch((error) => error);
      if (calls === 1) expect(await shown()).toContain('USER-b USER-b');
      if (result === undefined) break;
      expect(result).toMatchObject({ code: 'out-of-time' });
    }
    expect(calls).toBeGreaterThan(2);
    expect(calls).toBeLessThan(8);
    // Nothing is written twice that was written.
    expect(written).toBe(1_000);
    expect(await shown()).toHaveLength(1_002);
    rows.delete('a');
    await sources.touch('app', ['a']);
    expect(await shown()).toEqual(nodes('b'));
  });

  it.each(['touch', 'sync'] as const)('is left where it is when the signal of its %s is aborted', async (name) => {
    const { rows, open, source, hook, shown } = world();
    const sources = open(source('app', many));
    rows.set('a', { id: 'a', many: 1_000 });
    const controller = new AbortController();
    let sent = 0;
    let answered = 0;
    hook.before = async ({ method, target }) => {
      if (method !== 'change' || !target.startsWith('AIMS')) return;
      sent += 1;
      if (sent === 100) controller.abort(new Error('gone'));
      await new Promise((resolve) => setTimeout(resolve, 5));
      answered += 1;
    };
    const { signal } = controller;
    const running = name === 'touch' ? sources.touch('app', ['a'], { signal }) : sources.sync('app', { signal });
    await expect(running).rejects.toThrow('gone');
    expect(sent).toBeLessThanOrEqual(112);
    // The writes that were sent have been waited for.
    expect(answered).toBe(sent);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(answered).toBe(sent);
    delete hook.before;
    await sources.touch('app', ['a']);
    expect(await shown()).toHaveLength(1_001);
  });

  it('is repaired whole by a sync, also behind a touch that stopped and never came again', async () => {
    const { rows, open, source, hook, table, shown } = world();
    const sources = open(source('app', many));
    rows.set('a', { id: 'a', many: 100 });
    await sources.touch('app', ['a']);
    let left = 60;
    hook.before = () => {
      left -= 1;
    };
    await expect(sources.touch('app', ['a'], { remainingMs: () => left * 1_000 })).rejects.toThrow(/of the 101/i);
    await table.delete({ source: 'USER-a', target: 'AIMS-GOAL-0' });
    await sources.sync('app');
    expect(await shown()).toHaveLength(101);
  });

  it('is refused beyond the bound, with its figure', async () => {
    const { rows, open, source } = world();
    const sources = open(source('app', many));
    rows.set('a', { id: 'a', many: 20_000 });
    await sources.touch('app', ['a']);
    const { refused } = await sources.sync('app');
    expect(refused[0]!.reason).toMatch(/20001 items whose keys have \d+ bytes, of 300000/);
  });
});

describe('a version of a mapping', () => {
  const first: Map_ = ({ id }) => [mappedNode(`USER-${id}`)];
  const second: Map_ = ({ id }) => [mappedNode(`USER-${id}2`)];

  it('is put in force over a head whose revision is not a number', async () => {
    const { table, rows, open, source, shown } = world();
    rows.set('1', { id: '1' });
    await open(source('app', users)).touch('app', ['1']);
    const { items } = await table.scan({ segment: 0, segments: 1 });
    const head = items.find(({ target }) => target !== undefined && 'S' in target && target.S === 'source/app')!;
    await table.put({ ...head, r: { S: 'x' } });
    rows.set('1', { id: '2' });
    expect(await open(source('app', users, 2)).sync('app')).toMatchObject({ items: 1 });
    expect(await shown()).toEqual(nodes('2'));
  });

  it('goes forward and back by one walk each, behind late writes; a function with another leaves its touches', async () => {
    const { rows, clock, open, source, shown } = world();
    const [one, two] = [open(source('app', first, 1)), open(source('app', second, 2))];
    rows.set('a', { id: 'a' }).set('b', { id: 'b' });
    await one.sync('app');
    expect(clock.ms).toBe(START);
    expect(await shown()).toEqual(nodes('a', 'b'));
    await expect(two.touch('app', ['a'])).rejects.toMatchObject({ code: 'mapping-not-in-force' });
    await two.sync('app');
    expect(clock.ms).toBe(START + 20 * MINUTE);
    expect(await shown()).toEqual(nodes('a2', 'b2'));
    await expect(one.touch('app', ['a'])).rejects.toThrow(/version 1 here, but version 2 is in force/);
    rows.set('c', { id: 'c' });
    await two.touch('app', ['c']);
    await one.sync('app');
    expect(await shown()).toEqual(nodes('a', 'b', 'c'));
    await one.touch('app', ['a']);
    await expect(two.touch('app', ['a'])).rejects.toMatchObject({ code: 'mapping-not-in-force' });
  });

  it('is not put in force by two walks at once', async () => {
    const { open, source, hook } = world();
    const [one, two] = [open(source('app', first, 1)), open(source('app', second, 2))];
    let isFirst = true;
    hook.before = async ({ method, target }) => {
      if (method !== 'change' || target !== 'source/app' || !isFirst) return;
      isFirst = false;
      await two.sync('app');
    };
    await expect(one.sync('app')).rejects.toMatchObject({ code: 'too-much-contention' });
  });
});

describe('a sync', () => {
  it('mends what touches have missed, both ways, and what was broken; its dry run says it before', async () => {
    const { table, rows, open, source, shown, clock } = world();
    const sources = open(source('app', users));
    for (const id of ['1', '2', '3', '4']) rows.set(id, { id, name: 'x' });
    await sources.sync('app');
    rows.delete('1');
    rows.set('5', { id: '5' }).set('2', { id: '2', name: 'y' });
    await table.delete({ source: 'USER-3', target: 'USER-3' });
    const { differences, items, made } = await sources.sync('app', { dryRun: true });
    expect([items, made]).toEqual([4, 4]);
    expect(differences.map(({ source: of, key, kind }) => [of, key, kind]).sort()).toEqual([
      ['USER-1', '1', 'stray'],
      ['USER-2', '2', 'different'],
      ['USER-3', '3', 'missing'],
      ['USER-5', '5', 'missing'],
    ]);
    // The second look comes a minute later.
    expect(clock.ms).toBe(START + MINUTE);
    expect(await sources.sync('app')).toMatchObject({ items: 5, refused: [] });
    expect(await shown()).toEqual(nodes('2', '3', '4', '5'));
    expect(await sources.sync('app', { dryRun: true })).toMatchObject({ differences: [], pending: 0 });
  });

  it('mends an item that is hidden although its claims say otherwise, and its dry run says so', async () => {
    const { table, rows, open, source, shown, user } = world();
    const sources = open(source('app', users));
    rows.set('1', { id: '1' });
    await sources.sync('app');
    await table.put({ ...(await user('USER-1'))!, [GONE]: { BOOL: true } });
    expect(await shown()).toEqual([]);
    expect((await sources.sync('app', { dryRun: true })).differences).toMatchObject([{ key: '1', kind: 'different' }]);
    await sources.sync('app');
    expect(await shown()).toEqual(nodes('1'));
    expect((await sources.sync('app', { dryRun: true })).differences).toEqual([]);
  });

  it('counts a difference as pending where the item is touched between the looks', async () => {
    const { rows, open, source, hook } = world();
    const sources = open(source('app', users));
    rows.set('1', { id: '1' });
    let reads = 0;
    hook.before = async ({ method, target }) => {
      if (method === 'get' && target === 'USER-1' && ++reads === 2) {
        hook.before = () => undefined;
        await sources.touch('app', ['1']);
        rows.set('1', { id: '1', name: 'again' });
      }
    };
    const looked = await sources.sync('app', { dryRun: true });
    expect([looked.differences, looked.pending]).toEqual([[], 1]);
  });

  it('names attributes that nothing has that is made, whether the mapping looks at them or not, and items that make nothing', async () => {
    const { rows, open, source } = world();
    const sources = open(source('app', ({ id, kind }) => (kind === 'user' ? [mappedNode(`USER-${id}`)] : [])));
    rows.set('1', { id: '1', kind: 'user', deletedAt: 7 }).set('2', { id: '2', kind: 'user' });
    rows.set('3', { id: '3', kind: 'other', unseen: 1 });
    expect(await sources.sync('app', { dryRun: true })).toMatchObject({ dropped: { deletedAt: 1 }, unused: ['3'] });
    const spread = open(source('app', ({ kind: _, ...rest }) => [mappedNode(`USER-${rest['id']}`, rest)]));
    expect(await spread.sync('app', { dryRun: true })).toMatchObject({ dropped: { kind: 3 }, unused: [] });
    const renamed = open(source('app', ({ id, ...rest }) => [mappedNode(`USER-${id}`, { all: JSON.stringify(rest) })]));
    expect((await renamed.sync('app', { dryRun: true })).dropped).toEqual({});
  });

  it('that is stopped goes on with resume where it was, and begins anew without', async () => {
    const { rows, open, source, hook } = world();
    const sources = open(source('app', users));
    for (let i = 0; i < 450; i++) rows.set(`${1000 + i}`, { id: `${1000 + i}` });
    const touched = new Set<string>();
    hook.before = ({ method, target }) => {
      if (method === 'change' && target.startsWith('USER')) touched.add(target);
    };
    const controller = new AbortController();
    const onProgress = ({ items }: { items: number }): void => {
      if (items === 300) controller.abort(new Error('killed'));
    };
    await expect(sources.sync('app', { onProgress, signal: controller.signal })).rejects.toThrow('killed');
    expect(touched.size).toBe(300);
    touched.clear();
    expect(await sources.sync('app', { resume: true })).toMatchObject({ items: 450 });
    expect(touched.size).toBe(150);
    touched.clear();
    await sources.sync('app', { resume: true });
    expect(touched.size).toBe(450);
  });

  it('begins anew with resume where another version has come into force since it was stopped', async () => {
    const { rows, open, source, shown } = world();
    for (let i = 0; i < 150; i++) rows.set(`${1000 + i}`, { id: `${1000 + i}` });
    const controller = new AbortController();
    const onProgress = (): void => controller.abort(new Error('killed'));
    const one = open(source('app', users, 1));
    await expect(one.sync('app', { onProgress, signal: controller.signal })).rejects.toThrow('killed');
    const two = open(source('app', ({ id }) => [mappedNode(`USER-${id}`, { name: 'two' })], 2));
    expect(await two.sync('app', { resume: true })).toMatchObject({ items: 150 });
    expect(await two.sync('app', { dryRun: true })).toMatchObject({ differences: [], items: 150 });
    expect(await shown()).toHaveLength(150);
  });

  it('takes a page of a table in parts, and continues behind the last key of one', async () => {
    const items = Array.from({ length: 250 }, (_, i) => ({ pk: { S: 'a' }, sk: { S: `${1000 + i}` } }));
    const from: unknown[] = [];
    const scan = async ({ startKey }: { startKey?: object | undefined }) => {
      from.push(startKey);
      return { items: from.length === 1 ? items : [], rcu: 0 };
    };
    const openTable = () => ({ get: async () => ({ rcu: 0 }), scan });
    const { pages } = accessOf(sourceTable('app', { map: () => [] }), openTable, async () => undefined);
    const found: string[][] = [];
    for await (const keys of pages(undefined)) found.push(keys);
    expect(found.map((keys) => keys.length)).toEqual([100, 100, 50]);
    for await (const _ of pages(found[0]!.at(-1))) break;
    expect(from).toEqual([undefined, items[99]]);
  });

  it('waits out a source and a table that are short of capacity, and keeps to its rates', async () => {
    const { rows, open, source, hook, shown, clock } = world();
    for (let i = 0; i < 200; i++) rows.set(`${i}`, { id: `${i}` });
    let refusals = 0;
    hook.before = ({ method }) => {
      if (method !== 'change' || refusals >= 500) return;
      refusals += 1;
      throw new StoreError('retryable', 'ProvisionedThroughputExceededException', 'Busy.');
    };
    const sources = open(source('app', users));
    await sources.touch('app', []).catch(() => undefined);
    hook.before = ({ method, target }) => {
      if (method !== 'change' || target.startsWith('source') || refusals >= 500) return;
      refusals += 1;
      throw new StoreError('retryable', 'ProvisionedThroughputExceededException', 'Busy.');
    };
    await sources.sync('app');
    expect(refusals).toBe(500);
    expect(await shown()).toHaveLength(200);
    const begin = clock.ms;
    // 200 reads and 400 writes of 1 unit or more.
    await sources.sync('app', { maxRcu: 10 });
    expect(clock.ms - begin).toBeGreaterThan(18_000);
    const then = clock.ms;
    await sources.sync('app', { maxWcu: 20 });
    expect(clock.ms - then).toBeGreaterThan(18_000);
  });

  it.each([{ maxRcu: 1 }, { maxWcu: 1 }])('that waits for its rate stops as soon as it is told: %j', async (rate) => {
    const { rows, store, source } = world();
    for (const id of ['1', '2', '3']) rows.set(id, { id });
    const stop = new AbortController();
    const waits: unknown[] = [];
    const wait = async (_: number, signal?: AbortSignal): Promise<void> => {
      waits.push(signal);
      stop.abort(new Error('told'));
      signal?.throwIfAborted();
    };
    const sources = createSources(graph, { sources: [source('app', users)], store, wait, now: () => START });
    await expect(sources.sync('app', { ...rate, signal: stop.signal })).rejects.toThrow('told');
    expect(waits).toEqual([stop.signal]);
  });

  it('of our own table as it was before makes it what the source is now', async () => {
    const { table, rows, open, source, shown } = world();
    const sources = open(source('app', users));
    rows.set('1', { id: '1', name: 'old' }).set('2', { id: '2' });
    await sources.sync('app');
    const { items } = await table.scan({ segment: 0, segments: 1 });
    rows.delete('2');
    rows.set('1', { id: '1', name: 'new' }).set('3', { id: '3' });
    await sources.touch('app', ['1', '2', '3']);
    const restored = world(new MemoryStore(graph.table));
    for (const item of items) await restored.table.put(item);
    for (const [key, row] of rows) restored.rows.set(key, row);
    restored.clock.ms += 3 * 60 * MINUTE;
    await restored.open(restored.source('app', users)).sync('app');
    expect(await restored.shown()).toEqual(await shown());
    expect(await restored.user('USER-1')).toMatchObject({ name: { S: 'new' } });
  });
});

describe('a source that is renamed or retired', () => {
  it('has a name that the table knows', async () => {
    const { open, source } = world();
    const sources = open(source('app', users));
    await expect(sources.retire('app')).rejects.toThrow(/no source app.*There are none/);
    await sources.sync('app');
    await expect(sources.retire('apq', { dryRun: true })).rejects.toThrow(/no source apq.*The sources are app/);
  });

  it('is taken over by the sync of the new one; what the old one alone made is listed, and goes', async () => {
    const { table, rows, open, source, shown, user } = world();
    const map: Map_ = ({ id, by }) => [mappedNode(`USER-${id}`, { by })];
    rows.set('1', { id: '1', by: 'old' }).set('2', { id: '2', by: 'old' });
    await open(source('app', map)).sync('app');
    rows.delete('2');
    rows.set('1', { id: '1', by: 'new' });
    // The model file declares the new name alone.
    const sources = open(source('restored', map));
    await sources.sync('restored');
    expect(await user('USER-1')).toMatchObject({ by: { S: 'new' } });
    expect((await status(graph, { store: table })).sources.map(({ source: name }) => name)).toEqual([
      'app',
      'restored',
    ]);
    const listed = await sources.retire('app', { dryRun: true });
    expect(listed.differences).toEqual([{ source: 'USER-2', target: 'USER-2', key: '2', kind: 'stray' }]);
    expect(await shown()).toEqual(nodes('1', '2'));
    expect(await sources.retire('app')).toMatchObject({ items: 2, conflicts: [] });
    expect(await shown()).toEqual(nodes('1'));
    expect((await status(graph, { store: table })).sources.map(({ source: name }) => name)).toEqual(['restored']);
    // A function that still has the old one leaves its touches.
    await expect(open(source('app', map)).touch('app', ['1'])).rejects.toThrow(/no version is in force/);
    await open(source('app', map)).sync('app');
    expect(await shown()).toEqual(nodes('1'));
  });

  it('lists in a dry run what several of its own items make, once', async () => {
    const { rows, open, source, shown } = world();
    rows.set('1', { id: '1' }).set('2', { id: '2' });
    const sources = open(source('app', () => [mappedNode('USER-7')]));
    await sources.sync('app');
    const { differences } = await sources.retire('app', { dryRun: true });
    expect(differences).toEqual([{ source: 'USER-7', target: 'USER-7', key: '1', kind: 'stray' }]);
    await sources.retire('app');
    expect(await shown()).toEqual([]);
  });

  it.each([0, 1])('lists the same in whichever order DynamoDB returns the makers (%i)', async (odd) => {
    const reversed = (item: Item): Item =>
      Object.fromEntries(
        Object.entries(item)
          .reverse()
          .map(([name, value]) => [name, 'M' in value ? { M: reversed(value.M) } : value]),
      );
    let isVarying = false;
    let reads = 0;
    /** Returns each second answer in another order. */
    class AnyOrder extends MemoryStore {
      override async get(...args: Parameters<MemoryStore['get']>) {
        const { item, ...rest } = await super.get(...args);
        const isTurn = isVarying && args[0].target === 'USER-7' && reads++ % 2 === odd;
        return { ...rest, item: item && isTurn ? reversed(item) : item };
      }
    }
    const { rows, open, source } = world(new AnyOrder(graph.table));
    rows.set('1', { id: '1' }).set('2', { id: '2' });
    const sources = open(source('app', () => [mappedNode('USER-7')]));
    await sources.sync('app');
    isVarying = true;
    const { differences } = await sources.retire('app', { dryRun: true });
    expect(differences).toEqual([{ source: 'USER-7', target: 'USER-7', key: '1', kind: 'stray' }]);
  });

  it('is unfinished for a status until a sync or retirement that was stopped has ended', async () => {
    const { table, rows, open, source, shown, hook } = world();
    rows.set('1', { id: '1' });
    await open(source('app', users)).sync('app');
    const unfinished = async () =>
      (await status(graph, { store: table })).problems.filter((problem) => problem.includes('has not ended'));
    const stoppedInItsWait = () => {
      const controller = new AbortController();
      const onProgress = ({ phase }: SyncProgress) => void (phase === 'waiting' && controller.abort());
      return { signal: controller.signal, onProgress };
    };
    const ofSync = ['The sync of app has not ended. If it was stopped, run edgeloom mirror sync app --resume.'];
    expect(await unfinished()).toEqual([]);
    const sources = open(source('app', users, 2));
    hook.before = ({ target }) => {
      if (target.startsWith('source-sync/')) throw new StoreError('fatal', 'Killed', 'The process is gone.');
    };
    await expect(sources.sync('app')).rejects.toThrow('gone');
    expect(await unfinished()).toEqual(ofSync);
    delete hook.before;
    await expect(sources.sync('app', stoppedInItsWait())).rejects.toThrow('aborted');
    expect(await unfinished()).toEqual(ofSync);
    await sources.sync('app', { resume: true });
    expect(await unfinished()).toEqual([]);
    await expect(sources.retire('app', stoppedInItsWait())).rejects.toThrow('aborted');
    expect(await unfinished()).toEqual([
      'The retirement of app has not ended. If it was stopped, run edgeloom mirror sync --retire app --resume.',
    ]);
    await sources.retire('app', { resume: true });
    expect(await unfinished()).toEqual([]);
    expect(await shown()).toEqual([]);
  });

  it('names its own conflicts alone', async () => {
    const { rows, open, source } = world();
    rows.set('1', { id: '1' });
    const twin = defineSource('other', { map: () => [mappedNode('USER-7')], read: () => ({}), keys: () => ['1', '2'] });
    const sources = open(source('app', users), twin);
    expect((await sources.sync('other')).conflicts).toMatchObject([{ makers: ['other/1', 'other/2'] }]);
    expect((await sources.sync('app')).conflicts).toEqual([]);
  });

  it('lists in a dry run what the ledger or the table has no room for', async () => {
    const { rows, open, source, hook } = world();
    const sources = open(
      source('app', ({ id, most }) =>
        Array.from({ length: Number(most) }, (_, i) => mappedNode(`USER-${id}-${i}-${'x'.repeat(400)}`)),
      ),
    );
    rows.set('1', { id: '1', most: 400 }).set('2', { id: '2', most: 1 });
    hook.before = ({ method, target }) => {
      if (method === 'change' && target.startsWith('USER-2'))
        throw new StoreError('terminal', 'ValidationException', 'Item size has exceeded the maximum allowed size.');
    };
    await sources.sync('app');
    expect((await sources.sync('app', { dryRun: true })).refused).toMatchObject([
      { key: '1', reason: expect.stringContaining('bytes, of 300000') },
      { key: '2', reason: expect.stringContaining('Item size') },
    ]);
  });

  it('goes on with its removal where that was stopped, and stops it where the source comes into force again', async () => {
    const { rows, open, source, shown, hook } = world();
    for (let i = 0; i < 40; i++) rows.set(`${i}`, { id: `${i}` });
    const sources = open(source('app', users));
    await sources.sync('app');
    let removed = 0;
    hook.before = ({ method, target }) => {
      if (method === 'change' && target.startsWith('USER') && ++removed === 20)
        throw new StoreError('fatal', 'Killed', 'The process is gone.');
    };
    await expect(sources.retire('app')).rejects.toThrow('gone');
    await sources.retire('app', { resume: true });
    expect(removed).toBeLessThan(60);
    expect(await shown()).toEqual([]);
    await sources.sync('app');
    hook.before = async ({ method, target }) => {
      if (method !== 'change' || !target.startsWith('source-sync/')) return;
      hook.before = () => undefined;
      await sources.sync('app');
    };
    await expect(sources.retire('app')).rejects.toMatchObject({ code: 'mapping-not-in-force' });
    expect(await shown()).toHaveLength(40);
  });
});

describe('records of a source table', () => {
  const ARN = 'arn:aws:dynamodb:eu-central-1:123456789012:table/app-table/stream/';
  const EMPTY = { scan: async () => ({ items: [], rcu: 1 }), streamArn: async () => undefined };

  function streamed() {
    const made = world();
    const items = new Map<string, SourceItem>();
    const lines: [object, string][] = [];
    const log = (details: object, message: string) => void lines.push([details, message]);
    const logger = { debug: log, info: log, warn: log, error: log, child: () => logger };
    const handler = mirrorHandler(graph, {
      sources: [sourceTable('app-table', { map: ({ pk, name }) => [mappedNode(`USER-${pk}`, { name })] })],
      store: Object.assign(made.store, { scan: made.table.scan.bind(made.table) }),
      openSource: () => ({
        get: async ({ pk }) => {
          const name = items.get((pk as { S: string }).S)?.['name'];
          return name === undefined ? { rcu: 1 } : { item: { pk: pk!, name: { S: name } }, rcu: 1 };
        },
        ...EMPTY,
      }),
      logger,
    });
    let number = 0;
    /** The batch that a change makes: keys alone, as a stream of KEYS_ONLY has them. */
    const change = async (label: string, pk: string, name?: string) => {
      if (name === undefined) items.delete(pk);
      else items.set(pk, { name });
      const dynamodb = { Keys: { pk: { S: pk }, sk: { S: 'x' } }, SequenceNumber: String(++number) };
      const Records = [{ eventName: 'MODIFY' as const, eventSourceARN: ARN + label, dynamodb }];
      return handler({ Records }, { awsRequestId: 'r', getRemainingTimeInMillis: () => 60_000 });
    };
    return { ...made, change, handler, lines };
  }

  it('need no image, and no label: a stream that moves to another region and back loses nothing', async () => {
    const { change, user, shown } = streamed();
    await change('2025-06-01T00:00:00.000', '1', 'first');
    await change('2025-06-01T00:00:00.000', '2', 'first');
    await change('2025-01-10T00:00:00.000', '1', 'second');
    await change('2025-01-10T00:00:00.000', '2');
    expect(await user('USER-1')).toMatchObject({ name: { S: 'second' } });
    expect(await shown()).toEqual(nodes('1'));
  });

  it('come again where another version is in force, and the log says what to run', async () => {
    const { change, lines, open, source } = streamed();
    await open(source('app-table', users, 2)).sync('app-table');
    expect(await change('1', '1', 'x')).toEqual({ batchItemFailures: [{ itemIdentifier: '1' }] });
    expect(lines.at(-1)).toEqual([
      expect.objectContaining({ code: 'mapping-not-in-force', hint: expect.stringContaining('edgeloom mirror sync') }),
      'batch not touched in full; it will be retried',
    ]);
  });

  it('without a key or a number are refused', async () => {
    const { handler } = streamed();
    const of = (dynamodb: object) =>
      handler(
        { Records: [{ eventSourceARN: `${ARN}1`, dynamodb }] },
        { awsRequestId: 'r', getRemainingTimeInMillis: () => 60_000 },
      );
    await expect(of({ SequenceNumber: '1' })).rejects.toMatchObject({ code: 'invalid-record' });
    await expect(of({ Keys: { pk: { S: '1' }, sk: { S: 'x' } } })).rejects.toThrow(/no sequence number/);
    await expect(of({ Keys: { pk: { S: '1' } }, SequenceNumber: '1' })).rejects.toThrow(/no attribute sk/);
  });

  it('with a watch are looked after: streams first, then the first of what is set aside, and the counts', async () => {
    const { table, store, rows, open, source } = world();
    for (let i = 0; i < 1_010; i++) for (const of of ['a', 'b']) rows.set(`${of}${i}`, { id: i });
    for (let i = 0; i < 25; i++) rows.set(`c${i}`, { bad: true });
    const map: Map_ = ({ id, bad }) => {
      if (bad) throw new Error('bad');
      return [mappedNode(`USER-${id}`)];
    };
    await open(source('app-table', map)).sync('app-table');
    const { conflicts, problems } = await status(graph, { store: table });
    expect(conflicts).toHaveLength(1_000);
    const about = problems.filter((problem) => /made by/.test(problem));
    expect(about).toHaveLength(6);
    expect(about.at(-1)).toMatch(/^At least 1,?000 base items are made by several source items/);
    const lines: [object, string][] = [];
    const log = (details: object, message: string) => void lines.push([details, message]);
    const logger = { debug: log, info: log, warn: log, error: log, child: () => logger };
    const handler = mirrorHandler(graph, {
      sources: [sourceTable('app-table', { map: () => [] })],
      streamArns: [`${ARN}1`],
      store: Object.assign(store, { scan: table.scan.bind(table) }),
      openSource: () => ({ ...EMPTY, get: async () => ({ rcu: 0 }) }),
      logger,
    });
    await handler({ watch: true }, { awsRequestId: 'r', getRemainingTimeInMillis: () => 60_000 });
    expect(lines[0]).toEqual([{ reads: `${ARN}1`, has: null }, 'the stack does not read the stream of the source']);
    const messages = lines.map(([, message]) => message);
    expect(messages.filter((message) => message === 'refused by the mapping')).toHaveLength(20);
    expect(messages.filter((message) => message === 'several source items make it')).toHaveLength(20);
    expect(lines.at(-1)![0]).toEqual({ refused: 25, conflicts: 1_000, hasMoreConflicts: true });
  });
});

describe('a mirrored type', () => {
  it('is refused by every way to write, and shown without its bookkeeping', async () => {
    const { open, source, table, rows } = world();
    rows.set('1', { id: '1', name: 'Ann', knows: '2' });
    await open(source('app', users)).sync('app');
    const writer = createWriter(graph, { store: table });
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
    const reader = createReader(graph, { store: table });
    expect(await reader.getNode('USER-1')).toEqual({ id: 'USER-1', attributes: { name: 'Ann' } });
    expect(await reader.getEdge('USER-1', 'KNOWS', 'USER-2')).toMatchObject({ attributes: {} });
    await eraseSubject(graph, { store: table, id: 'USER-1', now: () => START, segments: 1 });
    expect(await reader.getNode('USER-1')).not.toBeNull();
  });
});
