import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ListedNode } from '../../packages/studio/base/listed-tree.ts';
import { studioClient } from '../support/studio/client.ts';
import { openLists } from '../support/studio/lists.ts';
import { type StubPage, stubPage } from '../support/studio/page.ts';

const LIST = '/api/page?id=BOARD-B&type=ON_BOARD';
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
    expect(lines(answer.items)).toEqual([
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
    expect(answer.calls).toBe(3);
    expect(answer.rcu).toBe(units.rcu);
    expect(answer.steps[0]).toBe('Query: the edges of ON_BOARD in their order.');
    expect(answer).toMatchObject({ isCut: false });
    expect(answer.truncated).toBeUndefined();
  });

  it('has the edges that enter, with their attributes, and edges of a type in no set', async () => {
    const { answer } = await client.get(`${LIST}&limit=1${WITH('inbound:NOTE_OF/NOTE_OF')}`);
    expect(lines(answer.items)).toEqual([
      'CARD-1 {"title":"Dig","state":"open"}',
      '  <-NOTE_OF USER-L {"name":"Li"}',
      '    NOTE_OF CARD-1 {"title":"Dig","state":"open"} by {"at":"2026-01-01","text":"Mind the roots"}',
    ]);
    const { answer: rest } = await client.get(`${LIST}&cursor=${answer.cursor}${WITH('inbound:NOTE_OF/NOTE_OF')}`);
    expect(lines(rest.items)).toEqual(['CARD-2 {"title":"Plant","state":"open"}']);
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
    const { answer } = await client.get(`/api/page?id=BOARD-2&type=ON_BOARD${WITH('NEEDS/HAS_STEP')}`);
    expect(lines(answer.items)).toEqual([
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
    const { answer } = await client.get(`/api/page?id=BOARD-M&type=ON_BOARD${WITH('NEEDS')}`);
    expect(answer.isCut).toBe(true);
    expect(lines(answer.items)).toHaveLength(2_000);
  });

  it('says what a bound leaves out, and refuses what is no level', async () => {
    const { answer } = await client.get(`${LIST}&maxNodes=1${WITH('HAS_STEP/DOES')}`);
    expect(answer.truncated).toEqual({ reason: 'maxNodes', ids: ['STEP-2', 'USER-L'] });
    const codeOf = async (path: string): Promise<string | undefined> => (await client.get(path)).error?.code;
    expect(await codeOf(`${LIST}${WITH('/DOES')}`)).toBe('invalid-argument');
    expect(await codeOf(`${LIST}${WITH('NONE')}`)).toBe('unknown-type');
    expect(await codeOf(`${LIST}&maxNodes=0${WITH('DOES')}`)).toBe('invalid-request');
    expect(await codeOf('/api/page?id=BOARD-B')).toBe('invalid-request');
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
