import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Item, stringOf } from '../../src/core/items/attribute-value.ts';
import { COUNTED, INDEX_KEYS } from '../../src/core/items/derived-item.ts';
import { degreeKey } from '../../src/core/items/key-forms.ts';
import { sortKeyOfEdge } from '../../src/core/model/base-item.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { isHitOf } from '../../src/core/model/projection/index-places.ts';
import { edge, node, part } from '../../src/core/model/schema.ts';
import { derivedOf } from '../../src/core/plan/derive.ts';
import { type Defined, type Definition, definitionsOf, searchName } from '../../src/registry/definition.ts';
import { keptOf } from '../../src/registry/effective.ts';
import { compileLayers } from '../../src/registry/layer.ts';
import { ownerOfItem, partitionOwners } from '../../src/registry/ownership.ts';

/** Names that keys have to escape, and names that look like what stands beside them. */
const NAMES = ['name', 'na-me', 'na/me', '#name', '@2', 'a%2Fb', 'a#3', 'a@3', 'tags', '%', 'é'];
const searches = Object.fromEntries(
  NAMES.map((name, i) => [
    name,
    {
      attribute: 'value',
      multiValue: i % 3 === 2,
      shards: ([1, 4, 'value'] as const)[i % 3]!,
      ...(i % 4 === 1 && { partition: 'country' }),
      ...(i % 3 === 2 && { attribute: 'values' }),
    },
  ]),
);
/** Of each form of key: searches one and many to a node, sharded and partitioned, orders alone and shared, owners, counts. */
const graph = defineGraph({
  table: 'records',
  nodes: {
    USER: node({
      view: 'ALL',
      list: true,
      search: { ...searches, STATE: { attribute: 'value' }, 'OTHER.name': { attribute: 'value' } },
      parts: { STATE: part({ search: searches }), A: part({ view: 'KEYS_ONLY' }) },
    }),
    TEAM: node({ view: 'ALL' }),
  },
  edges: {
    JOINED: edge({
      from: 'USER',
      to: 'TEAM',
      degree: true,
      inbound: { orders: { gsi0: 'since', gsi1: 'rank', byName: 'value', byCountry: 'country' }, includeTarget: true },
    }),
    LIKES: edge({ from: 'USER', to: ['USER', 'TEAM'], degree: true }),
    KNOWS: edge({
      from: 'USER',
      to: 'USER',
      keys: 'hashed',
      inbound: { orders: { gsi0: 'since', byName: 'value' }, partition: 'country', shards: 3 },
    }),
  },
});

type OfItems = Exclude<Definition, { kind: 'index' | 'view' }>;
const definitions = [...definitionsOf(graph).values()].filter(
  (one): one is Defined<OfItems> => one.definition.kind !== 'view',
);
/** The last parts of ids: short ones, ones that look like parts of keys, and ones that keys have no room for. */
const rest = fc.oneof(
  fc.constantFrom('1', '-', '/', '#1', '@2', '@2/x', 'A-B', '~view'),
  fc.integer({ min: 950, max: 1_010 }).map((length) => 'x'.repeat(length)),
);
const generation = fc.constantFrom(1, 2, 13, 999_999_999);

/** The names of the searches that share the items of another one. */
function packedNames(definition: Definition): string[] {
  if (definition.kind !== 'search') return [];
  const { type, packed = [] } = definition;
  return packed.map(({ name }) => searchName(type, name));
}

describe('the owner of a derived item', () => {
  it.each(definitions.map(({ name, definition }) => [name, definition] as const))(
    'is the projection that made it: %s',
    (name, definition) => {
      let made = 0;
      fc.assert(
        fc.property(rest, rest, generation, (from, to, id) => {
          const only = compileLayers([{ definition, kept: keptOf(id) }], graph, '@1');
          for (const [source, key, fields] of itemsMade(only, definition, from, to)) {
            made += 1;
            expect(ownerOfItem(source, key, fields)).toEqual({ name, generation: id });
            // Each search of a pack has partitions of its own name.
            for (const owner of partitionOwners(fields)) {
              expect(owner.generation).toBe(id);
              expect([name, ...packedNames(definition)]).toContain(owner.name);
            }
            const counted = stringOf(fields[COUNTED]);
            if (counted !== undefined) {
              expect(ownerOfItem(source, degreeKey(counted), {})).toEqual({ name, generation: id });
            }
          }
        }),
        { numRuns: 100 },
      );
      expect(made).toBeGreaterThan(50);
    },
  );
});

