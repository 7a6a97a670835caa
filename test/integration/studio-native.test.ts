import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nativeIndexes } from '../../src/core/model/native-indexes.ts';
import { studioClient } from '../support/studio/client.ts';
import { openStudio } from '../support/studio/table.ts';

const STARS = 300;

let opened: Awaited<ReturnType<typeof openStudio>>;
let client: ReturnType<typeof studioClient>;

beforeAll(async () => {
  opened = await openStudio({ page: 'stub', isWritable: true });
  client = studioClient(opened.studio.url);
  const { writer, worker } = opened;
  await writer.putNode('USER-U1', { name: 'Ada', mail: 'ada@example.com' });
  await writer.putNode('GOAL-G1', { title: 'Sow', status: 'OPEN' });
  await writer.batch((batch) => {
    for (let i = 0; i < STARS; i++)
      batch.putEdge(`USER-${i}`, 'STARRED', 'GOAL-G1', { stars: i % 5, note: `${i}`, ...(i === 7 && { void: true }) });
  });
  await worker.idle();
});

afterAll(() => opened?.close());

/** The name of the index by an attribute. */
const indexBy = (attribute: string): string =>
  nativeIndexes(opened.graph).find((index) => index.attribute === attribute)!.name;

describe('native orders and searches in the studio', () => {
  it('are in the model, and lists and searches are asked in their index', async () => {
    const { answer: model } = await client.get('/api/model');
    expect(model.edges).toContainEqual(
      expect.objectContaining({
        ...{ type: 'STARRED', isNative: true, shards: 1 },
        orders: [{ name: 'byStars', kind: 'attribute', from: 'stars', type: 'number' }],
      }),
    );
    const [user] = model.nodes.filter(({ type }: { type: string }) => type === 'USER');
    expect(user.searches).toContainEqual(
      expect.objectContaining({ name: 'USER.mail', isNative: true, shards: 'value', filters: ['name'] }),
    );
    const { answer: list } = await client.get('/api/query?type=STARRED&id=GOAL-G1&from=4&limit=3&reverse=true');
    expect(list.rows).toHaveLength(3);
    expect(list.rows[2].sortedBy).toEqual([{ name: 'stars', value: expect.any(Number), isOfSource: false }]);
    expect(list.plan).toMatchObject({ calls: 1, partitions: [`${indexBy('stars')} STARRED-GOAL-G1`] });
    expect(list.code).toContain(
      "reader.inbound('GOAL-G1', 'STARRED', { between: [ 4, null ], reverse: true, limit: 3 })",
    );
    const { answer: found } = await client.get('/api/query?search=USER.mail&equals=ada@example.com');
    const by = { source: 'USER-U1', target: 'USER-U1' };
    expect(found.rows).toEqual([
      {
        id: 'USER-U1',
        sortedBy: [{ name: 'mail', value: 'ada@example.com', isOfSource: false }],
        name: 'Ada',
        attributes: { name: 'Ada' },
        by,
      },
    ]);
    expect((await client.get('/api/shards?name=USER.mail')).error).toMatchObject({ code: 'not-declared' });
  });

  it('are counted row by row, without what counts as deleted', async () => {
    const { answer } = await client.get('/api/lists?id=GOAL-G1');
    expect(answer.lists).toContainEqual({
      ...{ type: 'STARRED', direction: 'incoming', count: STARS - 1, isExact: true },
    });
  });

  it('have a write of an edge as soon as it is written, with the units of their index', async () => {
    const { writer, worker, store } = opened;
    await writer.putEdge('USER-U1', 'STARRED', 'GOAL-G2', { stars: 1, note: 'a' });
    const rows = async () => (await client.get('/api/query?type=STARRED&id=GOAL-G2')).answer.rows;
    expect(await rows()).toMatchObject([{ id: 'USER-U1', attributes: { note: 'a' } }]);
    const trace = async () => (await client.get('/api/trace?source=USER-U1&target=STARRED-GOAL-G2')).answer;
    await expect.poll(async () => (await trace()).write).not.toBeNull();
    // The studio's own store did not write it: the units are those of the images.
    expect(await trace()).toMatchObject({ derived: [], write: { wcu: 2, isCounted: false } });
    await store.put({
      ...{ source: { S: 'USER-U1' }, target: { S: 'STARRED-GOAL-G2' } },
      ...{ stars: { N: '1' }, note: { S: 'a' }, other: { S: 'x' } },
    });
    await worker.idle();
    await expect.poll(async () => (await trace()).write.change).toBe('changed');
    const { answer } = await client.get('/api/explain?source=USER-U1&target=STARRED-GOAL-G2');
    expect(answer.parts).toContainEqual(
      expect.objectContaining({
        ...{ name: 'edges.STARRED.inbound.orders.byStars', state: 'right' },
        reason: `The index ${indexBy('stars')}, kept by DynamoDB, has it at stars 1.`,
      }),
    );
  });
});
