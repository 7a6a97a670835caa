import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HistoryAnswer } from '../../packages/studio/api/history.ts';
import { studioClient } from '../support/studio/client.ts';
import { openStudio } from '../support/studio/table.ts';

let folder: string;
let opened: Awaited<ReturnType<typeof openStudio>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'edgeloom-studio-'));
  for (const name of ['page.html', 'page.js', 'page.css']) await writeFile(join(folder, name), name);
  opened = await openStudio({ page: pathToFileURL(`${folder}/`) });
});

afterAll(async () => {
  await opened?.close();
  await rm(folder, { recursive: true, force: true });
});

async function historyOf(id: string): Promise<HistoryAnswer> {
  const { answer, error } = await studioClient(opened.studio.url).get(`/api/history?id=${id}`);
  expect(error).toBeUndefined();
  return answer as HistoryAnswer;
}

/** The states one after the other. */
const statesOf = ({ stretches }: HistoryAnswer) => stretches.map(({ state }) => state);

describe('a node over time', () => {
  it('has what the base was, what was stored, and lag until they agreed', async () => {
    const { writer, worker } = opened;
    await writer.putNode('GOAL-1', { title: 'Sow', status: 'OPEN' });
    await worker.idle();
    await writer.putNode('GOAL-1', { title: 'Reap', status: 'DONE' });
    await worker.idle();
    const history = await historyOf('GOAL-1');
    expect(statesOf(history)).toEqual(['lag', 'equal', 'lag', 'equal']);
    const { moments, stretches, versions } = history;
    expect(moments.map(({ target, change }) => [target, change])).toEqual(
      expect.arrayContaining([
        ['GOAL-1', 'made'],
        ['~view', 'made'],
        ['GOAL-1', 'changed'],
        ['~view', 'changed'],
      ]),
    );
    // Just after the second write: the base is new, the view is old, and what is expected of it is new.
    const { first } = stretches[2]!;
    const then = versions.filter((version) => version.first <= first && first <= version.last).map(({ item }) => item);
    const attributesOf = (target: string) => then.find((item) => item.target === target)!.attributes;
    expect(attributesOf('GOAL-1')).toMatchObject({ title: 'Reap', status: 'DONE' });
    expect(attributesOf('~view')).toMatchObject({ attributes: { title: 'Sow', status: 'OPEN' } });
    const difference = moments[first]!.differences.find(({ part }) => part === 'attributes')!;
    expect(difference).toMatchObject({ target: '~view', expected: expect.stringContaining('Reap') });
    expect(difference.stored).toContain('Sow');
    expect(moments.at(-1)).toMatchObject({ differences: [], differs: 0 });
  });

  it('has drift since a derived item was changed that no base item had asked for', async () => {
    const { writer, worker, store } = opened;
    await writer.putNode('GOAL-2', { title: 'Dig', status: 'OPEN' });
    await worker.idle();
    await store.delete({ source: 'GOAL-2', target: '~view' });
    await expect
      .poll(async () => statesOf(await historyOf('GOAL-2')), { timeout: 30_000 })
      .toEqual(['lag', 'equal', 'drift']);
    const { moments, stretches } = await historyOf('GOAL-2');
    expect(moments.at(-1)).toMatchObject({ target: '~view', change: 'deleted' });
    expect(stretches.at(-1)!.untilMs).toBeNull();
  });

  it('says that it knows nothing of a node that has not changed, and why', async () => {
    const { moments, unknown } = await historyOf('GOAL-NONE');
    expect(moments).toEqual([]);
    expect(unknown).toBe('the studio has no earlier change of it, and keeps the newest 4,000 of the table');
  });

  it('compares the newest hundred changes of a node, and no node of many items', async () => {
    const { writer, worker } = opened;
    for (let i = 0; i < 110; i++) await writer.putNode('GOAL-3', { title: `Hoe ${i}`, status: 'OPEN' });
    await worker.idle();
    const busy = await historyOf('GOAL-3');
    expect(busy.moments).toHaveLength(100);
    expect(busy.unknown).toContain('the newest 100 changes');
    await writer.batch((batch) => {
      for (let i = 0; i < 260; i++)
        batch.putEdge('GOAL-4', 'MEMBER', `USER-${i}`, { role: 'LEAD', since: '2026-01-01' });
    });
    await worker.idle();
    const large = await historyOf('GOAL-4');
    expect(large.moments).toEqual([]);
    expect(large.unknown).toContain('more than 500 items');
  });
});