describe('the keys that a question asks for', () => {
  it('are those of all items that its projection makes in an index partition, but for the node among its edges', () => {
    fc.assert(
      fc.property(fc.constantFrom(...definitions), rest, rest, generation, ({ definition }, from, to, id) => {
        const only = compileLayers([{ definition, kept: keptOf(id) }], graph, '@1');
        for (const [source, key, fields, target] of itemsMade(only, definition, from, to)) {
          if (!Object.values(INDEX_KEYS).some(({ partition }) => fields[partition] !== undefined)) continue;
          if (definition.kind === 'search') {
            const search = only.nodes.get('USER')!.searches.get(definition.search.name)!;
            expect(isHitOf(search.inForce.places.itemKeys, source, key)).toBe(true);
            expect(isHitOf(search.inForce.places.itemKeys, source.replace('USER', 'USE'), key)).toBe(false);
            continue;
          }
          // The view of a part is in no index.
          if (definition.kind === 'part') throw new Error('it has no keys of an index');
          const edge = only.edges.get(definition.edge.type)!;
          const asked = [...edge.inbound!.orders.values()].map(({ places }) => places.itemKeys(edge.from, target));
          expect(asked.some((keys) => isHitOf(keys, source, key))).toBe(source !== target && key !== '');
        }
      }),
      { numRuns: 500 },
    );
  });
});

/** The index items that base items of every type want of one definition, with the sort key of the base item. */
function itemsMade(
  only: CompiledModel,
  definition: OfItems,
  from: string,
  to: string,
): [source: string, key: string, fields: Item, target: string][] {
  const attributes: Item = {
    ...{ value: { S: 'x' }, values: { SS: ['x', '#', 'y'.repeat(700)] } },
    ...{ country: { S: 'DE#1' }, since: { S: '2026' }, rank: { S: '7' } },
  };
  const expected = (source: string, target: string, image: Item) =>
    [...derivedOf(only, source, target, image).indexItems].map(([key, fields]): [string, string, Item, string] => [
      source,
      key,
      fields,
      target,
    ]);
  const [user, team] = [`USER-${from}`, `TEAM-${to}`];
  if (definition.kind === 'part') return expected(user, definition.part.name, attributes);
  if (definition.kind === 'search') return expected(user, definition.search.part ?? user, attributes);
  const edge = only.edges.get(definition.edge.type)!;
  const entered = edge.type === 'KNOWS' ? `USER-${to}` : team;
  const target = sortKeyOfEdge(edge, entered);
  const image = edge.keys === 'hashed' ? { ...attributes, targetId: { S: entered } } : attributes;
  const ofNode = expected(team, team, attributes).filter(() => definition.owners !== undefined);
  return [...expected(user, target, image), ...ofNode];
}

describe('an id', () => {
  /** The same projections in other shards and another generation. */
  function modelOf(shards: number, id: number) {
    const all = definitionsOf(
      defineGraph({
        table: 'records',
        nodes: {
          USER: node({ view: 'ALL', search: { name: { shards, partition: 'country' } } }),
          TEAM: node({ view: 'ALL' }),
        },
        edges: {
          JOINED: edge({ from: 'USER', to: 'TEAM', inbound: { orders: { gsi0: 'since', byName: 'value' }, shards } }),
          LEADS: edge({ from: 'USER', to: 'TEAM', inbound: { orders: { gsi0: 'since' }, includeTarget: true } }),
        },
      }),
    );
    const parts = [...all.values()].map(({ definition }) => ({ definition, kept: keptOf(id) }));
    return compileLayers(parts, graph, '@1');
  }

  it('that fits one generation fits all of them, in whatever shards', () => {
    const length = fc.integer({ min: 990, max: 1_017 });
    fc.assert(
      fc.property(
        length,
        fc.integer({ min: 950, max: 1_017 }),
        generation,
        fc.constantFrom(1, 9, 200),
        (to, within, id, shards) => {
          const image: Item = {
            since: { S: '2' },
            value: { S: 'v' },
            name: { S: 'n' },
            country: { S: 'c'.repeat(within) },
          };
          const problems = (model: CompiledModel) =>
            [
              ['USER-1', 'USER-1'],
              ['USER-1', `JOINED-TEAM-${'x'.repeat(to - 5)}`],
              ['USER-1', `LEADS-TEAM-${'x'.repeat(to - 5)}`],
            ].map(([source, target]) => derivedOf(model, source!, target!, image).problems.map(({ code }) => code));
          expect(problems(modelOf(shards, id))).toEqual(problems(modelOf(1, 1)));
        },
      ),
      { numRuns: 200 },
    );
  });
});
