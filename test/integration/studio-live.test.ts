import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { studioClient } from '../support/studio/client.ts';
import { openStudio } from '../support/studio/table.ts';

const GOALS = 12;

let opened: Awaited<ReturnType<typeof openStudio>>;
let client: ReturnType<typeof studioClient>;

beforeAll(async () => {
  opened = await openStudio({ page: 'stub' });
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

afterAll(() => opened?.close());

describe('the sample of a table in the studio', () => {
  it('counts a small table exactly, and says which node the most edges enter', async () => {
    const { answer, units } = await client.get('/api/sample');
    expect(answer).toMatchObject({ isWhole: true });
    expect(answer.nodes).toEqual({ GOAL: GOALS, USER: 2 });
    expect(answer.edges.MEMBER).toEqual({ count: GOALS, from: { GOAL: GOALS }, busiest: 'USER-U1' });
    expect(units.rcu).toBeGreaterThan(0);
    // It is kept: looking again costs nothing.
    expect((await client.get('/api/sample')).units.rcu).toBe(0);
  });
});

describe('the nodes of a list in the studio', () => {
  it('have their names from the sample', async () => {
    const { answer } = await client.get('/api/query?type=MEMBER&id=USER-U1&limit=1');
    expect(answer.rows).toMatchObject([{ id: 'GOAL-G1', name: 'Goal 1' }]);
    const { answer: edges } = await client.get('/api/edges?id=GOAL-G1');
    expect(edges.items).toMatchObject([{ target: 'USER-U1', name: 'Ada Lovelace' }]);
    expect((await client.get('/api/node?id=GOAL-G1')).answer.names).toEqual({ 'USER-U1': 'Ada Lovelace' });
  });
});

describe('suggestions in the studio', () => {
  it('are nodes by a part of their id or name, by a search, and by the whole id', async () => {
    const idsOf = async (text: string): Promise<string[]> =>
      (await client.get(`/api/suggest?text=${encodeURIComponent(text)}`)).answer.suggestions.map(
        ({ id }: { id: string }) => id,
      );
    expect(await idsOf('lovelace')).toEqual(['USER-U1']);
    expect(await idsOf('r-u')).toEqual(expect.arrayContaining(['USER-U1', 'USER-U2']));
    expect(await idsOf('GOAL-G')).toHaveLength(8);
    expect((await idsOf('GOAL-G1'))[0]).toBe('GOAL-G1');
    expect(await idsOf('nobody')).toEqual([]);
    // A node that is not in the sample is found by its search, and by its id.
    await opened.writer.putNode('USER-NEW', { name: 'Zuse', country: 'DE' });
    await opened.worker.idle();
    expect(await idsOf('zu')).toEqual(['USER-NEW']);
    expect(await idsOf('USER-NEW')).toEqual(['USER-NEW']);
    // So it is by a search that knows small letters from large ones.
    await opened.writer.putNode('GOAL-NEW', { title: 'Held', status: 'Halted' });
    await opened.writer.putNode('GOAL-OLD', { title: 'Gone', status: 'LOST' });
    await opened.worker.idle();
    expect(await idsOf('halt')).toEqual(['GOAL-NEW']);
    expect(await idsOf('lost')).toEqual(['GOAL-OLD']);
    expect((await client.get('/api/suggest')).error?.code).toBe('invalid-argument');
  });

  it.each(['ß'.repeat(1_500), 'é'.repeat(2_048), 'ﷺ'.repeat(150)])(
    'are none for a text that no key can hold: %#',
    async (text) => {
      const { answer, error } = await client.get(`/api/suggest?text=${encodeURIComponent(text)}`);
      expect(error).toBeUndefined();
      expect(answer.suggestions).toEqual([]);
    },
  );

  it('have a whole id of each type, and say what was looked at', async () => {
    await opened.writer.putNode('USER-x9', { name: 'Noether', country: 'DE' });
    const { answer } = await client.get('/api/suggest?text=x9');
    expect(answer.suggestions[0]).toMatchObject({ id: 'USER-x9' });
    expect(answer.looked).toMatchObject({ isWhole: true });
    // A type in small letters is one, too.
    const small = await client.get('/api/suggest?text=user-x9');
    expect(small.answer.suggestions[0]).toMatchObject({ id: 'USER-x9' });
    // A text without a dash has no type, even if it begins like one.
    await opened.writer.putNode('GOAL-users', { title: 'Users', status: 'OPEN' });
    const plain = await client.get('/api/suggest?text=users');
    expect(plain.answer.suggestions[0]).toMatchObject({ id: 'GOAL-users' });
    expect((await client.post('/api/sample', {})).answer).toMatchObject({ isWhole: true });
  });
});
