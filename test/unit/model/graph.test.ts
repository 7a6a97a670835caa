import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { FOLDING } from '../../../src/core/items/folding.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { date, derive, edge, node, part, rank } from '../../../src/core/model/schema.ts';
import type { TableOptions } from '../../../src/core/model/table-options.ts';
import { goalGraph } from '../../support/contracts-model.ts';

import { anyEdge, anyNode, define, mistakesOf } from '../../support/model.ts';

describe('the model of the documentation', () => {
  const graph = goalGraph();

  it('is accepted, with its defaults filled in', () => {
    expect(graph.table).toMatchObject({
      name: 'records',
      partitionKey: 'source',
      sortKey: 'target',
      ttl: 'expiresAt',
      indexes: ['gsi0', 'gsi1'],
      indexNames: { gsi0: 'gsi0', gsi1: 'gsi1' },
    });
    expect(graph.indexes).toEqual(['gsi0', 'gsi1']);
    expect([...graph.nodes.keys()]).toEqual(['GOAL', 'USER', 'STORE', 'TEAM', 'ORG']);
    expect(graph.nodes.get('ORG')).toMatchObject({ view: { kind: 'ALL' } });
    expect(graph.nodes.get('USER')?.searches.get('email')).toMatchObject({
      indexPartition: 'USER.email',
      name: 'email',
      order: { kind: 'attribute', attribute: 'email', type: 'string' },
      multiValue: false,
      caseInsensitive: FOLDING,
      shards: 200,
      shardBy: 'value',
      hash: 'fnv1a',
      project: { kind: 'KEYS_ONLY' },
    });
    expect(graph.edges.get('GOALMEMBERSHIP')?.inbound).toMatchObject({ shards: 1, shardBy: 'source', hash: 'fnv1a' });
    expect(graph.edges.get('GOALSUBSCRIBER')).toMatchObject({ labels: undefined });
  });

  it('has a fingerprint that changes with it, and not with its validators', () => {
    const withTitle = (options: object, table = 'records') =>
      define({ table, nodes: { GOAL: anyNode(options) } }).fingerprint;
    expect(goalGraph().fingerprint).toBe(graph.fingerprint);
    expect(graph.fingerprint).toMatch(/^[0-9a-f]{8}$/);
    expect(withTitle({ view: ['title'] })).not.toBe(withTitle({ view: 'ALL' }));
    const derived = (compute: () => string, version: number) =>
      withTitle({ search: { name: derive(compute, { version }) } });
    expect(derived(() => 'a', 1)).not.toBe(derived(() => 'a', 2));
    // A bundler changes the text of a function.
    expect(derived(() => 'a', 1)).toBe(derived(() => 'b', 1));
    expect(withTitle({ fields: z.object({ title: z.string() }) })).toBe(withTitle({}));
    expect(withTitle({}, 'other')).toBe(withTitle({}));
    const withPart = (options: object) => withTitle({ parts: { STATE: part(options) } });
    expect(withPart({ fields: z.object({ mood: z.string() }) })).toBe(withPart({}));
    expect(withPart({ view: ['mood'] })).not.toBe(withPart({}));
    const others = { 1: () => 'a' };
    expect(withTitle({ search: { name: derive(() => 'b', { version: 2, others }) } })).toBe(derived(() => 'b', 2));
  });

  it('has a fingerprint that changes with the separator of tenants', () => {
    const fingerprints = [undefined, '.', '/'].map(
      (tenantSeparator) =>
        define({ table: 'records', nodes: { GOAL: node({ view: 'ALL' }) }, tenantSeparator }).fingerprint,
    );
    expect(new Set(fingerprints).size).toBe(3);
  });
  it.each(['fields', 'versionAttribute', 'others'])('has a fingerprint that changes with a search named %s', (name) => {
    const withShards = (shards: number) =>
      define({ table: 'records', nodes: { GOAL: node({ view: 'ALL', search: { [name]: { shards } } }) } }).fingerprint;
    expect(withShards(2)).not.toBe(withShards(3));
  });
});

