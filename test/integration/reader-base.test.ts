import { describe, expect, it } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { allPages, countingReader } from '../support/reader.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

async function open() {
  const graph = defineGraph({
    table: uniqueTableName(),
    nodes: { GOAL: node({ view: ['title'], list: true }), USER: node({ view: 'ALL' }) },
    edges: {
      AIMS: edge({
        from: 'GOAL',
        to: 'USER',
        edgeSet: false,
        inbound: { orders: { gsi0: 'since', gsi1: 'role' }, shards: 3 },
      }),
      NEEDS: edge({ from: 'GOAL', to: 'GOAL', keys: 'hashed' }),
    },
  });
  const table = await testTable(graph);
  const { store } = table;
  return { ...table, graph, writer: createWriter(graph, { store }), reader: createReader(graph, { store }) };
}

describe('reads of base items', () => {
  it('give a node and an edge with all of their attributes before anything is projected', async () => {
    const { writer, reader } = await open();
    await writer.putNode('GOAL-1', { title: 'Run', hidden: 1 });
    await writer.putEdge('GOAL-1', 'AIMS', 'USER-1', { since: '2026', note: 'x' });
    await writer.putEdge('GOAL-1', 'NEEDS', 'GOAL-2', { weight: 2 });
    const node = await reader.getNode('GOAL-1', { consistent: true });
    expect(node).toEqual({ id: 'GOAL-1', attributes: { title: 'Run', hidden: 1 } });
    expect(await reader.getNode('GOAL-2')).toBeNull();
    expect(await reader.getEdge('GOAL-1', 'AIMS', 'USER-1')).toEqual({
      ...{ source: 'GOAL-1', type: 'AIMS', target: 'USER-1' },
      attributes: { since: '2026', note: 'x' },
    });
    expect(await reader.getEdge('GOAL-1', 'NEEDS', 'GOAL-2')).toMatchObject({
      target: 'GOAL-2',
      attributes: { weight: 2 },
    });
    expect(await reader.getEdge('GOAL-1', 'AIMS', 'USER-2')).toBeNull();
    await expect(reader.getEdge('USER-1' as never, 'AIMS', 'USER-1')).rejects.toMatchObject({ code: 'unknown-type' });
    await expect(reader.getNode('NONE-1' as string)).rejects.toMatchObject({ code: 'unknown-type' });
  });

  it('give a node with its edges in one Query, page by page', async () => {
    const { writer, graph, endpoint } = await open();
    await writer.putNode('GOAL-1', { title: 'Run' });
    for (let i = 0; i < 7; i++) {
      await writer.putEdge('GOAL-1', 'AIMS', `USER-${i}`, { since: '1' });
      await writer.putEdge('GOAL-1', 'NEEDS', `GOAL-${i}`, {});
    }
    const { reader, callsOf } = countingReader(graph, endpoint);
    const whole = await reader.getCollection('GOAL-1');
    expect(whole.node).toEqual({ id: 'GOAL-1', attributes: { title: 'Run' } });
    expect(whole.items).toHaveLength(14);
    expect(whole).not.toHaveProperty('cursor');
    expect(await callsOf(() => reader.getCollection('GOAL-1', { consistent: true }))).toEqual({ QueryCommand: 1 });
    const nodes: unknown[] = [];
    const pages = await allPages(async (cursor) => {
      const page = await reader.getCollection('GOAL-1', { limit: 4, cursor });
      nodes.push(page.node);
      return page;
    });
    expect(pages.map((page) => page.length)).toEqual([4, 4, 4, 2]);
    expect(pages.flat()).toEqual(whole.items);
    expect(nodes).toEqual([{ id: 'GOAL-1', attributes: { title: 'Run' } }, undefined, undefined, undefined]);
    const needs = await reader.getCollection('GOAL-1', { types: ['NEEDS'], limit: 3 });
    expect([needs.node?.id, needs.items.map(({ type }) => type)]).toEqual(['GOAL-1', ['NEEDS', 'NEEDS', 'NEEDS']]);
    const none = await reader.getCollection('GOAL-1', { types: [] });
    expect([none.node?.id, none.items]).toEqual(['GOAL-1', []]);
    expect(await reader.getCollection('GOAL-9')).toEqual({ node: null, items: [] });
  });
});

describe('the list of the nodes of a type', () => {
  it('has every node by id, page by page, and none that is gone', async () => {
    const { writer, reader, projectAll } = await open();
    const ids = Array.from({ length: 25 }, (_, i) => `GOAL-${String(i).padStart(2, '0')}` as const);
    await writer.batch((batch) => {
      for (const id of ids) batch.putNode(id, { title: id });
      batch.putNode('USER-1');
    });
    await projectAll();
    const pages = await allPages((cursor) => reader.nodes('GOAL', { limit: 10, cursor }));
    expect(pages.map((page) => page.length)).toEqual([10, 10, 5]);
    expect(pages.flat().map(({ id }) => id)).toEqual(ids);
    expect(pages[0]![0]).toMatchObject({ attributes: { title: 'GOAL-00' }, edgeSet: [] });
    await writer.deleteNode('GOAL-00');
    await projectAll();
    expect((await reader.nodes('GOAL', { limit: 1 })).items[0]!.id).toBe('GOAL-01');
    expect((await reader.nodes('GOAL', { limit: 1, reverse: true })).items[0]!.id).toBe('GOAL-24');
    await expect(reader.nodes('USER' as 'GOAL')).rejects.toMatchObject({
      code: 'not-declared',
      message: 'Nodes of type USER have no list.',
    });
  });
});
