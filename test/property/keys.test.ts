import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { baseKeyOfIndexItem, formatDerivedKey, parseDerivedKey } from '../../src/core/items/derived-key.ts';
import { hashedEdgeKey, hashedSortKey } from '../../src/core/items/hashed-key.ts';
import { quarantineKey, searchKey, targetItemKey } from '../../src/core/items/key-forms.ts';
import {
  edgeSortKey,
  isDerivedKey,
  parseNodeId,
  SORT_KEY_BYTES,
  typePrefix,
  VIEW_KEY,
} from '../../src/core/items/keys.ts';
import { classifyBaseItem, classifyKey } from '../../src/core/model/base-item.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { NODE_LIST } from '../../src/core/model/node-list.ts';
import { FanOutPlaces } from '../../src/core/model/projection/places.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { isBaseSortKey } from '../../src/core/plan/stream-filter.ts';
import { edgeIndexKey, searchValueKey } from '../support/derived-keys.ts';
import { runs } from '../support/extent.ts';
import { SIZES } from '../support/sizes.ts';
import { anyText, typeName } from '../support/texts.ts';

const RUNS = { numRuns: runs(SIZES.keys) };

describe('keys round-trip', () => {
  it('node ids, whatever follows the type', () => {
    fc.assert(
      fc.property(typeName, anyText, (type, key) => {
        expect(parseNodeId(`${type}-${key}`)).toEqual({ type, key });
      }),
      RUNS,
    );
  });

  it('edges: type and target come back from the sort key, which is a base key', () => {
    const graph = defineGraph({
      table: 'records',
      nodes: { USER: node({ view: 'ALL' }), GOAL: node({ view: 'ALL' }) },
      edges: { MEMBER: edge({ from: 'GOAL', to: ['USER', 'GOAL'] }) },
    });
    fc.assert(
      fc.property(anyText, anyText, fc.constantFrom('USER', 'GOAL'), (from, to, type) => {
        const sortKey = edgeSortKey('MEMBER', `${type}-${to}`);
        expect(typePrefix(sortKey)).toBe('MEMBER');
        expect(isBaseSortKey(sortKey)).toBe(true);
        expect(classifyKey(graph, `GOAL-${from}`, sortKey)).toMatchObject({ kind: 'edge', target: `${type}-${to}` });
      }),
      RUNS,
    );
  });
});

