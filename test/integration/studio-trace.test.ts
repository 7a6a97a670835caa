import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TraceAnswer, WritesAnswer } from '../../packages/studio/api/trace.ts';
import { studioClient } from '../support/studio/client.ts';
import { openStudio } from '../support/studio/table.ts';

type Opened = Awaited<ReturnType<typeof openStudio>>;

let folder: string;
let near: Opened;
let far: Opened;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'edgeloom-studio-'));
  for (const name of ['page.html', 'page.js', 'page.css']) await writeFile(join(folder, name), name);
  const page = pathToFileURL(`${folder}/`);
  [near, far] = await Promise.all([
    openStudio({ page, isWritable: true }),
    openStudio({ page, isWritable: true, isTapped: false }),
  ]);
});

afterAll(async () => {
  await Promise.all([near?.close(), far?.close()]);
  await rm(folder, { recursive: true, force: true });
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
    const subject = { id: 'GOAL-1' };
    await client.post('/api/put', { subject, json: '{"title":"Sow","status":"OPEN"}' });
    const made = await traced(near, 'GOAL-1');
    expect(made.write).toMatchObject({ change: 'made', isCounted: true, source: 'GOAL-1' });
    const before = '{"title":"Sow","status":"OPEN"}';
    const { answer } = await client.post('/api/update', { subject, before, after: '{"title":"Reap","status":"DONE"}' });
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
    expect((await traced(near, 'GOAL-1', `&rev=${made.write!.rev}`)).write!.change).toBe('made');
  });

  it('tells from the stream alone what another process projects, and that its milliseconds are not known', async () => {
    await far.writer.putNode('GOAL-2', { title: 'Dig', status: 'OPEN' });
    await expect.poll(async () => (await traced(far, 'GOAL-2')).isProjected, { timeout: 30_000 }).toBe(true);
    const { write, batch, derived, lag } = await traced(far, 'GOAL-2');
    expect(write).toMatchObject({ change: 'made', afterMs: null, isCounted: false, wcu: 1 });
    expect(batch).toBeNull();
    expect(lag).toContain('all records were applied');
    expect(derived.map(({ kind, afterMs, wcu }) => ({ kind, afterMs, wcu }))).toEqual(
      expect.arrayContaining([
        { kind: 'view', afterMs: null, wcu: 1 },
        { kind: 'index-item', afterMs: null, wcu: 2 },
      ]),
    );
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
      { source: 'GOAL-1', target: 'MEMBER-USER-1', change: 'made' },
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
});
