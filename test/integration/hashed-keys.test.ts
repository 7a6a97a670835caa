import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { importFile } from '../../src/client/write/import.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { edge, node, rank } from '../../src/core/model/schema.ts';
import { hashedEdgeKey } from '../../src/index.ts';
import type { CheckOptions } from '../../src/trust/check/check.ts';
import { redrive } from '../../src/trust/repair/redrive.ts';
import { checkTools } from '../support/checked-table.ts';
import { neighborsOf } from '../support/page-nodes.ts';
import { allPages } from '../support/reader.ts';
import { openTable, uniqueTableName } from '../support/table.ts';

/** The longest id that a node can have; no plain key has room for it and an edge type. */
const LONGEST: `USER-${string}` = `USER-${'é'.repeat(509)}x`;
const KEY = hashedEdgeKey('FRIEND', 'USER-2');

function friendsGraph() {
  return defineGraph({
    table: uniqueTableName(),
    nodes: { USER: node({ view: ['name'] }), TEAM: node({ view: 'ALL' }) },
    edges: {
      FRIEND: edge({
        from: 'USER',
        to: 'USER',
        edgeSet: ['since'],
        keys: 'hashed',
        inbound: { orders: { gsi0: 'since' } },
      }),
      KNOWS: edge({ from: 'USER', to: ['USER', 'TEAM'], edgeSet: false, keys: 'hashed', degree: true }),
      MEMBER: edge({
        fields: z.strictObject({ role: z.enum(['LEAD', 'OTHER']).default('OTHER') }),
        from: 'TEAM',
        to: 'USER',
        keys: 'hashed',
        inbound: { orders: { gsi0: rank('role', { LEAD: 500, OTHER: 100 }) }, shards: 3, project: 'ALL' },
      }),
    },
  });
}

async function friends() {
  const table = await openTable(friendsGraph());
  const { graph, store, endpoint } = table;
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const documents = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, region: 'us-east-1', credentials }));
  const put = (attributes: Record<string, unknown>) =>
    documents.send(new PutCommand({ TableName: graph.table.name, Item: { source: 'USER-1', ...attributes } }));
  const deleted = (target: string) =>
    documents.send(new DeleteCommand({ TableName: graph.table.name, Key: { source: 'USER-1', target } }));
  const checked = (mode: CheckOptions['mode'] = 'report') =>
    checkTools(graph, store).run({ graceMs: 0, segments: 1, mode, dangling: true });
  return {
    ...{ ...table, put, deleted, checked },
    openWriter: createWriter(graph as CompiledModel, { store }),
  };
}

