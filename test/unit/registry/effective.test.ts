import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import { Outcomes } from '../../../src/core/kinds/parts/outcomes.ts';
import { classifyKey } from '../../../src/core/model/base-item.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { type CompiledModel, layersOf } from '../../../src/core/model/compiled.ts';
import { date, derive as deriveFn, edge, node, rank } from '../../../src/core/model/schema.ts';
import { derivedOf } from '../../../src/core/plan/derive.ts';
import type { Data } from '../../../src/registry/data.ts';
import { definitionsOf } from '../../../src/registry/definition.ts';
import { effectiveModel } from '../../../src/registry/effective.ts';
import { decodeRegistry, encodeRegistry, type Registry } from '../../../src/registry/registry.ts';
import { addGeneration, makeAllReady, registerAll } from '../../../src/registry/transitions.ts';
import { bookGraph } from '../../support/book-graph.ts';
import { goalGraph } from '../../support/contracts-model.ts';
import { followGraph } from '../../support/follow-graph.ts';

function goals(options: { shards?: number; weights?: Record<string, number>; version?: number } = {}): CompiledModel {
  const { shards = 4, weights = { LEAD: 500, TEAM: 300 }, version = 1 } = options;
  return defineGraph({
    table: 'records',
    nodes: {
      GOAL: node({ view: ['title'] }),
      USER: node({
        view: 'ALL',
        search: {
          name: { shards, caseInsensitive: true },
          initial: { attribute: deriveFn(({ name }) => `${version}${String(name).charAt(0)}`, { version }) },
        },
      }),
    },
    edges: {
      MEMBER: edge({
        from: 'GOAL',
        to: 'USER',
        edgeSet: ['role'],
        degree: true,
        inbound: { orders: { gsi0: rank('role', weights), byDate: date('date') } },
      }),
    },
  });
}

const USER: Item = { source: { S: 'USER-1' }, target: { S: 'USER-1' }, name: { S: 'Ada' } };
const MEMBER: Item = {
  ...{ source: { S: 'GOAL-1' }, target: { S: 'MEMBER-USER-1' }, role: { S: 'LEAD' } },
  date: { S: '2026-01-02T00:00:00Z' },
};