describe('hashed keys of edges', () => {
  const graph = defineGraph({
    table: 'records',
    nodes: { USER: node({ view: 'ALL' }) },
    edges: { FRIEND: edge({ from: 'USER', to: 'USER', keys: 'hashed' }) },
  });

  /** What a node's id can hold behind its type. */
  const id = anyText.filter((text) => Buffer.byteLength(text) <= 2000);

  it('are base keys of one length that need no hash of their own in derived keys', () => {
    fc.assert(
      fc.property(id, (to) => {
        const sortKey = hashedEdgeKey('FRIEND', `USER-${to}`);
        expect(sortKey).toMatch(/^FRIEND-#[0-9a-f]{32}$/);
        expect(isBaseSortKey(sortKey)).toBe(true);
        expect(typePrefix(sortKey)).toBe('FRIEND');
        expect(baseKeyOfIndexItem('USER-1', edgeIndexKey(sortKey))).toBe(sortKey);
      }),
      RUNS,
    );
  });

  it('fit their target, and no other', () => {
    fc.assert(
      fc.property(id, id, (to, other) => {
        const [target, another] = [`USER-${to}`, `USER-${other}`];
        const sortKey = hashedEdgeKey('FRIEND', target);
        const kind = classifyBaseItem(graph, 'USER-1', sortKey, { targetId: { S: another } });
        expect(kind.kind).toBe(target === another ? 'edge' : 'misfit');
        expect(classifyBaseItem(graph, 'USER-1', sortKey, { targetId: { S: target } })).toMatchObject({ target });
        expect(classifyKey(graph, 'USER-1', edgeSortKey('FRIEND', target))).toMatchObject({ kind: 'misfit' });
      }),
      RUNS,
    );
  });
});

/** What a derived sort key is made from, in a form that tells two makings apart. */
type Making =
  | ['view']
  | ['edge', baseSortKey: string]
  | ['order', baseSortKey: string, orderName: string]
  | ['owner', edgeType: string, orderName: string]
  | ['reverse', edgeType: string, child: string]
  | ['continuation', edgeType: string]
  | ['search', name: string]
  | ['value', name: string, encoded: string]
  | ['quarantine', target: string];

const baseSortKey = fc
  .tuple(typeName, anyText, fc.boolean())
  .map(([type, rest, isHashed]) => (isHashed ? hashedSortKey(type, rest) : `${type}-${rest}`));
const orderName = fc.oneof(fc.constantFrom('a', 'ab', 'byPriority'), fc.stringMatching(/^[a-z][A-Za-z0-9_]{0,63}$/));
const searchName = anyText.filter((name) => Buffer.byteLength(name) <= 255);
const making: fc.Arbitrary<Making> = fc.oneof(
  fc.constant<Making>(['view']),
  baseSortKey.map((key): Making => ['edge', key]),
  fc.tuple(baseSortKey, orderName).map(([key, name]): Making => ['order', key, name]),
  fc.tuple(typeName, fc.oneof(orderName, fc.constant(''))).map(([type, name]): Making => ['owner', type, name]),
  fc.tuple(typeName, anyText).map(([type, child]): Making => ['reverse', type, child]),
  typeName.map((type): Making => ['continuation', type]),
  searchName.map((name): Making => ['search', name]),
  fc.tuple(searchName, fc.oneof(anyText, fc.constant(''))).map(([name, value]): Making => ['value', name, value]),
  fc.oneof(baseSortKey, fc.constantFrom('~view', '~ix/name')).map((target): Making => ['quarantine', target]),
);

function derivedKey([kind, ...parts]: Making): string {
  const [first = '', second = ''] = parts;
  if (kind === 'edge') return edgeIndexKey(first);
  if (kind === 'order') return edgeIndexKey(first, second);
  if (kind === 'owner') return targetItemKey(first, second === '' ? undefined : second);
  if (kind === 'reverse') return new FanOutPlaces(first).reverseKey(second);
  if (kind === 'continuation') return new FanOutPlaces(first).continuation('copies');
  if (kind === 'search') return searchKey(first);
  if (kind === 'value') return searchValueKey(first, second);
  if (kind === 'quarantine') return quarantineKey(first);
  return VIEW_KEY;
}

describe('derived sort keys', () => {
  it('are derived keys of at most 1,024 bytes', () => {
    fc.assert(
      fc.property(making, (given) => {
        const key = derivedKey(given);
        expect(isDerivedKey(key)).toBe(true);
        expect(isBaseSortKey(key)).toBe(false);
        expect(Buffer.byteLength(key)).toBeLessThanOrEqual(SORT_KEY_BYTES);
      }),
      RUNS,
    );
  });

  it('never collide: distinct edges, searches, values and quarantined items have distinct keys', () => {
    fc.assert(
      fc.property(fc.array(making, { minLength: 2, maxLength: 30 }), (makings) => {
        const distinct = new Set(makings.map((given) => JSON.stringify(given)));
        expect(new Set(makings.map(derivedKey)).size).toBe(distinct.size);
      }),
      RUNS,
    );
  });

  it('never collide, also where two texts share long parts', () => {
    const part = fc.constantFrom('A', '-', '/', '#', '%', '%2F', '~', 'x'.repeat(600));
    const text = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''));
    const name = text.filter((given) => given.length <= 255);
    const near: fc.Arbitrary<Making> = fc.oneof(
      text.map((rest): Making => ['edge', `A-${rest}`]),
      fc.tuple(text, fc.constantFrom('a', 'x')).map(([rest, order]): Making => ['order', `A-${rest}`, order]),
      fc.constantFrom<Making>(['owner', 'A', ''], ['owner', 'A', 'a'], ['owner', 'A', 'x']),
      text.map((child): Making => ['reverse', 'A', child]),
      name.map((given): Making => ['search', given]),
      fc.tuple(name, text).map(([given, value]): Making => ['value', given, value]),
    );
    fc.assert(
      fc.property(fc.array(near, { minLength: 2, maxLength: 30 }), (makings) => {
        const distinct = new Set(makings.map((given) => JSON.stringify(given)));
        expect(new Set(makings.map(derivedKey)).size).toBe(distinct.size);
      }),
      RUNS,
    );
  });
});

