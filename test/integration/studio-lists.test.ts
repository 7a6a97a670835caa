import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ListedNode } from '../../packages/studio/base/listed-tree.ts';
import { studioClient } from '../support/studio/client.ts';
import { openLists } from '../support/studio/lists.ts';
import { type StubPage, stubPage } from '../support/studio/page.ts';

const LIST = '/api/query?id=BOARD-B&type=ON_BOARD';
const WITH = (...levels: string[]): string => levels.map((level) => `&with=${encodeURIComponent(level)}`).join('');

let stub: StubPage;
let opened: Awaited<ReturnType<typeof openLists>>;
let client: ReturnType<typeof studioClient>;

beforeAll(async () => {
  stub = await stubPage();
  opened = await openLists({ page: stub.page });
  client = studioClient(opened.studio.url);
});

afterAll(async () => {
  await opened?.close();
  await stub?.remove();
});

/** A tree in lines: how deep, by which edges, and what is there. */
function lines(nodes: readonly ListedNode[], depth = 0, edge = ''): string[] {
  return nodes.flatMap(({ id, attributes, edge: by, below, isAbove }) => [
    `${'  '.repeat(depth)}${edge}${id} ${JSON.stringify(attributes)}${by ? ` by ${JSON.stringify(by)}` : ''}${isAbove ? ' above' : ''}`,
    ...below.flatMap(({ type, isEntering, labels, nodes: next }) => {
      const values = Object.values(labels).map((value) => `:${value}`);
      return lines(next, depth + 1, `${isEntering ? '<-' : ''}${type}${values.join('')} `);
    }),
  ]);
}

describe('a page of a list with levels in the studio', () => {
  it('is a tree of what is next to what, with its calls, its units and its steps', async () => {
    const { answer, units } = await client.get(`${LIST}${WITH('DOES', 'HAS_STEP/DOES:lead\\/main', 'NEEDS')}`);
    expect(lines(answer.tree.items)).toEqual([
      'CARD-1 {"title":"Dig","state":"open"}',
      '  DOES:lead/main USER-A {"name":"Ada"}',
      '  HAS_STEP STEP-1 {"text":"Borrow a spade"}',
      '  HAS_STEP STEP-2 {"text":"Lift the turf"}',
      '    DOES:lead/main USER-A {"name":"Ada"}',
      'CARD-2 {"title":"Plant","state":"open"}',
      '  DOES:help USER-GONE null',
      '  NEEDS CARD-1 {"title":"Dig","state":"open"}',
    ]);
    // The list, its cards, what is next to them, and who does the steps: Ada is known by then.
    expect(answer.plan.calls).toBe(3);
    expect(answer.plan.rcu).toBe(units.rcu);
    expect(answer.plan.why[0]).toBe('Query: the edges of ON_BOARD in their order.');
    expect(answer.tree.isCut).toBe(false);
    expect(answer.truncated).toBeUndefined();
  });

  it('has the edges that enter, with their attributes, and edges of a type in no set', async () => {
    const { answer } = await client.get(`${LIST}&limit=1${WITH('inbound:NOTE_OF/NOTE_OF')}`);
    expect(lines(answer.tree.items)).toEqual([
      'CARD-1 {"title":"Dig","state":"open"}',
      '  <-NOTE_OF USER-L {"name":"Li"}',
      '    NOTE_OF CARD-1 {"title":"Dig","state":"open"} by {"at":"2026-01-01","text":"Mind the roots"}',
    ]);
    const { answer: rest } = await client.get(`${LIST}&cursor=${answer.cursor}${WITH('inbound:NOTE_OF/NOTE_OF')}`);
    expect(lines(rest.tree.items)).toEqual(['CARD-2 {"title":"Plant","state":"open"}']);
    expect(rest.cursor).toBeUndefined();
  });

  it('lists the neighbours of a node that comes again once, and says so', async () => {
    const { writer, worker } = opened;
    await writer.batch((batch) => {
      batch.putEdge('CARD-2', 'ON_BOARD', 'BOARD-2', { place: '1' });
      batch.putEdge('CARD-3', 'ON_BOARD', 'BOARD-2', { place: '2' });
      batch.putEdge('CARD-3', 'NEEDS', 'CARD-1');
    });
    await worker.idle();
    const { answer } = await client.get(`/api/query?id=BOARD-2&type=ON_BOARD${WITH('NEEDS/HAS_STEP')}`);
    expect(lines(answer.tree.items)).toEqual([
      'CARD-2 {"title":"Plant","state":"open"}',
      '  NEEDS CARD-1 {"title":"Dig","state":"open"}',
      '    HAS_STEP STEP-1 {"text":"Borrow a spade"}',
      '    HAS_STEP STEP-2 {"text":"Lift the turf"}',
      'CARD-3 null',
      '  NEEDS CARD-1 {"title":"Dig","state":"open"} above',
    ]);
  });

  it('stops at 2,000 nodes, however few nodes name each other', async () => {
    const { writer, worker } = opened;
    const cards = Array.from({ length: 50 }, (_, i) => `CARD-M${i}` as const);
    const targets = Array.from({ length: 50 }, (_, i) => `CARD-N${i}` as const);
    await writer.putMany([
      ...[...cards, ...targets].map((id) => ({ id, attributes: { title: id } })),
      ...cards.map((source) => ({
        ...{ source, type: 'ON_BOARD' as const, target: 'BOARD-M' as const },
        attributes: { place: '1' },
      })),
      ...cards.flatMap((source) => targets.map((target) => ({ source, type: 'NEEDS' as const, target }))),
    ]);
    await worker.idle();
    const { answer } = await client.get(`/api/query?id=BOARD-M&type=ON_BOARD&limit=50${WITH('NEEDS')}`);
    expect(answer.tree.isCut).toBe(true);
    expect(lines(answer.tree.items)).toHaveLength(2_000);
  });

  it('refuses what is no level', async () => {
    const codeOf = async (path: string): Promise<string | undefined> => (await client.get(path)).error?.code;
    expect(await codeOf(`${LIST}${WITH('/DOES')}`)).toBe('invalid-argument');
    expect(await codeOf(`${LIST}${WITH('NONE')}`)).toBe('unknown-type');
    expect(await codeOf('/api/query?id=BOARD-B')).toBe('invalid-request');
  });
});

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

