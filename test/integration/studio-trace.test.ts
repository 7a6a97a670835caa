import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TraceAnswer, WritesAnswer } from '../../packages/studio/api/trace.ts';
import { startStudio } from '../../packages/studio/server/studio.ts';
import { StoreError } from '../../src/foundation/errors.ts';
import { studioClient } from '../support/studio/client.ts';
import { type StubPage, stubPage } from '../support/studio/page.ts';
import { keepingLogger, openStudio } from '../support/studio/table.ts';

type Opened = Awaited<ReturnType<typeof openStudio>>;

let stub: StubPage;
let near: Opened;
let far: Opened;

beforeAll(async () => {
  stub = await stubPage();
  const { page } = stub;
  [near, far] = await Promise.all([
    openStudio({ page, isWritable: true }),
    openStudio({ page, isWritable: true, isTapped: false }),
  ]);
});

afterAll(async () => {
  await Promise.all([near?.close(), far?.close()]);
  await stub?.remove();
});

async function traced({ studio, worker }: Opened, id: string, query = ''): Promise<TraceAnswer> {
  await worker.idle();
  const client = studioClient(studio.url);
  return (await client.get(`/api/trace?source=${id}&target=${id}${query}`)).answer;
}

const named = (derived: TraceAnswer['derived']) =>
  derived.map(({ kind, of, change, changes }) => ({ kind, of, change, names: changes.map(({ name }) => name) }));

