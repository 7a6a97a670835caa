import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { OnWrite, WrittenItem } from '../../src/client/write/on-write.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { toPlainItem } from '../../src/core/items/plain.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, part } from '../../src/core/model/schema.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

async function open(onWrite: OnWrite) {
  const graph = defineGraph({
    table: uniqueTableName(),
    nodes: {
      GOAL: node({ view: 'ALL', parts: { STATE: part() } }),
      USER: node({ view: 'ALL', fields: z.object({ name: z.string(), updatedAt: z.string() }) }),
    },
    edges: { AIMS: edge({ from: 'GOAL', to: 'USER' }) },
  });
  const { store } = await testTable(graph);
  const stored = async (source: string, target: string): Promise<object> => {
    const { item } = await store.get({ source, target }, { consistent: true });
    const { source: _s, target: _t, ...attributes } = toPlainItem(item as Item);
    return attributes;
  };
  return { graph, store, stored, writer: createWriter(graph, { store, onWrite }) };
}

/** Defaults for new items, and a count as the time. */
function stamping(): { seen: WrittenItem[]; onWrite: OnWrite } {
  const seen: WrittenItem[] = [];
  const onWrite: OnWrite = (item) => {
    seen.push(item);
    return {
      ...(item.operation === 'put' && item.attributes['status'] === undefined && { status: 'new' }),
      updatedAt: `t${seen.length}`,
    };
  };
  return { seen, onWrite };
}