describe('totals in the studio', () => {
  it('are those of a node, or of one list', async () => {
    const { answer: ofBoard } = await client.get('/api/totals?id=BOARD-B');
    const total = { count: 2, hours: '6.5', groups: { kind: { fun: 1, work: 1 } } };
    expect(ofBoard.totals).toEqual([{ type: 'ON_BOARD', direction: 'inbound', total, hasTooManyGroups: false }]);
    const { answer: ofUser } = await client.get('/api/totals?id=USER-L');
    expect(ofUser.totals).toEqual([
      { type: 'NOTE_OF', direction: 'outgoing', total: { count: 1, groups: {} }, hasTooManyGroups: false },
    ]);
    expect((await client.get('/api/totals?id=USER-L&type=DOES')).answer.totals).toEqual([]);
    const { answer: model } = await client.get('/api/model');
    expect(model.edges[0].orders.map(({ from }: { from: string }) => from)).toEqual([
      'place',
      'kind, then place',
      'source(state)',
    ]);
    expect(model.edges[0].totals).toEqual({ inbound: { sums: ['hours'], groups: ['kind'] } });
  });

  it('leave out groups with more values than a total holds, and show the sums', async () => {
    const { writer, worker } = opened;
    await writer.batch((batch) => {
      batch.putNode('BOARD-MANY', { name: 'Many kinds' });
      for (let i = 0; i < 51; i++)
        batch.putEdge(`CARD-K${i}`, 'ON_BOARD', 'BOARD-MANY', { place: '1', hours: 1, kind: `k${i}` });
    });
    await worker.idle();
    const { answer } = await client.get('/api/totals?id=BOARD-MANY&type=ON_BOARD');
    expect(answer.totals).toMatchObject([{ total: { count: 51, hours: '51', groups: {} }, hasTooManyGroups: true }]);
  });
});