describe('the trace of a write', () => {
  it('has the write, its batch, and each derived item with milliseconds and counted units', async () => {
    const client = studioClient(near.studio.url);
    await client.post('/api/put', { subject: { id: 'GOAL-1' }, json: '{"title":"Sow","status":"OPEN"}' });
    const made = await traced(near, 'GOAL-1');
    expect(made.write).toMatchObject({ change: 'created', isCounted: true, source: 'GOAL-1' });
    const before = '{"title":"Sow","status":"OPEN"}';
    const edit = { source: 'GOAL-1', target: 'GOAL-1', before, after: '{"title":"Reap","status":"DONE"}' };
    const { answer } = await client.post('/api/update', edit);
    const { write, batch, derived, isProjected } = await traced(near, 'GOAL-1', `&after=${answer.after}`);
    expect(write!.changes).toEqual([
      { name: 'status', before: 'OPEN', after: 'DONE' },
      { name: 'title', before: 'Sow', after: 'Reap' },
    ]);
    expect(isProjected).toBe(true);
    expect(batch).toMatchObject({ records: 1 });
    expect(named(derived)).toEqual(
      expect.arrayContaining([
        { kind: 'view', of: '', change: 'changed', names: ['attributes.status', 'attributes.title'] },
        { kind: 'index-item', of: 'status', change: 'changed', names: expect.arrayContaining(['gsi0sk']) },
      ]),
    );
    for (const { afterMs, wcu, isCounted } of derived) {
      expect(isCounted).toBe(true);
      expect(wcu).toBeGreaterThan(0);
      expect(afterMs).toBeGreaterThanOrEqual(batch!.beganMs);
      expect(afterMs).toBeLessThanOrEqual(batch!.endedMs);
    }
    // An earlier write is still known by its number.
    expect((await traced(near, 'GOAL-1', `&rev=${made.write!.rev}`)).write!.change).toBe('created');
  });

  it('tells from the stream alone what another process projects, and that its milliseconds are not known', async () => {
    await far.writer.putNode('GOAL-2', { title: 'Dig', status: 'OPEN' });
    await expect.poll(async () => (await traced(far, 'GOAL-2')).isProjected, { timeout: 30_000 }).toBe(true);
    const { write, batch, derived, lag } = await traced(far, 'GOAL-2');
    expect(write).toMatchObject({ change: 'created', afterMs: null, isCounted: false, wcu: 1 });
    expect(batch).toBeNull();
    expect(lag).toContain('all records were applied');
    expect(derived.map(({ kind, afterMs, wcu }) => ({ kind, afterMs, wcu }))).toEqual(
      expect.arrayContaining([
        { kind: 'view', afterMs: null, wcu: 1 },
        { kind: 'index-item', afterMs: null, wcu: 2 },
      ]),
    );
  });

  it('shows what differs inside sets and maps, whatever the order of their entries', async () => {
    const { store } = near;
    const key = { source: { S: 'GOAL-6' }, target: { S: 'GOAL-6' } };
    const before = { M: { a: { S: 'x' }, b: { SS: ['p', 'q'] } } };
    await store.put({ ...key, same: before, within: before, sizes: { NS: ['1', '2'] } });
    await near.worker.idle();
    const sameInOtherOrder = { M: { b: { SS: ['q', 'p'] }, a: { S: 'x' } } };
    const within = { M: { a: { S: 'x' }, b: { SS: ['p', 'r'] } } };
    await store.put({ ...key, same: sameInOtherOrder, within, sizes: { NS: ['2', '3'] } });
    const { write } = await traced(near, 'GOAL-6');
    expect(write!.changes.map(({ name }) => name)).toEqual(['sizes', 'within']);
    expect(write!.changes[0]).toEqual({ name: 'sizes', before: [1], after: [3] });
    await store.put({ ...key, same: before, within, sizes: { S: 'large' } });
    const { write: retyped } = await traced(near, 'GOAL-6');
    expect(retyped!.changes).toEqual([{ name: 'sizes', before: [2, 3], after: 'large' }]);
  });

  it('tells an attribute that is absent from one that holds NULL', async () => {
    const { store } = near;
    const key = { source: { S: 'GOAL-7' }, target: { S: 'GOAL-7' } };
    await store.put({ ...key, gone: { NULL: true } });
    await near.worker.idle();
    await store.put({ ...key, come: { NULL: true } });
    const { write } = await traced(near, 'GOAL-7');
    expect(write!.changes).toEqual([
      { name: 'come', after: null },
      { name: 'gone', before: null },
    ]);
  });

  it('is taken back whole: each value with its type, and no attribute is left out for its name', async () => {
    const { writer, worker, store, studio } = near;
    const undo = async (key: { source: string; target: string }) => {
      await worker.idle();
      const { answer } = await studioClient(studio.url).get(`/api/trace?source=${key.source}&target=${key.target}`);
      const { error } = await studioClient(studio.url).post('/api/undo', { ...key, rev: answer.write.rev });
      const { item } = await store.get(key, { consistent: true });
      return { error, item, write: answer.write as NonNullable<TraceAnswer['write']> };
    };
    const key = { source: 'GOAL-5', target: 'GOAL-5' };
    const whole = {
      ...{ source: { S: 'GOAL-5' }, target: { S: 'GOAL-5' }, title: { S: 'Hay' }, status: { S: 'OPEN' } },
      ...{ model: { S: 'T' }, r: { N: '1' }, expiresAt: { N: '4000000000' }, tags: { SS: ['a', 'b'] } },
      ...{ attributes: { M: { x: { N: '1' } } }, nothing: { NULL: true as const } },
    };
    await store.put(whole);
    await worker.idle();
    await writer.deleteNode('GOAL-5');
    const deleted = await undo(key);
    expect(deleted.item).toEqual(whole);
    const { title: _, ...others } = whole;
    await store.put({ ...others, tags: { SS: ['b', 'c'] } });
    const changed = await undo(key);
    expect(changed.item).toEqual(whole);
    expect(changed.write.changes.map(({ name }) => name)).toEqual(['tags', 'title']);
    // What was made goes only as it was made.
    await writer.putEdge('GOAL-5', 'MEMBER', 'USER-1', { role: 'LEAD' });
    const edge = { source: 'GOAL-5', target: 'MEMBER-USER-1' };
    await worker.idle();
    const { answer } = await studioClient(studio.url).get('/api/trace?source=GOAL-5&target=MEMBER-USER-1');
    await writer.putEdge('GOAL-5', 'MEMBER', 'USER-1', { role: 'HELPER' });
    const late = await studioClient(studio.url).post('/api/undo', { ...edge, rev: answer.write.rev });
    expect(late.error).toMatchObject({ code: 'condition-failed' });
    expect((await undo(edge)).item).toMatchObject({ role: { S: 'LEAD' } });
  });

  it('does not take a batch that failed for one that was projected', async () => {
    const { tap, graph, store } = near;
    const key = { source: 'GOAL-9', target: 'GOAL-9' };
    const record = { ...key, newImage: { title: { S: 'Rake' } }, stream: 'failing', sequenceNumber: '1' };
    const fail = async (): Promise<never> => {
      throw new StoreError('retryable', 'throttled', 'The table is busy.');
    };
    const projector = tap.projector(
      graph,
      Object.assign(Object.create(store) as typeof store, { get: fail, getMany: fail }),
    );
    const result = await projector.project([record], { remainingMs: () => 0 });
    expect(result.failedFrom).toEqual(record);
    expect(tap.batchOf(record)).toBeUndefined();
  });

  it('lists the newest writes, edges and deletions among them', async () => {
    const { writer, worker, studio } = near;
    await writer.putEdge('GOAL-1', 'MEMBER', 'USER-1', { role: 'LEAD', since: '2026-01-01' });
    await worker.idle();
    await writer.deleteEdge('GOAL-1', 'MEMBER', 'USER-1');
    await worker.idle();
    const client = studioClient(studio.url);
    const { writes, hasStream } = (await client.get('/api/writes')).answer as WritesAnswer;
    expect(hasStream).toBe(true);
    expect(writes.slice(0, 2)).toMatchObject([
      { source: 'GOAL-1', target: 'MEMBER-USER-1', change: 'deleted' },
      { source: 'GOAL-1', target: 'MEMBER-USER-1', change: 'created' },
    ]);
    const { rev } = writes[0]!;
    const trace = (await client.get(`/api/trace?source=GOAL-1&target=MEMBER-USER-1&rev=${rev}`)).answer as TraceAnswer;
    expect(trace.derived.map(({ kind, change }) => [kind, change])).toEqual(
      expect.arrayContaining([
        ['view', 'changed'],
        ['index-item', 'deleted'],
      ]),
    );
  });

  it('has nothing to tell of a write that it does not know', async () => {
    expect(await traced(near, 'GOAL-NONE')).toMatchObject({ write: null, derived: [] });
  });

  it('is not needed for the write: one is made where the stream may not be read', async () => {
    const { graph, store, client, streamArn } = far;
    const refused = Object.assign(new Error(`Not authorized to read ${streamArn}`), { name: 'AccessDeniedException' });
    const streams = { send: () => Promise.reject(refused) } as unknown as Opened['streams'];
    const { page } = stub;
    const studio = await startStudio({
      graph,
      store,
      client,
      streams,
      isWritable: true,
      page,
      logger: keepingLogger().logger,
    });
    try {
      const asked = studioClient(studio.url);
      const put = await asked.post('/api/put', { subject: { id: 'GOAL-4' }, json: '{"title":"Mow"}' });
      expect(put.answer).toMatchObject({ changed: ['title'] });
      const { error } = await asked.get('/api/trace?source=GOAL-4&target=GOAL-4');
      expect(error!.message).toContain('Not authorized');
    } finally {
      await studio.close();
    }
    const { item } = await store.get({ source: 'GOAL-4', target: 'GOAL-4' }, { consistent: true });
    expect(item!['title']).toEqual({ S: 'Mow' });
  });
});