describe('what a model may say', () => {
  it('names for the table and its attributes', () => {
    const table = { name: 'tbl', partitionKey: 'pk', sortKey: 'sk', ttl: 'ttl', indexes: { gsi0: 'one', gsi1: 'two' } };
    expect(define({ table, nodes: { USER: node({ view: 'ALL' }) } }).table).toMatchObject({
      name: 'tbl',
      partitionKey: 'pk',
      sortKey: 'sk',
      ttl: 'ttl',
      indexes: ['gsi0', 'gsi1'],
      indexNames: { gsi0: 'one', gsi1: 'two' },
    });
  });
  it('the number of indexes, over which as many orders of an edge share an item', () => {
    const inbound = { orders: { byA: 'a', byB: 'b', byC: 'c', byD: 'd' } };
    const graphWith = (indexes?: TableOptions['indexes']) =>
      defineGraph({
        table: { name: 'tbl', ...(indexes !== undefined && { indexes }) },
        nodes: { USER: node() },
        edges: { KNOWS: edge({ from: 'USER', to: 'USER', inbound }) },
      });
    const ordersOf = (graph: CompiledModel) =>
      [...graph.edges.get('KNOWS')!.inbound!.orders.values()].map(({ name, index, isNamed }) => [name, index, isNamed]);
    const packed = (...count: number[]) => count.map((i) => [['byA', 'byB', 'byC', 'byD'][i], `gsi${i}`, false]);
    const alone = (...names: string[]) => names.map((name) => [name, 'gsi0', true]);
    const one = graphWith(1);
    expect([ordersOf(one), one.indexes]).toEqual([[...packed(0), ...alone('byB', 'byC', 'byD')], ['gsi0']]);
    const three = graphWith(3);
    expect([ordersOf(three), three.indexes]).toEqual([
      [...packed(0, 1, 2), ...alone('byD')],
      ['gsi0', 'gsi1', 'gsi2'],
    ]);
    const four = graphWith(4);
    expect(ordersOf(four)).toEqual(packed(0, 1, 2, 3));
    // More than it has orders changes nothing of the table.
    expect(graphWith(20).indexes).toEqual(four.indexes);
    // The name of a further index is a number, too.
    const named = graphWith({ gsi2: 'third' });
    expect([ordersOf(named), named.table.indexNames.gsi2]).toEqual([ordersOf(three), 'third']);
    const fingerprints = [graphWith(), one, three, four].map(({ fingerprint }) => fingerprint);
    expect(new Set(fingerprints).size).toBe(4);
    expect(graphWith(2).fingerprint).toBe(fingerprints[0]);
    for (const indexes of [0, 21, 1.5, '2', { gsi20: 'x' }, { gsi0: 'a', gsi2: 'a' }])
      expect(() => graphWith(indexes as never)).toThrow('table.indexes');
  });
  it('the second index only where a second order wants it', () => {
    const edges = { KNOWS: edge({ from: 'USER', to: 'USER', inbound: { orders: { gsi0: 'since' } } }) };
    expect(defineGraph({ table: 'records', nodes: { USER: node({ view: 'ALL' }) }, edges }).indexes).toEqual(['gsi0']);
  });
  it('orders by name beyond the two indexes, which need neither of them', () => {
    const inbound = { orders: { byName: 'name', gsi1: 'b', byRole: rank('role', { LEAD: 1 }), gsi0: 'a' }, shards: 2 };
    const edges = { KNOWS: anyEdge({ from: 'USER', to: 'USER', inbound }) };
    const compiled = define({ table: 'records', nodes: { USER: node({ view: 'ALL' }) }, edges }).edges.get(
      'KNOWS',
    )?.inbound;
    expect([...compiled!.orders.keys()]).toEqual(['gsi0', 'gsi1', 'byName', 'byRole']);
    expect([...compiled!.orders.values()].map(({ index }) => index)).toEqual(['gsi0', 'gsi1', 'gsi0', 'gsi0']);
    const items = compiled!.items.map(({ orderName, orders }) => [orderName, orders.map(({ name }) => name)]);
    expect(items).toEqual([
      [undefined, ['gsi0', 'gsi1']],
      ['byName', ['byName']],
      ['byRole', ['byRole']],
    ]);
    const alone = { KNOWS: edge({ from: 'USER', to: 'USER', inbound: { orders: { byName: 'name' } } }) };
    expect(defineGraph({ table: 'records', nodes: { USER: node({ view: 'ALL' }) }, edges: alone }).indexes).toEqual([
      'gsi0',
    ]);
  });
  it('an order in short for a search', () => {
    const graph = define({
      table: 'records',
      nodes: {
        USER: anyNode({
          search: {
            alias: 'name',
            level: rank('level', { HIGH: 2, LOW: 1 }),
            initial: derive(({ name }) => String(name).charAt(0)),
            born: { attribute: date('birthday') },
          },
        }),
      },
    });
    const orders = [...graph.nodes.get('USER')!.searches.values()].map(({ order }) => order);
    expect(orders).toMatchObject([
      { kind: 'attribute', attribute: 'name', type: 'string' },
      {
        kind: 'rank',
        attribute: 'level',
        weights: new Map([
          ['HIGH', '2'],
          ['LOW', '1'],
        ]),
      },
      { kind: 'derive' },
      { kind: 'attribute', attribute: 'birthday', type: 'date' },
    ]);
  });
  it('labels by other names, computed ones, and none at all', () => {
    const labelsOf = (edgeSet: unknown) =>
      define({
        table: 'records',
        nodes: { USER: node({ view: 'ALL' }) },
        edges: { KNOWS: anyEdge({ from: 'USER', to: 'USER', edgeSet }) },
      }).edges.get('KNOWS')?.labels;
    expect(labelsOf(undefined)).toEqual([]);
    expect(labelsOf(false)).toBeUndefined();
    expect(labelsOf(['role'])).toEqual([{ name: 'role', from: { kind: 'attribute', attribute: 'role' } }]);
    expect(labelsOf({ role: 'memberRole', year: derive(() => '2020') })).toMatchObject([
      { name: 'role', from: { kind: 'attribute', attribute: 'memberRole' } },
      { name: 'year', from: { kind: 'derive' } },
    ]);
  });
  it('an attribute twice in a projection, which counts once', () => {
    const graph = define({ table: 'records', nodes: { USER: anyNode({ view: ['a', 'b', 'a'] }) } });
    expect(graph.nodes.get('USER')?.view).toEqual({ kind: 'LIST', attributes: ['a', 'b'] });
  });
  it('types with names that every object has', () => {
    expect(
      mistakesOf({
        table: 'records',
        nodes: { USER: node({ view: 'ALL' }) },
        edges: { CONSTRUCTOR: anyEdge({ from: 'USER', to: 'USER' }) },
      }),
    ).toEqual([]);
  });
});
