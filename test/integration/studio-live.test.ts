import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FlowAnswer } from '../../src/studio/base/flow.ts';
import type { TypeSample } from '../../src/studio/base/table-sample.ts';
import { studioClient } from '../support/studio/client.ts';
import { openStudio } from '../support/studio/table.ts';

const GOALS = 12;

let folder: string;
let opened: Awaited<ReturnType<typeof openStudio>>;
let client: ReturnType<typeof studioClient>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'edgeloom-studio-'));
  for (const name of ['page.html', 'page.js', 'page.css']) await writeFile(join(folder, name), name);
  opened = await openStudio({ page: pathToFileURL(`${folder}/`) });
  client = studioClient(opened.studio.url);
  await opened.writer.batch((batch) => {
    batch.putNode('USER-U1', { name: 'Ada Lovelace', country: 'UK' });
    batch.putNode('USER-U2', { name: 'Terui', country: 'JP' });
    for (let i = 0; i < GOALS; i++) {
      batch.putNode(`GOAL-G${i}`, { title: `Goal ${i}`, status: i % 3 === 0 ? 'OPEN' : 'DONE' });
      batch.putEdge(`GOAL-G${i}`, 'MEMBER', 'USER-U1', { role: i % 2 === 0 ? 'LEAD' : 'HELPER', since: '2026-01-01' });
    }
  });
  await opened.worker.idle();
});

afterAll(async () => {
  await opened?.close();
  await rm(folder, { recursive: true, force: true });
});

describe('the sample of a table in the studio', () => {
  it('counts a small table exactly, and has the values of attributes that have few', async () => {
    const { answer, units } = await client.get('/api/sample');
    expect(answer).toMatchObject({ precision: 'exact' });
    expect(Object.entries<TypeSample>(answer.nodes).map(([type, { count }]) => [type, count])).toEqual([
      ['GOAL', GOALS],
      ['USER', 2],
    ]);
    expect(answer.edges.MEMBER.count).toBe(GOALS);
    expect(answer.edges.MEMBER.ways).toEqual([{ from: 'GOAL', to: 'USER', count: GOALS }]);
    expect(answer.nodes.GOAL.values).toEqual({
      status: [
        { value: 'DONE', count: 8 },
        { value: 'OPEN', count: 4 },
      ],
    });
    expect(Object.keys(answer.edges.MEMBER.values).sort()).toEqual(['role', 'since']);
    expect(units.rcu).toBeGreaterThan(0);
    // It is kept: looking again costs nothing.
    expect((await client.get('/api/sample')).units.rcu).toBe(0);
  });

  it('gives nodes by chance, of one type or of all', async () => {
    const idsOf = async (query: string): Promise<string[]> =>
      (await client.get(`/api/random${query}`)).answer.nodes.map(({ id }: { id: string }) => id);
    const goals = await idsOf('?type=GOAL');
    expect(new Set(goals)).toEqual(new Set(Array.from({ length: GOALS }, (_, i) => `GOAL-G${i}`)));
    expect(new Set(await idsOf('?type=USER'))).toEqual(new Set(['USER-U1', 'USER-U2']));
    expect(await idsOf('?type=NONE')).toEqual([]);
    expect(await idsOf('')).toHaveLength(12);
  });
});

describe('the flow of records in the studio', () => {
  it('has the changes since a number, by type and by ends, and the nodes that were written last', async () => {
    const flowOf = async (query = ''): Promise<FlowAnswer> => (await client.get(`/api/flow${query}`)).answer;
    const { writer, worker } = opened;
    const first = await flowOf();
    expect(first).toMatchObject({ hasStream: true, moved: [] });
    expect(first.recent.map(({ id }) => id)).toEqual(expect.arrayContaining(['USER-U1', 'GOAL-G0']));
    expect(Math.abs(first.recent[0]!.atMs - Date.now())).toBeLessThan(24 * 3_600_000);
    await writer.putEdge('GOAL-G0', 'MEMBER', 'USER-U2', { role: 'HELPER', since: '2026-01-02' });
    await writer.putEdge('GOAL-G1', 'MEMBER', 'USER-U2', { role: 'HELPER', since: '2026-01-02' });
    await writer.putNode('USER-U2', { name: 'Terui', country: 'FR' });
    await writer.deleteNode('GOAL-G11');
    await worker.idle();
    await expect
      .poll(async () => (await flowOf(`?after=${first.seen}`)).moved)
      .toEqual(
        expect.arrayContaining([
          { kind: 'edge', type: 'MEMBER', from: 'GOAL', to: 'USER', count: 2 },
          { kind: 'node', type: 'USER', from: '', to: '', count: 1 },
          { kind: 'node', type: 'GOAL', from: '', to: '', count: 1 },
        ]),
      );
    const now = await flowOf(`?after=${first.seen}`);
    expect(now.derived).toBeGreaterThan(first.derived);
    const newest = now.recent.slice(0, 2).map(({ id, isDeleted }) => ({ id, isDeleted }));
    expect(newest).toEqual(
      expect.arrayContaining([
        { id: 'GOAL-G11', isDeleted: true },
        { id: 'USER-U2', isDeleted: false },
      ]),
    );
    expect((await flowOf(`?after=${now.seen}`)).moved).toEqual([]);
  });
});
