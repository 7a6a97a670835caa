import { describe, expect, it } from 'vitest';
import { createReader, type Reader } from '../../src/client/read/reader.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { edge, node, sum } from '../../src/core/model/schema.ts';
import { MemoryStore } from '../support/memory-store/memory-store.ts';

const graph = defineGraph({
  table: 'records',
  nodes: {
    PRODUCT: node({ view: 'ALL', search: { title: {} } }),
    SUPPLIER: node({ view: 'ALL' }),
    SHOP: node({ view: 'ALL' }),
  },
  edges: {
    SUPPLIES: edge({ from: 'SUPPLIER', to: 'PRODUCT', inbound: { total: { qty: sum('qty') } } }),
    STOCK: edge({ from: 'PRODUCT', to: 'SHOP', edgeSet: [], inbound: { orders: { byDate: 'since' } } }),
  },
});
const store = new MemoryStore(graph.table);
const reader = createReader(graph, { store }) as unknown as Reader<CompiledModel>;

/** JavaScript that no type checker has seen. */
const unchecked = (value: unknown): never => value as never;

describe('edges of a type that does not leave nodes of that type', () => {
  const reads: [string, () => Promise<unknown>][] = [
    ['edges', () => reader.edges('PRODUCT-1', unchecked('SUPPLIES'))],
    ['degree', () => reader.degree('PRODUCT-1', unchecked('SUPPLIES'))],
    ['has', () => reader.has('PRODUCT-1', unchecked('SUPPLIES'), unchecked('PRODUCT-2'))],
    ['getCollection', () => reader.getCollection('PRODUCT-1', unchecked({ types: ['SUPPLIES'] }))],
    ['total', () => reader.total('SHOP-1', unchecked('SUPPLIES'))],
    ['total of what leaves', () => reader.total('PRODUCT-1', 'SUPPLIES', unchecked({ direction: 'outgoing' }))],
    ['page', () => reader.page('SHOP-1', 'STOCK', unchecked({ with: ['SUPPLIES'] }))],
    ['page of a level', () => reader.page('SHOP-1', 'STOCK', unchecked({ with: [{ type: 'SUPPLIES' }] }))],
  ];
  it.each(reads)('are refused by %s', async (_name, read) => {
    await expect(read()).rejects.toMatchObject({
      code: 'unknown-type',
      message: expect.stringMatching(/^Edges of type SUPPLIES do not leave nodes of type (PRODUCT|SHOP)\.$/),
      hint: 'They leave SUPPLIER.',
    });
  });

  it('have no total of what enters, either', async () => {
    const asked = reader.total('SUPPLIER-1', 'SUPPLIES', unchecked({ direction: 'inbound' }));
    await expect(asked).rejects.toMatchObject({
      message: 'Edges of type SUPPLIES do not enter nodes of type SUPPLIER.',
    });
  });
});

describe('a boolean option that is no boolean', () => {
  const writer = createWriter(graph, { store });
  const calls: [string, () => Promise<unknown>][] = [
    ['capacity of getNode', () => reader.getNode('SHOP-1', unchecked({ capacity: 'yes' }))],
    ['reverse of inbound', () => reader.inbound('SHOP-1', 'STOCK', unchecked({ reverse: 'no' }))],
    ['consistent of edges', () => reader.edges('PRODUCT-1', 'STOCK', unchecked({ consistent: 1 }))],
    ['ifAbsent of putNode', () => writer.putNode('SHOP-1', {}, unchecked({ ifAbsent: null }))],
    ['capacity of deleteNodeWithEdges', () => writer.deleteNodeWithEdges('SHOP-1', unchecked({ capacity: 'no' }))],
  ];
  it.each(calls)('is refused: %s', async (name, call) => {
    await expect(call()).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining(`The option ${name} should be a boolean, but is `),
    });
  });
});

describe('a name that is nearly one of the model', () => {
  const near: [string, () => Promise<unknown>, string][] = [
    ['an edge type', () => reader.edges('PRODUCT-1', unchecked('STOK')), 'STOCK'],
    ['an order', () => reader.inbound('SHOP-1', 'STOCK', unchecked({ order: 'byDat' })), 'byDate'],
    ['a node type', () => reader.getNode(unchecked('PRODUKT-1')), 'PRODUCT'],
    ['a search', async () => reader.search(unchecked('PRODUCT.titel')), 'PRODUCT.title'],
  ];
  it.each(near)('of %s is told', async (_name, read, meant) => {
    await expect(read()).rejects.toMatchObject({ hint: expect.stringMatching(`^Did you mean ${meant}[?] The model`) });
  });
});