describe('the model that the registry has writers maintain', () => {
  it.each([
    ['goals', goals()],
    ['contracts', goalGraph()],
    ['books', bookGraph('books')],
    ['follows', followGraph('follows')],
  ])('is the registered model itself: %s', (_name, own) => {
    const made = effectiveModel(registered(own), dataOf(own), own);
    expect(layersOf(made)).toHaveLength(1);
    expect(definitionsAsData(made)).toEqual(definitionsAsData(own));
    expect(definitionsAsData(own).size).toBeGreaterThan(1);
  });

  it('knows when items of a type without views are absent or over, alone and as the end of edges', () => {
    const ends = { deletedWhen: 'gone', expires: 'expiresAt' };
    const own = defineGraph({
      table: 'records',
      nodes: { GOAL: node({ view: ['title'] }), TAG: node(ends), NOTE: node(ends) },
      edges: { HAS: edge({ from: 'GOAL', to: 'TAG', inbound: { orders: { byAt: 'at' } } }) },
    });
    const { nodes } = effectiveModel(registered(own), dataOf(own), own);
    expect(nodes.get('TAG')).toMatchObject({ ...ends, hasView: false });
    expect(nodes.get('NOTE')).toMatchObject({ ...ends, hasView: false });
    // What the registry's definitions say of a type stands, until the model is migrated.
    const before = { ...own.nodes.get('GOAL')!, deletedWhen: 'gone' };
    const next = { ...own, nodes: new Map([...own.nodes, ['GOAL', before]]) };
    expect(effectiveModel(registered(own), dataOf(own), next).nodes.get('GOAL')!.deletedWhen).toBeUndefined();
  });

  it('knows which edges a type without projections has: those between tenants are none', () => {
    const own = defineGraph({
      ...{ table: 'records', tenantSeparator: '.', nodes: { GOAL: node(), USER: node() } },
      edges: { KNOWS: edge({ from: 'GOAL', to: 'USER', edgeSet: false }) },
    });
    const between = (graph: CompiledModel) => classifyKey(graph, 'GOAL-a.1', 'KNOWS-USER-b.1').kind;
    expect(between(own)).toBe('misfit');
    expect(between(effectiveModel(registered(own), dataOf(own), own))).toBe('misfit');
  });

  it('is the same from data alone, without the own model having any of it', () => {
    const own = goals();
    const other = goals({ shards: 8, weights: { LEAD: 600, TEAM: 300 } });
    const made = effectiveModel(registered(own), dataOf(own), other);
    expect(derivedOf(made, 'USER-1', 'USER-1', USER)).toEqual(derivedOf(own, 'USER-1', 'USER-1', USER));
    expect(derivedOf(made, 'GOAL-1', 'MEMBER-USER-1', MEMBER)).toEqual(
      derivedOf(own, 'GOAL-1', 'MEMBER-USER-1', MEMBER),
    );
  });

  it('keeps two generations of a search, a rank and a count under keys of their own', () => {
    const own = goals();
    const next = goals({ shards: 8, weights: { LEAD: 600, TEAM: 300 } });
    let registry = registered(own);
    for (const name of ['search:USER.name', 'inbound:MEMBER']) registry = keepOf(registry, next, name);
    const made = effectiveModel(registry, new Map([...dataOf(own), ...dataOf(next)]), own);
    const user = derivedOf(made, 'USER-1', 'USER-1', USER);
    expect([...user.indexItems.keys()].sort()).toEqual(['~ix/@2/name', '~ix/initial', '~ix/name']);
    expect(user.indexItems.get('~ix/@2/name')?.['gsi0pk']).toEqual({
      S: expect.stringMatching(/^USER\.name@2#[1-8]$/),
    });
    const member = derivedOf(made, 'GOAL-1', 'MEMBER-USER-1', MEMBER);
    expect([...member.indexItems.keys()].sort()).toEqual([
      '~ix/#byDate/MEMBER-USER-1',
      '~ix/@2/MEMBER-USER-1',
      '~ix/MEMBER-USER-1',
    ]);
    expect(member.indexItems.get('~ix/@2/MEMBER-USER-1')).toMatchObject({
      gsi0pk: { S: 'MEMBER@2-USER-1' },
      gsi0sk: { S: expect.stringMatching(/^600-LEAD/) },
      counted: { S: '@2/MEMBER' },
    });
    expect(member.indexItems.get('~ix/MEMBER-USER-1')).toMatchObject({ counted: { S: 'MEMBER' } });
  });

  it('keeps the edge set of a type whose older generation has a layer of its own', () => {
    const [own, next] = [goals(), goals({ weights: { LEAD: 600, TEAM: 300 } })];
    const made = effectiveModel(
      keepOf(registered(own), next, 'inbound:MEMBER'),
      new Map([...dataOf(own), ...dataOf(next)]),
      own,
    );
    expect(layersOf(made)).toHaveLength(2);
    const outcomes = new Outcomes();
    derivedOf(made, 'GOAL-1', 'MEMBER-USER-1', MEMBER, undefined, outcomes);
    expect(outcomes.all.map(({ line, sortKey, why }) => [line, sortKey, why])).toEqual([
      ['edges.MEMBER.edgeSet', '~view', undefined],
      ['edges.MEMBER.inbound.orders.gsi0', '~ix/@2/MEMBER-USER-1', undefined],
      ['edges.MEMBER.inbound.orders.byDate', '~ix/#byDate/MEMBER-USER-1', undefined],
      ['edges.MEMBER.degree', '~ix/@2/MEMBER-USER-1', undefined],
      ['edges.MEMBER.inbound.orders.gsi0', '~ix/MEMBER-USER-1', undefined],
      ['edges.MEMBER.degree', '~ix/MEMBER-USER-1', undefined],
    ]);
  });

  it('refuses to work without the code of a derive, and takes it from the other versions', () => {
    const second = goals({ version: 2 });
    const registry = keepOf(registered(goals()), second, 'search:USER.initial');
    const data = new Map([...dataOf(goals()), ...dataOf(second)]);
    expect(() => effectiveModel(registry, data, goals())).toThrow(
      expect.objectContaining({ code: 'projection-code-missing', kind: 'retryable' }),
    );
    const both = defineGraph({
      table: 'records',
      nodes: {
        USER: node({
          view: 'ALL',
          search: { initial: { attribute: deriveFn(() => 'two', { version: 2, others: { 1: () => 'one' } }) } },
        }),
      },
    });
    const made = effectiveModel(registry, data, both);
    const { indexItems } = derivedOf(made, 'USER-1', 'USER-1', USER);
    expect(indexItems.get('~ix/initial')?.['value']).toEqual({ S: 'one' });
    expect(indexItems.get('~ix/@2/initial')?.['value']).toEqual({ S: 'two' });
  });

  it.each([
    ['into the item that orders share', 1, 2],
    ['out of the item that orders share', 2, 1],
  ])('has the function of an order that a model with other indexes takes %s', (_way, then, now) => {
    const model = (indexes: number) =>
      defineGraph({
        table: { name: 'records', indexes },
        nodes: { GOAL: node(), USER: node() },
        edges: {
          MEMBER: edge({
            ...{ from: 'GOAL', to: 'USER' },
            inbound: { orders: { byDate: 'date', byYear: deriveFn(({ date: of }) => String(of).slice(0, 4)) } },
          }),
        },
      });
    const made = effectiveModel(registered(model(then)), dataOf(model(then)), model(now));
    const { indexItems } = derivedOf(made, 'GOAL-1', 'MEMBER-USER-1', MEMBER);
    const byYear = indexItems.get(then === 1 ? '~ix/#byYear/MEMBER-USER-1' : '~ix/MEMBER-USER-1')!;
    expect(byYear[then === 1 ? 'gsi0sk' : 'gsi1sk']).toEqual({ S: '2026\u0000GOAL-1' });
  });

  it('notes a value that a search needs which a later generation of its item no longer has', () => {
    const model = (search: object) => defineGraph({ table: 'records', nodes: { USER: node({ search } as never) } });
    const [both, first] = [model({ name: {}, age: { type: 'number' } }), model({ name: {} })];
    const registry = keepOf(registered(both), first, 'search:USER.name');
    const made = effectiveModel(registry, new Map([...dataOf(both), ...dataOf(first)]), both);
    const codes = (values: Item) =>
      derivedOf(made, 'USER-1', 'USER-1', { ...USER, ...values }).problems.map(({ code }) => code);
    expect(codes({ age: { S: 'old' } })).toEqual(['wrong-type']);
    // The later generation alone says it of the name.
    expect(codes({ name: { N: '1' } })).toEqual(['wrong-type']);
  });

  it('refuses a definition with an option that this software does not know', () => {
    const own = goals();
    const data = new Map(dataOf(own));
    const { fingerprint, data: stored } = definitionsOf(own).get('search:USER.name')!;
    const search = (stored as { search: Record<string, Data> }).search;
    data.set(fingerprint, { ...(stored as object), search: { ...search, phonetic: true } });
    expect(() => effectiveModel(registered(own), data, goals({ shards: 9 }))).toThrow(
      expect.objectContaining({ code: 'unknown-registry' }),
    );
  });
});

describe('fingerprints of definitions', () => {
  const nameOf = (model: CompiledModel, name = 'search:USER.name') => definitionsOf(model).get(name)!;

  it('a change of shards changes the definition and not its meaning', () => {
    expect(nameOf(goals({ shards: 8 })).fingerprint).not.toBe(nameOf(goals()).fingerprint);
    expect(nameOf(goals({ shards: 8 })).meanings).toEqual(nameOf(goals()).meanings);
  });

  it('a change of weights changes the meaning, of the version of a derive too', () => {
    const ranked = (weights: Record<string, number>) => nameOf(goals({ weights }), 'inbound:MEMBER').meanings;
    expect(ranked({ LEAD: 501, TEAM: 300 })).not.toEqual(ranked({ LEAD: 500, TEAM: 300 }));
    const initial = (version: number) => nameOf(goals({ version }), 'search:USER.initial').meanings;
    expect(initial(2)).not.toEqual(initial(1));
  });

  it('the order in which a rank names its labels, and a type the nodes that it joins, is not part of it', () => {
    const ranked = (weights: Record<string, number>) => nameOf(goals({ weights }), 'inbound:MEMBER').fingerprint;
    expect(ranked({ TEAM: 300, LEAD: 500 })).toBe(ranked({ LEAD: 500, TEAM: 300 }));
  });
});

function registered(model: CompiledModel): Registry {
  return decodeRegistry(encodeRegistry(makeAllReady(registerAll([...definitionsOf(model).values()]))));
}

function keepOf(registry: Registry, model: CompiledModel, name: string): Registry {
  return decodeRegistry(encodeRegistry(addGeneration(registry, name, definitionsOf(model).get(name)!.fingerprint)));
}

function dataOf(model: CompiledModel): Map<string, Data> {
  return new Map([...definitionsOf(model).values()].map(({ fingerprint, data }) => [fingerprint, data]));
}

function definitionsAsData(model: CompiledModel): Map<string, Data> {
  return new Map([...definitionsOf(model).values()].map(({ name, data }) => [name, data]));
}
