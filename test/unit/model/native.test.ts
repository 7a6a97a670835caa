import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { SERVICE_ATTRIBUTES } from '../../../src/core/items/derived-item.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { nativeIndexes } from '../../../src/core/model/native-indexes.ts';
import { date, derive, edge, node, number, part, rank, source, sum } from '../../../src/core/model/schema.ts';
import { ModelError } from '../../../src/foundation/errors.ts';
import { definitionsOf } from '../../../src/registry/definition.ts';

type Options = Record<string, unknown>;

function graphOf(inbound: Options, search: Options = {}, table: Options = {}, rest: Options = {}): CompiledModel {
  return defineGraph({
    table: { name: 'library', ...table },
    nodes: { BOOK: node({ versionAttribute: 'version1' as never }), READER: node({ search: search as never }) },
    edges: {
      LOAN: edge({
        from: 'BOOK',
        to: 'READER',
        edgeSet: false,
        inbound: { native: true, ...inbound } as never,
        ...rest,
      }),
    },
  }) as CompiledModel;
}

function mistakesOf(make: () => CompiledModel): string[] {
  try {
    make();
  } catch (error) {
    if (error instanceof ModelError) return error.mistakes.map(({ path, message }) => `${path} ${message}`);
    throw error;
  }
  return [];
}

const ORDER = { byDay: 'day' };

describe('native indexes', () => {
  it('are one for each attribute, with what readers need besides the keys, and only the indexes are registered for them', () => {
    const graph = graphOf(
      { orders: { byDay: 'day', byFine: number('fine') }, project: ['day', 'note'] },
      { mail: { native: true }, name: { native: true, project: 'ALL' } },
      {},
      { deletedWhen: 'void', keys: 'hashed' },
    );
    expect(nativeIndexes(graph)).toEqual([
      { name: 'mail-target', partition: 'mail', sort: 'target', attribute: 'mail', type: 'S', attributes: [] },
      {
        name: 'name-target-all',
        partition: 'name',
        sort: 'target',
        attribute: 'name',
        type: 'S',
        attributes: undefined,
      },
      {
        ...{
          name: expect.stringMatching(/^target-day-[0-9a-f]{8}$/),
          partition: 'target',
          sort: 'day',
          attribute: 'day',
          type: 'S',
        },
        attributes: ['note', 'targetId', 'void'],
      },
      {
        ...{
          name: expect.stringMatching(/^target-fine-[0-9a-f]{8}$/),
          partition: 'target',
          sort: 'fine',
          attribute: 'fine',
          type: 'N',
        },
        attributes: ['day', 'note', 'targetId', 'void'],
      },
    ]);
    expect([...definitionsOf(graph).keys()]).toEqual(nativeIndexes(graph).map(({ name }) => `index:${name}`));
    expect(graph.indexes).toEqual(['gsi0']);
  });

  it('leave a count its items', () => {
    expect([...definitionsOf(graphOf({ orders: ORDER }, {}, {}, { degree: true })).keys()]).toEqual([
      'inbound:LOAN',
      'index:target-day',
    ]);
  });

  it('are shared by edge types with one attribute, and hold what each of them needs', () => {
    const loan = (project: readonly string[]) =>
      edge({ from: 'BOOK', to: 'READER', inbound: { native: true, orders: ORDER, project } as never });
    const graph = defineGraph({
      table: 'library',
      nodes: { BOOK: node(), READER: node() },
      edges: { LOAN: loan(['a']), WISH: loan(['b']) },
    }) as CompiledModel;
    const [shared] = nativeIndexes(graph);
    expect(shared).toMatchObject({ attributes: ['a', 'b'] });
    const namesOf = (project: readonly string[]) =>
      nativeIndexes(graphOf({ orders: ORDER, project })).map(({ name }) => name);
    // The name says what it holds: DynamoDB changes no index.
    expect(namesOf(['b', 'day', 'a'])).toEqual([shared!.name]);
    expect(namesOf(['b'])).not.toEqual([shared!.name]);
    expect(namesOf([])).toEqual(['target-day']);
  });
});

