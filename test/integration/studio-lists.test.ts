import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { studioClient } from '../support/studio/client.ts';
import { openLists } from '../support/studio/lists.ts';

const LIST = '/api/query?id=BOARD-B&type=ON_BOARD';

let opened: Awaited<ReturnType<typeof openLists>>;
let client: ReturnType<typeof studioClient>;

beforeAll(async () => {
  opened = await openLists({ page: 'stub' });
  client = studioClient(opened.studio.url);
});

afterAll(() => opened?.close());

describe('a list of the studio', () => {
  const sortedBy = async (order: string) => {
    const { answer } = await client.get(`${LIST}&order=${order}`);
    return answer.rows.map((row: { id: string; sortedBy: unknown; by: unknown }) => [row.id, row.sortedBy, row.by]);
  };

  it('says which values sort each row, also where the model projects none of them, and which item put the row there', async () => {
    const writer = { source: 'CARD-1', target: 'ON_BOARD-BOARD-B' };
    const own = (name: string, value: unknown) => ({ name, value, isOfSource: false });
    expect((await sortedBy('gsi0'))[0]).toEqual(['CARD-1', [own('place', '1')], writer]);
    expect((await sortedBy('byKind'))[1]).toEqual(['CARD-1', [own('kind', 'work'), own('place', '1')], writer]);
    const bySource = await sortedBy('byState');
    expect(bySource[0][1]).toEqual([{ name: 'state', value: 'open', isOfSource: true }]);
    const { answer } = await client.get('/api/query?type=NOTE_OF&id=CARD-1');
    expect(answer.rows[0]).toMatchObject({ sortedBy: [own('at', '2026-01-01')], by: { target: 'NOTE_OF-CARD-1' } });
  });

  it('has its number of edges: for each edge type that leaves a node or enters it', async () => {
    const { answer } = await client.get('/api/lists?id=CARD-1');
    const counted = answer.lists.map(({ type, direction, count, isExact }: Record<string, unknown>) => [
      ...[type, direction, count, isExact],
    ]);
    expect(counted).toEqual([
      ['ON_BOARD', 'outgoing', 1, true],
      ['HAS_STEP', 'outgoing', 2, true],
      ['DOES', 'outgoing', 1, true],
      ['NEEDS', 'outgoing', 0, true],
      ['NOTE_OF', 'incoming', 1, true],
    ]);
  });
});