describe('the codec of derived keys', () => {
  const generation = fc.oneof(fc.constant(1), fc.integer({ min: 2, max: 999_999_999 }));
  const end = anyText.map((text) => ({ text }));
  const place: fc.Arbitrary<Parameters<typeof formatDerivedKey>[0]> = fc.oneof(
    fc.constant({ kind: 'view', edgeType: '', generation: 1 } as const),
    fc.tuple(baseSortKey, generation, fc.option(orderName, { nil: undefined })).map(([text, id, order]) => {
      const edgeType = typePrefix(text)!;
      const named = order === undefined ? {} : { order };
      return { kind: 'index-item', of: 'edge', edgeType, generation: id, ...named, edge: { text } } as const;
    }),
    fc.tuple(searchNameOrList(), generation, fc.option(end, { nil: undefined })).map(([search, id, value]) => {
      const each = value === undefined ? {} : { value };
      return { kind: 'index-item', of: 'search', edgeType: '', generation: id, search, ...each } as const;
    }),
    fc.tuple(typeName, generation, fc.option(orderName, { nil: undefined })).map(([edgeType, id, order]) => {
      const named = order === undefined ? {} : { order };
      const name = { text: order === undefined ? edgeType : `${edgeType}/${order}` };
      return { kind: 'target-item', edgeType, generation: id, ...named, name } as const;
    }),
    fc.tuple(typeName, generation, end).map(([edgeType, id, source]) => {
      return { kind: 'reverse-item', edgeType, generation: id, source } as const;
    }),
    fc
      .tuple(fc.constantFrom('count', 'continuation', 'source-continuation'), typeName, generation)
      .map(([kind, edgeType, id]) => ({ kind, edgeType, generation: id }) as const),
    fc.oneof(baseSortKey, fc.constant('~view')).map((text) => {
      return { kind: 'quarantine-entry', edgeType: '', generation: 1, target: { text } } as const;
    }),
  );

  function searchNameOrList(): fc.Arbitrary<string> {
    return fc.oneof(searchName, fc.constant(NODE_LIST));
  }

  it('parses what it formats into the same parts; a text that is too long into its hash, and the same key again', () => {
    fc.assert(
      fc.property(place, (given) => {
        const key = formatDerivedKey(given);
        expect(Buffer.byteLength(key)).toBeLessThanOrEqual(SORT_KEY_BYTES);
        const parsed = parseDerivedKey(key)!;
        expect(formatDerivedKey(parsed as typeof given)).toBe(key);
        const isHashed = JSON.stringify(parsed).includes('"hash"');
        const { edgeType: _, ...rest } = given;
        if (isHashed) expect(parsed).toMatchObject({ kind: given.kind, generation: given.generation });
        else expect(parsed).toEqual({ edgeType: given.edgeType, ...rest });
      }),
      RUNS,
    );
  });

  it('takes no other text for a key that a projection makes', () => {
    const near = fc
      .array(fc.constantFrom('~ix/', '@2', '/', '#', '-', '%23', '%', 'A', 'name', 'byDate', '~rev/', '0'.repeat(32)))
      .map((parts) => `~${parts.join('')}`);
    const text = fc.oneof(
      near,
      near.map((rest) => `~ix/${rest.slice(1)}`),
      anyText.map((rest) => `~ix/${rest}`),
    );
    fc.assert(
      fc.property(text, (key) => {
        fc.pre(Buffer.byteLength(key) <= SORT_KEY_BYTES);
        const parsed = parseDerivedKey(key)!;
        if (parsed.kind === 'unknown-item' || parsed.kind === 'quarantine-entry') return;
        if (parsed.kind === 'index-item' && parsed.of === 'nothing') return;
        expect(formatDerivedKey(parsed)).toBe(key);
      }),
      RUNS,
    );
  });
});

