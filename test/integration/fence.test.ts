import { describe, expect, it } from 'vitest';
import { createWriter } from '../../src/client/write/writer.ts';
import type { Item } from '../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../src/core/items/change-record.ts';
import { streamLabel } from '../../src/core/items/watermark.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { serverTime } from '../../src/store/table.ts';
import { check } from '../../src/trust/check/check.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

const USER = 'USER-1';
const VIEW = '~view';

/** Derived items of every kind that has a watermark, whose base items were changed once and, some of them, deleted. */
async function changedTwice() {
  const graph = defineGraph({
    table: uniqueTableName(),
    nodes: { USER: node({ view: ['name'], search: { name: {} } }) },
    edges: {
      FOLLOWS: edge({
        from: 'USER',
        to: 'USER',
        edgeSet: ['note'],
        inbound: { orders: { gsi0: 'since' }, project: 'ALL' },
      }),
      LIKES: edge({ from: 'USER', to: 'USER', edgeSet: false, inbound: { orders: { gsi0: 'since' } }, degree: true }),
      KNOWS: edge({ from: 'USER', to: 'USER', edgeSet: [], copy: ['name'] }),
    },
  });
  const table = await testTable(graph);
  const { store, client, streamArn } = table;
  const writer = createWriter(graph, { store });
  await writer.putNode(USER, { name: 'old' });
  await writer.putEdge(USER, 'FOLLOWS', 'USER-2', { since: '2020', note: 'old' });
  await writer.putEdge(USER, 'FOLLOWS', 'USER-3', { since: '2020', note: 'deleted' });
  await writer.putEdge(USER, 'LIKES', 'USER-2', { since: '2020' });
  await writer.putEdge(USER, 'LIKES', 'USER-3', { since: '2020' });
  await writer.putEdge(USER, 'KNOWS', 'USER-2');
  await table.projectAll();
  const early = await table.allRecords();
  await writer.putNode(USER, { name: 'new' });
  await writer.putEdge(USER, 'FOLLOWS', 'USER-2', { since: '2026', note: 'new' });
  await writer.deleteEdge(USER, 'FOLLOWS', 'USER-3');
  await writer.putEdge(USER, 'LIKES', 'USER-2', { since: '2026' });
  await writer.deleteEdge(USER, 'LIKES', 'USER-3');
  await table.projectAll();

  async function derived(): Promise<Item[]> {
    const items = (await store.scan({ segment: 0, segments: 1, consistent: true })).items;
    return items.filter(({ target }) => 'S' in target! && /^~(view|ix|rev|degree)/.test(target.S));
  }

  /** Loses what is derived and alive. */
  async function lose(): Promise<void> {
    for (const { source, target, expiresAt } of await derived()) {
      if (expiresAt !== undefined) continue;
      await store.delete({ source: (source as { S: string }).S, target: (target as { S: string }).S });
    }
  }

  const run = (mode: 'report' | 'repair' | 'rebuild') =>
    check(graph, {
      ...{ store, mode, settleMs: 20, segments: 2, streamLabel: streamLabel(streamArn) },
      serverTime: () => serverTime(graph, { client }),
    });

  return { ...table, graph, writer, early, derived, lose, run };
}

function drift({ drift: { missing, stale, orphan } }: Awaited<ReturnType<typeof check>>): number {
  return missing + stale + orphan;
}

describe('an old record that is delivered again after what it concerns was lost and made anew', () => {
  it.each(['repair', 'rebuild'] as const)('changes nothing: %s', async (mode) => {
    const { early, lose, run, projector } = await changedTwice();
    await lose();
    expect(drift(await run('report'))).toBeGreaterThan(4);
    await run(mode);
    expect(drift(await run('report'))).toBe(0);
    for (const record of early) expect((await projector.project([record])).error).toBeUndefined();
    const { drift: found } = await run('report');
    expect(found).toEqual({ missing: 0, stale: 0, orphan: 0 });
  });

  it('is settled by base items also where its time is not told', async () => {
    const { early, lose, run, projector } = await changedTwice();
    await lose();
    await run('repair');
    for (const { createdAtSeconds: _time, ...record } of early) await projector.project([record]);
    expect(drift(await run('report'))).toBe(0);
  });

  it('changes nothing where a late record has made the item again before the repair', async () => {
    const { early, lose, run, projector } = await changedTwice();
    await lose();
    await projector.project([early[0]!]);
    await run('repair');
    for (const record of early) await projector.project([record]);
    expect(drift(await run('report'))).toBe(0);
  });
});

describe('a record that is made after the fence', () => {
  it('takes the fast path, from five minutes on; before that the base item decides', async () => {
    const { store, lose, run, writer, allRecords, projector, early } = await changedTwice();
    await lose();
    await run('repair');
    const before = (await allRecords()).length;
    await writer.putEdge(USER, 'FOLLOWS', 'USER-4', { since: '2027', note: 'first' });
    await writer.putNode(USER, { name: 'newest' });
    const [edgeRecord, nodeRecord] = (await allRecords()).slice(before) as [ChangeRecord, ChangeRecord];
    const soon = await projector.project([edgeRecord]);
    expect(soon.stale).toBeGreaterThan(0);
    const sixMinutesOn = { ...nodeRecord, createdAtSeconds: nodeRecord.createdAtSeconds! + 360 };
    const later = await projector.project([sixMinutesOn]);
    expect(later).toMatchObject({ stale: 0, contradictions: 0 });
    for (const record of early) await projector.project([record]);
    expect(drift(await run('report'))).toBe(0);
    const { item } = await store.get({ source: USER, target: VIEW }, { consistent: true });
    expect(item).toMatchObject({ attributes: { M: { name: { S: 'newest' } } }, fence: { N: expect.any(String) } });
  });
});
