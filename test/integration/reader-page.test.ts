import { beforeAll, describe, expect, it } from 'vitest';
import type { PageLevels } from '../../src/client/read/page.ts';
import { createReader } from '../../src/client/read/reader.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, rank } from '../../src/core/model/schema.ts';
import { neighborsOf } from '../support/page-nodes.ts';
import { allPages, countingReader } from '../support/reader.ts';
import { baseItem as item } from '../support/records.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

const graph = defineGraph({
  table: uniqueTableName(),
  nodes: { GOAL: node({ view: ['title'] }), USER: node({ view: 'ALL' }), TEAM: node({ view: 'ALL' }) },
  edges: {
    MEMBER: edge({
      from: 'GOAL',
      to: ['USER', 'TEAM'],
      edgeSet: ['role', 'share'],
      inbound: { orders: { gsi0: rank('role', { LEAD: 50, TEAM: 30 }) } },
    }),
    BLOCKS: edge({ from: 'GOAL', to: 'GOAL' }),
    WATCHER: edge({ from: 'GOAL', to: 'USER', edgeSet: false }),
  },
});

/** Goals of one team, each with a lead of its own; the first three have a helper with a share, too. */
const GOALS = Array.from({ length: 120 }, (_, i) => `GOAL-${String(i).padStart(3, '0')}`);

let table: Awaited<ReturnType<typeof testTable<typeof graph>>>;
let reader: ReturnType<typeof createReader<typeof graph>>;

beforeAll(async () => {
  table = await testTable(graph);
  const items = GOALS.flatMap((goal, i) => [
    item(goal, goal, { title: { S: `Goal ${i}` } }),
    item(goal, 'MEMBER-TEAM-1', { role: { S: 'TEAM' } }),
    item(goal, `MEMBER-USER-lead${i}`, { role: { S: 'LEAD' } }),
  ]);
  const rest = [
    ...[0, 1, 2].flatMap((i) => [
      item(GOALS[i]!, `MEMBER-USER-helper${i}`, { share: { N: String(i) } }),
      item(`USER-lead${i}`, `USER-lead${i}`, { name: { S: `Lead ${i}` } }),
    ]),
    item('TEAM-1', 'TEAM-1', { name: { S: 'Core' } }),
    item('USER-helper0', 'USER-helper0', { name: { S: 'H0' } }),
    item('GOAL-000', 'BLOCKS-GOAL-001'),
    item('GOAL-000', 'WATCHER-USER-watcher'),
  ];
  await table.store.writeMany([...items, ...rest].map((put) => ({ put })));
  await table.projectAll();
  reader = createReader(graph, { store: table.store });
});

describe('page', () => {
  it('gives goals with their edge sets and the neighbors that those name', async () => {
    const page = await reader.page('TEAM-1', 'MEMBER', { limit: 2 });
    // USER-helper1 was never written: it is named, and its attributes are null.
    expect(page.items).toEqual([
      {
        id: 'GOAL-000',
        attributes: { title: 'Goal 0' },
        edges: {
          BLOCKS: [{ edge: {}, node: { id: 'GOAL-001', attributes: { title: 'Goal 1' } } }],
          MEMBER: [
            { edge: { role: 'TEAM' }, node: { id: 'TEAM-1', attributes: { name: 'Core' } } },
            { edge: { share: 0 }, node: { id: 'USER-helper0', attributes: { name: 'H0' } } },
            { edge: { role: 'LEAD' }, node: { id: 'USER-lead0', attributes: { name: 'Lead 0' } } },
          ],
        },
      },
      {
        id: 'GOAL-001',
        attributes: { title: 'Goal 1' },
        edges: {
          BLOCKS: [],
          MEMBER: [
            { edge: { role: 'TEAM' }, node: { id: 'TEAM-1', attributes: { name: 'Core' } } },
            { edge: { share: 1 }, node: { id: 'USER-helper1', attributes: null } },
            { edge: { role: 'LEAD' }, node: { id: 'USER-lead1', attributes: { name: 'Lead 1' } } },
          ],
        },
      },
    ]);
    const [first, second] = page.items.map(({ edges }) => edges.MEMBER[0]!.node);
    expect(first).toBe(second);
    expect(page.cursor).toBeTypeOf('string');
  });

  it('takes 1 Query, a BatchGet for 100 views and one for 100 neighbors, and says so', async () => {
    const { reader: counted, callsOf } = countingReader(graph, table.endpoint);
    // 120 views; neighbors: 120 leads, 3 helpers, 1 team, 1 goal.
    const cases = [
      { limit: 120, expected: undefined, batchGets: 2 + 2 },
      { limit: 100, expected: ['MEMBER'], batchGets: 1 + 2 },
      { limit: 100, expected: [{ type: 'MEMBER', label: 'LEAD' }], batchGets: 1 + 1 },
      { limit: 120, expected: [{ type: 'MEMBER', label: 'TEAM' }], batchGets: 2 + 1 },
      { limit: 120, expected: [], batchGets: 2 },
    ] as const;
    for (const { limit, expected, batchGets } of cases) {
      let said = 0;
      const calls = await callsOf(async () => {
        said = (await counted.page('TEAM-1', 'MEMBER', { limit, with: expected })).calls;
      });
      expect(calls).toEqual({ QueryCommand: 1, BatchGetItemCommand: batchGets });
      expect(said).toBe(1 + batchGets);
    }
    expect(await reader.page('TEAM-nobody', 'MEMBER')).toEqual({ items: [], calls: 1 });
  });

  it('reads only the neighbors that are asked for, by edge type and by the value of any label', async () => {
    const neighbors = async (expected: { with: PageLevels }) =>
      Object.keys(neighborsOf(await reader.page('TEAM-1', 'MEMBER', { limit: 3, ...(expected as object) }))).sort();
    expect(await neighbors({ with: ['BLOCKS'] })).toEqual(['GOAL-001']);
    expect(await neighbors({ with: [{ type: 'MEMBER', label: 'LEAD' }] })).toEqual([
      ...['USER-lead0', 'USER-lead1', 'USER-lead2'],
    ]);
    expect(await neighbors({ with: ['BLOCKS', { type: 'MEMBER', label: 2 }] })).toEqual(['GOAL-001', 'USER-helper2']);
    expect(await neighbors({ with: [{ type: 'MEMBER', label: '2' }] })).toEqual(['USER-helper2']);
    // The target of an edge is no label.
    expect(await neighbors({ with: [{ type: 'MEMBER', label: 'TEAM-1' }] })).toEqual([]);
  });

  it('pages on with a cursor that belongs to the same page', async () => {
    const options = { with: ['MEMBER'], atLeast: 'TEAM' } as const;
    const pages = await allPages((cursor) => reader.page('TEAM-1', 'MEMBER', { ...options, limit: 50, cursor }));
    expect(pages.map(({ length }) => length)).toEqual([50, 50, 20]);
    expect(pages.flat().map(({ id }) => id)).toEqual(GOALS);
    const { cursor } = await reader.page('TEAM-1', 'MEMBER', { ...options, limit: 1 });
    const invalid = expect.objectContaining({ code: 'invalid-cursor' });
    await expect(reader.page('TEAM-1', 'MEMBER', { ...options, with: ['BLOCKS'], cursor })).rejects.toThrow(invalid);
    await expect(reader.page('TEAM-1', 'MEMBER', { atLeast: 'TEAM', cursor })).rejects.toThrow(invalid);
    await expect(reader.inbound('TEAM-1', 'MEMBER', { atLeast: 'TEAM', cursor })).rejects.toThrow(invalid);
  });
});