describe('the base item of an index item', () => {
  it('is named by its sort key, unless that is hashed', () => {
    fc.assert(
      fc.property(making, (given) => {
        const [kind, first = ''] = given;
        fc.pre(kind !== 'view' && kind !== 'quarantine');
        const key = derivedKey(given);
        const isHashed = (kind === 'edge' || kind === 'order') && !key.endsWith(first);
        const expected = kind === 'edge' || kind === 'order' ? (isHashed ? undefined : first) : 'USER-1';
        expect(baseKeyOfIndexItem('USER-1', key)).toBe(expected);
        const parsed = parseDerivedKey(key);
        if (parsed?.kind === 'index-item' && parsed.of === 'edge') {
          expect(parsed.order).toBe(kind === 'order' ? given[2] : undefined);
        }
      }),
      RUNS,
    );
  });
});

describe('partitions of the index', () => {
  const graph = defineGraph({
    table: { name: 'records', indexes: 1 },
    nodes: {
      USER: node({
        view: 'ALL',
        search: {
          a: {},
          'a#1': { attribute: 'a', shards: 1 },
          plain: { shards: 1 },
          'a%231': { attribute: 'a', shards: 1 },
          value: { shards: 'value' },
          region: { attribute: 'a', partition: 'country', shards: 3 },
        },
      }),
    },
    edges: {
      A: edge({ from: 'USER', to: 'USER', inbound: { orders: { gsi0: 'x', a: 'x', b: 'x' } } }),
      B: edge({ from: 'USER', to: 'USER', inbound: { orders: { gsi0: 'x', a: 'x', b: 'x' }, shards: 7 } }),
    },
  });
  const { searches } = graph.nodes.get('USER')!;

  it('belong to one search and value partition, or one edge type, order and target, each', () => {
    const owner = fc.oneof(
      fc
        .tuple(fc.constantFrom('a', 'a#1', 'plain', 'a%231', 'region'), anyText, anyText, anyText)
        .map(([name, partition, value, source]) => {
          const search = searches.get(name)!;
          const within = search.partition === undefined ? undefined : partition;
          return { owner: ['search', name, within], key: search.inForce.places.partition(within, value, source) };
        }),
      anyText.map((value) => ({
        owner: ['search', 'value', value],
        key: searches.get('value')!.inForce.places.partition(undefined, value, ''),
      })),
      fc
        .tuple(fc.constantFrom('A', 'B'), fc.constantFrom('gsi0', 'a', 'b'), anyText, anyText)
        .map(([type, order, target, source]) => {
          const sortKey = edgeSortKey(type, `USER-${target}`);
          const inbound = graph.edges.get(type)!.inbound!;
          const key = inbound.orders.get(order)!.places.partition(sortKey, '', source);
          return { owner: ['edge', type, order, target], key };
        }),
    );
    fc.assert(
      fc.property(fc.array(owner, { minLength: 2, maxLength: 20 }), (entries) => {
        const owners = new Map<string, string>();
        for (const { owner: mine, key } of entries) {
          const text = JSON.stringify(mine);
          expect(owners.get(key) ?? text).toBe(text);
          owners.set(key, text);
        }
      }),
      RUNS,
    );
  });
});