describe('edges with hashed keys', () => {
  it('are written, asked for, listed, found from their target and deleted, however long the ids are', async () => {
    const { writer, reader, projectAll, checked } = await friends();
    for (const id of ['USER-2', LONGEST] as const) {
      await writer.putNode(id, { name: 'Ada' });
      expect(await reader.has('USER-1', 'FRIEND', id)).toBe(false);
      await writer.putEdge('USER-1', 'FRIEND', id, { since: '2026', note: 'x' });
      expect(await reader.has('USER-1', 'FRIEND', id, { consistent: true })).toBe(true);
    }
    expect(await reader.has('USER-1', 'FRIEND', 'USER-3')).toBe(false);
    expect(await projectAll()).toMatchObject({ quarantined: 0 });
    await reader.waitForProjection('USER-1', 'FRIEND', 'USER-2', { timeoutMs: 0 });
    const attributes = { since: '2026', note: 'x' };
    const listed = { source: 'USER-1', type: 'FRIEND', attributes };
    const { items } = await reader.edges('USER-1', 'FRIEND', { consistent: true });
    expect(items).toHaveLength(2);
    expect(items).toEqual(expect.arrayContaining([LONGEST, 'USER-2'].map((target) => ({ ...listed, target }))));
    const pages = await allPages((cursor) => reader.edges('USER-1', 'FRIEND', { cursor, limit: 1 }));
    expect(pages.flat()).toEqual(items);
    const [view] = await reader.getViews(['USER-1'], { consistent: true });
    expect(view?.edgeSet).toEqual([
      { type: 'FRIEND', target: 'USER-2', since: '2026' },
      { type: 'FRIEND', target: LONGEST, since: '2026' },
    ]);
    expect((await reader.inbound(LONGEST, 'FRIEND')).items).toMatchObject([{ source: 'USER-1', target: LONGEST }]);
    const page = await reader.page('USER-2', 'FRIEND');
    expect(page.items).toMatchObject([{ id: 'USER-1' }]);
    expect(neighborsOf(page)[LONGEST]).toEqual({ name: 'Ada' });
    expect((await checked()).findings).toEqual([]);
    await writer.deleteEdge('USER-1', 'FRIEND', LONGEST);
    await projectAll();
    expect(await reader.has('USER-1', 'FRIEND', LONGEST)).toBe(false);
    expect((await reader.inbound(LONGEST, 'FRIEND')).items).toEqual([]);
    expect((await checked()).drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
  });

  it('hold the target beside the key, which no validator and no reader sees', async () => {
    const { writer, openWriter, reader, store, projectAll } = await friends();
    await writer.putEdge('TEAM-1', 'MEMBER', 'USER-2', { role: 'LEAD' });
    const base = { source: 'TEAM-1', target: hashedEdgeKey('MEMBER', 'USER-2') };
    const { item } = await store.get(base, { consistent: true });
    expect(item).toEqual({
      ...{ source: { S: base.source }, target: { S: base.target } },
      ...{ targetId: { S: 'USER-2' }, role: { S: 'LEAD' } },
    });
    await projectAll();
    const inbound = await reader.inbound('USER-2', 'MEMBER', { atLeast: 'LEAD' });
    expect(inbound.items).toEqual([
      { source: 'TEAM-1', type: 'MEMBER', target: 'USER-2', attributes: { role: 'LEAD' } },
    ]);
    await openWriter.putEdge('TEAM-1', 'MEMBER', 'USER-2', { targetId: 'USER-2' });
    await expect(openWriter.putEdge('TEAM-1', 'MEMBER', 'USER-2', { targetId: 'USER-3' })).rejects.toMatchObject({
      code: 'invalid-edge',
      message: expect.stringContaining('targetId is "USER-3", but the edge\'s target is "USER-2"'),
    });
    expect((await reader.edges('TEAM-1', 'MEMBER')).items).toMatchObject([{ attributes: { role: 'OTHER' } }]);
  });

  it('are counted, and found to dangle by the id of their target', async () => {
    const { writer, reader, projectAll, checked, put } = await friends();
    for (const id of ['USER-2', 'USER-3', 'TEAM-1'] as const) await writer.putEdge('USER-1', 'KNOWS', id);
    await writer.putNode('USER-3');
    await writer.deleteEdge('USER-1', 'KNOWS', 'TEAM-1');
    await put({ target: KEY });
    await projectAll();
    expect(await reader.degree('USER-1', 'KNOWS', { consistent: true })).toBe(2);
    const { findings } = await checked();
    const dangling = { source: 'USER-1', target: hashedEdgeKey('KNOWS', 'USER-2'), expected: 'a node USER-2' };
    expect(findings.filter(({ verdict }) => verdict === 'dangling')).toEqual([expect.objectContaining(dangling)]);
  });
});

describe('a producer on the plain SDK', () => {
  it.each([
    ['a plain key', { target: 'FRIEND-USER-2', since: '1' }, 'has hashed keys, and this is none'],
    ['no target beside it', { target: KEY, since: '1' }, 'no text targetId says whose'],
    ['a number beside it', { target: KEY, targetId: 2 }, 'no text targetId says whose'],
    ['the target of another key', { target: KEY, targetId: 'USER-3' }, 'is not the hashed key of its targetId'],
    ['a node type that it cannot enter', { target: hashedEdgeKey('FRIEND', 'TEAM-1'), targetId: 'TEAM-1' }, 'enters'],
  ])('and gets it wrong with %s finds it in quarantine, with what to do', async (_what, attributes, reason) => {
    const { put, deleted, reader, projectAll, checked, graph, store } = await friends();
    await put(attributes);
    expect(await projectAll()).toMatchObject({ quarantined: 1 });
    const [quarantined] = (await checked()).findings.filter(({ verdict }) => verdict === 'quarantined');
    const text = JSON.stringify(quarantined);
    expect(text).toContain(reason);
    if (reason !== 'enters') expect(text).toContain('Put it under hashedEdgeKey(edgeType, target)');
    // It is no edge to anyone.
    expect(await reader.has('USER-1', 'FRIEND', 'USER-2')).toBe(false);
    expect((await reader.edges('USER-1', 'FRIEND')).items).toEqual([]);
    expect((await reader.getViews(['USER-1']))[0]?.edgeSet ?? []).toEqual([]);
    // Done as the remedy says.
    await deleted(attributes.target);
    await put({ target: KEY, targetId: 'USER-2', since: '2026' });
    await projectAll();
    await redrive(graph, { store });
    expect((await checked()).findings.filter(({ verdict }) => verdict !== 'dangling')).toEqual([]);
    expect(await reader.has('USER-1', 'FRIEND', 'USER-2')).toBe(true);
  });

  it('who spoils an edge that was right takes it out of everything derived, until it is mended', async () => {
    const { put, reader, projectAll, checked } = await friends();
    const right = { target: KEY, targetId: 'USER-2', since: '2026' };
    await put(right);
    await projectAll();
    await put({ ...right, targetId: 'USER-3' });
    await projectAll();
    expect((await reader.getViews(['USER-1']))[0]?.edgeSet ?? []).toEqual([]);
    expect((await reader.inbound('USER-2', 'FRIEND')).items).toEqual([]);
    expect((await checked()).drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
    await put(right);
    await projectAll();
    expect((await reader.getViews(['USER-1']))[0]?.edgeSet).toEqual([
      { type: 'FRIEND', target: 'USER-2', since: '2026' },
    ]);
  });

  it('imports lines with the key and the target', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'edgeloom-hashed-'));
    try {
      const { graph, store, reader } = await friends();
      const file = join(folder, 'items.jsonl');
      const line = { source: 'TEAM-1', target: hashedEdgeKey('MEMBER', 'USER-2'), targetId: 'USER-2' };
      await writeFile(file, `${JSON.stringify(line)}\n${JSON.stringify({ ...line, targetId: 'USER-3' })}\n`);
      await expect(importFile(graph, { store, file })).rejects.toThrow('is not the hashed key of its targetId');
      await writeFile(file, JSON.stringify(line));
      expect(await importFile(graph, { store, file })).toMatchObject({ items: 1 });
      const { items } = await reader.edges('TEAM-1', 'MEMBER', { consistent: true });
      expect(items).toEqual([{ source: 'TEAM-1', type: 'MEMBER', target: 'USER-2', attributes: { role: 'OTHER' } }]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