describe('onWrite', () => {
  it('adds to each put and update of a node, a part and an edge', async () => {
    const { seen, onWrite } = stamping();
    const { writer, stored } = await open(onWrite);
    await writer.putNode('GOAL-1');
    await writer.putNode('GOAL-2', { status: 'open' });
    await writer.putPart('GOAL-1', 'STATE', { mood: 'good' });
    await writer.putEdge('GOAL-1', 'AIMS', 'USER-1', { role: 'LEAD' });
    expect(await stored('GOAL-1', 'GOAL-1')).toEqual({ status: 'new', updatedAt: 't1' });
    expect(await stored('GOAL-2', 'GOAL-2')).toEqual({ status: 'open', updatedAt: 't2' });
    expect(await stored('GOAL-1', 'STATE')).toEqual({ mood: 'good', status: 'new', updatedAt: 't3' });
    expect(await stored('GOAL-1', 'AIMS-USER-1')).toEqual({ role: 'LEAD', status: 'new', updatedAt: 't4' });
    await writer.updateNode('GOAL-1', { set: { title: 'Run' } });
    await writer.updateNode('GOAL-2', ({ status }) => ({ status, title: 'Swim' }));
    await writer.updatePart('GOAL-1', 'STATE', { remove: ['mood'] });
    await writer.updateEdge('GOAL-1', 'AIMS', 'USER-1', { set: { role: 'MEMBER' } });
    expect(await stored('GOAL-1', 'GOAL-1')).toEqual({ status: 'new', title: 'Run', updatedAt: 't5' });
    expect(await stored('GOAL-2', 'GOAL-2')).toEqual({ status: 'open', title: 'Swim', updatedAt: 't6' });
    expect(await stored('GOAL-1', 'STATE')).toEqual({ status: 'new', updatedAt: 't7' });
    expect(await stored('GOAL-1', 'AIMS-USER-1')).toEqual({ role: 'MEMBER', status: 'new', updatedAt: 't8' });
    expect(seen[3]).toEqual({
      ...{ operation: 'put', type: 'AIMS', source: 'GOAL-1', target: 'USER-1', attributes: { role: 'LEAD' } },
    });
    expect(seen[6]).toEqual({ operation: 'update', type: 'GOAL', id: 'GOAL-1', part: 'STATE', attributes: {} });
  });

  it('wins over each part of an update that names the same attribute', async () => {
    const { onWrite } = stamping();
    const { writer, stored } = await open(onWrite);
    await writer.putNode('GOAL-1', { mood: 'good', points: 1, updatedAt: 5 });
    const change = { remove: ['updatedAt', 'mood'], add: { updatedAt: 1, points: 1 } } as const;
    await writer.updateNode('GOAL-1', change);
    expect(await stored('GOAL-1', 'GOAL-1')).toEqual({ status: 'new', points: 2, updatedAt: 't2' });
    for (const part of ['addTo', 'deleteFrom']) await writer.updateNode('GOAL-1', { [part]: { updatedAt: ['x'] } });
    expect(await stored('GOAL-1', 'GOAL-1')).toEqual({ status: 'new', points: 2, updatedAt: 't4' });
    await expect(writer.updateNode('GOAL-1', { remove: 'updatedAt' as never })).rejects.toMatchObject({
      code: 'invalid-argument',
    });
  });

  it('adds to what an asynchronous function of an update gives', async () => {
    const { onWrite } = stamping();
    const { writer, stored } = await open(onWrite);
    await writer.putNode('GOAL-1', { points: 1 });
    await writer.updateNode('GOAL-1', async ({ points }) => ({ points: await Promise.resolve(Number(points) + 1) }));
    expect(await stored('GOAL-1', 'GOAL-1')).toEqual({ points: 2, updatedAt: 't2' });
  });

  it('adds to the items of a batch, a transaction and putMany, and within a session', async () => {
    const { onWrite } = stamping();
    const { writer, stored } = await open(onWrite);
    await writer.batch((batch) => {
      batch.putNode('GOAL-1', {});
      batch.deleteNode('GOAL-9');
    });
    await writer.transact((transaction) => {
      transaction.putNode('GOAL-2', {});
      transaction.updateNode('GOAL-1', { set: { title: 'Run' } });
    });
    await writer.putMany([{ id: 'GOAL-3' }, { source: 'GOAL-3', type: 'AIMS', target: 'USER-1' }]);
    const { createSession } = await import('../../src/client/session/session.ts');
    await writer.with(createSession()).putNode('GOAL-4', {});
    expect(await stored('GOAL-1', 'GOAL-1')).toEqual({ status: 'new', title: 'Run', updatedAt: 't3' });
    expect(await stored('GOAL-2', 'GOAL-2')).toEqual({ status: 'new', updatedAt: 't2' });
    expect(await stored('GOAL-3', 'GOAL-3')).toEqual({ status: 'new', updatedAt: 't4' });
    expect(await stored('GOAL-3', 'AIMS-USER-1')).toEqual({ status: 'new', updatedAt: 't5' });
    expect(await stored('GOAL-4', 'GOAL-4')).toEqual({ status: 'new', updatedAt: 't6' });
  });

  it('is validated with the rest, and may give nothing', async () => {
    const { writer, stored } = await open(({ attributes }) =>
      attributes['name'] === 'Ada' ? { updatedAt: '2026' } : undefined,
    );
    await writer.putNode('USER-1', { name: 'Ada' } as never);
    expect(await stored('USER-1', 'USER-1')).toEqual({ name: 'Ada', updatedAt: '2026' });
    await expect(writer.putNode('USER-2', { name: 'Bo' } as never)).rejects.toMatchObject({
      code: 'invalid-attribute',
    });
  });

  it('is refused where it is no function, or gives what are no attributes; bad arguments stay refused', async () => {
    const { graph, store, writer } = await open(() => Promise.resolve({}) as never);
    expect(() => createWriter(graph, { store, onWrite: 5 as never })).toThrow('onWrite');
    await expect(writer.putNode('GOAL-1')).rejects.toMatchObject({ code: 'invalid-argument' });
    const { writer: plain } = await open(() => ({ at: 1 }));
    await expect(plain.putNode('NONE-1' as never, {})).rejects.toMatchObject({ code: 'unknown-type' });
    await expect(plain.putNode(5 as never, {})).rejects.toMatchObject({ code: 'invalid-key' });
    await expect(plain.putNode('GOAL-1', [] as never)).rejects.toMatchObject({
      code: 'invalid-attribute',
    });
    await expect(plain.batch('no' as never)).rejects.toMatchObject({ code: 'invalid-argument' });
    await expect(plain.putMany([5 as never])).rejects.toBeInstanceOf(Error);
  });
});