describe('native orders and searches are refused', () => {
  it.each<[string, Options]>([
    ['orders.by is by a rank', { orders: { by: rank('day', { A: 1 }) } }],
    ['orders.by is by a date', { orders: { by: date('day') } }],
    ['orders.by is by a function', { orders: { by: derive(() => 'a') } }],
    ['orders.by is by an attribute of the source node', { orders: { by: source('day') } }],
    ['orders.by is by several values', { orders: { by: ['day', 'hour'] } }],
    ['shards needs keys that are derived', { orders: ORDER, shards: 4 }],
    ['partition needs keys that are derived', { orders: ORDER, partition: 'tenant' }],
    ['projectSource needs keys', { orders: ORDER, projectSource: ['title'] }],
    ['includeTarget needs keys that are derived', { orders: ORDER, includeTarget: true }],
    ['orders.by names "target", a key of the table', { orders: { by: 'target' } }],
    [`names "model", an attribute of Edgeloom's own items`, { orders: { by: 'model' } }],
    [`names "state", an attribute of Edgeloom's own items`, { orders: { by: 'state' } }],
    ['names "since"', { orders: { by: number('since') } }],
    ['takes only A-Z', { orders: { by: 'größe' } }],
  ])('an order: %s', (message, inbound) => {
    expect(mistakesOf(() => graphOf(inbound)).join('\n')).toContain(message);
  });

  it.each<[string, Options]>([
    ['caseInsensitive needs keys that are derived', { caseInsensitive: true }],
    ['multiValue needs keys that are derived', { multiValue: true }],
    ['partition needs keys that are derived', { partition: 'tenant' }],
    ['shards needs keys that are derived', { shards: 4 }],
    ['is of a value whose key is derived', { path: ['a', 'b'] }],
    ['is of a value whose key is derived', { type: 'date' }],
  ])('a search: %s', (message, search) => {
    const mistakes = mistakesOf(() => graphOf({ orders: ORDER }, { mail: { native: true, ...search } }));
    expect(mistakes.join('\n')).toContain(message);
  });

  it.each<[string, Options, string, Options]>([
    ['the TTL', { orders: { by: 'expiresAt' } }, 'the TTL of the table has it as another type', {}],
    ['a version', { orders: { by: 'version1' } }, 'nodes.BOOK.versionAttribute has it as another type', {}],
    ['a target', { orders: { by: number('targetId') } }, 'each edge with a hashed key has it', { keys: 'hashed' }],
  ])('by %s as a value of another type', (_what, inbound, message, rest) => {
    expect(mistakesOf(() => graphOf(inbound, {}, {}, rest)).join('\n')).toContain(message);
  });

  it.each<[string, Options, Options, string]>([
    ['an order', { orders: { by: number('day') } }, {}, 'edges.WISH.inbound.orders.by'],
    ['a rank', { orders: { by: rank('fine', { A: 1 }) } }, {}, 'edges.WISH.inbound.orders.by'],
    ['a value of several', { orders: { by: [source('name'), number('day')] } }, {}, 'edges.WISH.inbound.orders.by.1'],
    ['a sum', { orders: { by: 'at' }, total: { days: sum('day') } }, {}, 'edges.WISH.inbound.total.days'],
    ['a partition', { orders: { by: 'at' }, partition: 'fine' }, {}, 'edges.WISH.inbound.partition'],
    ['a search', { orders: { by: 'at' } }, { days: number('day') }, 'nodes.READER.search.days'],
    ['a search of each', { orders: { by: 'at' } }, { day: { multiValue: true } }, 'nodes.READER.search.day'],
    ['a path', { orders: { by: 'at' } }, { by: { path: ['name', 'fine'] } }, 'nodes.READER.search.by.path'],
    ['a value of the source', { orders: { by: number(source('day')) } }, {}, 'edges.WISH.inbound.orders.by'],
  ])('by an attribute that %s has as another type', (_what, inbound, search, of) => {
    const native = { native: true, orders: { byDay: 'day', byFine: number('fine') } };
    const mistakes = mistakesOf(
      () =>
        defineGraph({
          table: 'library',
          nodes: { BOOK: node(), READER: node({ search: search as never }) },
          edges: {
            LOAN: edge({ from: 'BOOK', to: 'READER', inbound: native as never }),
            WISH: edge({ from: 'BOOK', to: 'READER', inbound: inbound as never }),
          },
        }) as CompiledModel,
    );
    expect(mistakes).toEqual([expect.stringContaining(`, and ${of} has it as another type`)]);
  });

  it.each<[string, z.ZodType, string]>([
    ['a text', z.string(), 'a text'],
    ['an optional text', z.string().optional(), 'a text'],
    ['a number that may be null', z.number().nullable(), 'null'],
    ['a list of numbers', z.array(z.number()), 'a list or set'],
    ['a number or a boolean', z.union([z.number(), z.boolean()]), 'a boolean'],
  ])('by a number that the fields of another type, part or edge type have as %s', (_what, days, form) => {
    const fields = z.object({ days });
    const mistakes = mistakesOf(
      () =>
        defineGraph({
          table: 'library',
          nodes: {
            BOOK: node({ search: { days: { type: 'number', native: true } } }),
            READER: node({ fields: fields as never, parts: { CARD: part({ fields: fields as never }) } }),
          },
          edges: { LOAN: edge({ from: 'BOOK', to: 'READER', fields: fields as never }) },
        }) as CompiledModel,
    );
    const paths = ['nodes.READER.fields', 'nodes.READER.parts.CARD.fields', 'edges.LOAN.fields'];
    expect(mistakes).toEqual(
      paths.map((path) => expect.stringContaining(`has "days" as a number, and ${path} let ${form} through`)),
    );
  });

  it('not by the time of the end, as a number', () => {
    expect(
      mistakesOf(() => graphOf({ orders: { by: number('expiresAt') } }, {}, {}, { expires: 'expiresAt' })),
    ).toEqual([]);
  });

  it('where the names of two indexes are one, or no index takes a name', () => {
    const two = graphOf({ orders: { by: 'a-target' } }, { 'target-a': { native: true } }, { sortKey: 'goal' });
    expect(nativeIndexes(two).map(({ name }) => name)).toEqual(['goal-a-target', 'target-a-goal']);
    const differ = 'table.indexes have the name target-a-target for two native ones, which differ';
    expect(mistakesOf(() => graphOf({ orders: { by: 'a-target' } }, { 'target-a': { native: true } }))).toEqual([
      `${differ}: name an attribute otherwise`,
    ]);
    for (const sortKey of ['größe', 's'.repeat(243)])
      expect(mistakesOf(() => graphOf({ orders: ORDER }, {}, { sortKey })).join('\n')).toContain('takes only A-Z');
    expect(mistakesOf(() => graphOf({ orders: ORDER }, {}, { sortKey: 's'.repeat(242) }))).toEqual([]);
  });

  it('where two want one attribute as two types, or a table has no room', () => {
    const two = () => graphOf({ orders: { byDay: number('day') } }, { day: { native: true } });
    expect(mistakesOf(two).join('\n')).toContain(
      'has "day" as a number, and nodes.READER.search.day has it as another type',
    );
    const many = () => graphOf({ orders: ORDER }, {}, { indexes: 20 });
    expect(mistakesOf(many)).toEqual(['table.indexes are 21 with the native ones, but a table has 20 at most']);
    const wide = () => graphOf({ orders: ORDER, project: Array.from({ length: 99 }, (_, i) => `a${i}`) });
    expect(mistakesOf(wide)).toEqual([
      expect.stringMatching(
        /would have 99 attributes in the index target-day-\w{8}, but DynamoDB takes 20: project fewer, or 'ALL'$/,
      ),
      'table.indexes hold 109 attributes with those of native orders and searches, but DynamoDB takes 100: project fewer',
    ]);
  });

  it('not by the texts of quarantine entries, which every index takes', () => {
    expect(mistakesOf(() => graphOf({ orders: { bySince: 'since' } }))).toEqual([]);
    expect(SERVICE_ATTRIBUTES.has('since')).toBe(false);
  });
});
