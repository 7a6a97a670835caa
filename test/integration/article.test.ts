import { beforeAll, describe, expect, it } from 'vitest';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { date, edge, node, rank } from '../../src/core/model/schema.ts';
import { countingReader } from '../support/reader.ts';
import { openTable, uniqueTableName } from '../support/table.ts';

/**
 * The records table of the company-goals article: goals, users, teams and organizations in one table; every item is an
 * edge, nodes are edges to themselves. Writes are plain puts; the stream does the rest.
 */
const graph = defineGraph({
  table: uniqueTableName(),
  nodes: {
    GOAL: node({
      view: ['title', 'status'],
      search: { status: { shardBy: 'source' }, dueDate: { type: 'date' } },
    }),
    USER: node({ view: 'ALL', search: { name: { shards: 200, hash: 'codepoint-product' } } }),
    TEAM: node({ view: ['name'] }),
    ORG: node({ view: 'ALL' }),
  },
  edges: {
    GOALMEMBERSHIP: edge({
      from: 'GOAL',
      to: ['USER', 'TEAM', 'ORG'],
      edgeSet: ['memberRole'],
      inbound: {
        orders: { gsi0: rank('memberRole', { LEAD: 500, CONTRIBUTOR: 400, TEAM: 300 }), gsi1: date('date') },
        project: ['memberRole', 'date'],
      },
    }),
    GOALSUBSCRIBER: edge({ from: 'GOAL', to: 'USER', edgeSet: false, inbound: { orders: { gsi0: 'since' } } }),
  },
});

/** The rows of the table, as the article writes them: source, target, attributes. */
const ROWS: [source: string, target: string, attributes: Record<string, string>][] = [
  ['GOAL-G1', 'GOAL-G1', { title: 'Launch in Europe', status: 'ON_TRACK', dueDate: '2020-12-31', notes: 'long' }],
  ['GOAL-G2', 'GOAL-G2', { title: 'Hire ten engineers', status: 'AT_RISK' }],
  ['GOAL-G3', 'GOAL-G3', { title: 'Answer within a day', status: 'ON_TRACK' }],
  ['USER-U1', 'USER-U1', { name: 'Ada' }],
  ['USER-U2', 'USER-U2', { name: 'Terui' }],
  ['TEAM-T1', 'TEAM-T1', { name: 'Growth', room: '4' }],
  ['TEAM-T2', 'TEAM-T2', { name: 'People' }],
  ['GOAL-G1', 'GOALMEMBERSHIP-USER-U1', { memberRole: 'LEAD', date: '2020-07-01' }],
  ['GOAL-G1', 'GOALMEMBERSHIP-USER-U2', { memberRole: 'CONTRIBUTOR', date: '2020-07-03' }],
  ['GOAL-G1', 'GOALMEMBERSHIP-TEAM-T1', { memberRole: 'TEAM', date: '2020-07-02' }],
  ['GOAL-G2', 'GOALMEMBERSHIP-USER-U1', { memberRole: 'CONTRIBUTOR', date: '2020-08-15' }],
  ['GOAL-G2', 'GOALMEMBERSHIP-USER-U2', { memberRole: 'LEAD', date: '2020-06-01' }],
  ['GOAL-G2', 'GOALMEMBERSHIP-TEAM-T1', { memberRole: 'TEAM', date: '2020-06-02' }],
  ['GOAL-G2', 'GOALMEMBERSHIP-TEAM-T2', { memberRole: 'TEAM', date: '2020-06-03' }],
  ['GOAL-G3', 'GOALMEMBERSHIP-USER-U1', { memberRole: 'LEAD', date: '2020-05-20' }],
  ['GOAL-G3', 'GOALMEMBERSHIP-TEAM-T2', { memberRole: 'TEAM', date: '2020-05-21' }],
  ['GOAL-G1', 'GOALSUBSCRIBER-USER-U1', { since: '2020-07-04' }],
  ['GOAL-G1', 'GOALSUBSCRIBER-USER-U2', { since: '2020-07-05' }],
];

let table: Awaited<ReturnType<typeof openTable<typeof graph>>>;
let reader: (typeof table)['reader'];

async function put(source: string, target: string, attributes: Record<string, string>): Promise<void> {
  const strings = Object.entries(attributes).map(([name, text]) => [name, { S: text }]);
  await table.store.put({ source: { S: source }, target: { S: target }, ...Object.fromEntries(strings) });
}

beforeAll(async () => {
  table = await openTable(graph);
  for (const row of ROWS) await put(...row);
  await table.projectAll();
  ({ reader } = table);
});

const sources = (page: { items: { source: string }[] }): string[] => page.items.map(({ source }) => source);

describe('a goal and its members', () => {
  it('files the edge of goal G1 to its lead U1 under the user, as 500-LEAD', async () => {
    const { items } = await table.store.query({ index: 'gsi0', partition: 'GOALMEMBERSHIP-USER-U1' });
    expect(items.find(({ source }) => source && 'S' in source && source.S === 'GOAL-G1')).toMatchObject({
      source: { S: 'GOAL-G1' },
      gsi0pk: { S: 'GOALMEMBERSHIP-USER-U1' },
      gsi0sk: { S: expect.stringMatching(/^500-LEAD/) },
    });
  });

  it("replicates the goal's edges in its edge set", async () => {
    expect(await reader.getViews(['GOAL-G1'])).toEqual([
      {
        id: 'GOAL-G1',
        attributes: { title: 'Launch in Europe', status: 'ON_TRACK' },
        edgeSet: [
          { type: 'GOALMEMBERSHIP', target: 'TEAM-T1', memberRole: 'TEAM' },
          { type: 'GOALMEMBERSHIP', target: 'USER-U1', memberRole: 'LEAD' },
          { type: 'GOALMEMBERSHIP', target: 'USER-U2', memberRole: 'CONTRIBUTOR' },
        ],
      },
    ]);
  });

  it('leaves subscribers out of the edge set, and finds them all the same', async () => {
    const { items } = await reader.edges('GOAL-G1', 'GOALSUBSCRIBER');
    expect(items.map(({ target }) => target)).toEqual(['USER-U1', 'USER-U2']);
    expect(sources(await reader.inbound('USER-U2', 'GOALSUBSCRIBER'))).toEqual(['GOAL-G1']);
    expect(await reader.has('GOAL-G1', 'GOALSUBSCRIBER', 'USER-U2')).toBe(true);
  });
});

describe('the goals of a user', () => {
  it('that the user contributes to or leads are one range of the index', async () => {
    const { items } = await reader.inbound('USER-U1', 'GOALMEMBERSHIP', { atLeast: 'CONTRIBUTOR' });
    expect(items.map(({ source, attributes }) => [source, attributes.memberRole])).toEqual([
      ['GOAL-G2', 'CONTRIBUTOR'],
      ['GOAL-G1', 'LEAD'],
      ['GOAL-G3', 'LEAD'],
    ]);
  });

  it('that the user leads only', async () => {
    expect(await reader.inbound('USER-U1', 'GOALMEMBERSHIP', { equals: 'LEAD' })).toEqual({
      items: [
        {
          source: 'GOAL-G1',
          type: 'GOALMEMBERSHIP',
          target: 'USER-U1',
          attributes: { memberRole: 'LEAD', date: '2020-07-01' },
        },
        {
          source: 'GOAL-G3',
          type: 'GOALMEMBERSHIP',
          target: 'USER-U1',
          attributes: { memberRole: 'LEAD', date: '2020-05-20' },
        },
      ],
    });
    expect(sources(await reader.inbound('USER-U1', 'GOALMEMBERSHIP', { atLeast: 'LEAD' }))).toEqual([
      'GOAL-G1',
      'GOAL-G3',
    ]);
  });

  it('by date, in the second order of the same edge type', async () => {
    const byDate = { order: 'gsi1' } as const;
    expect(sources(await reader.inbound('USER-U1', 'GOALMEMBERSHIP', byDate))).toEqual([
      ...['GOAL-G3', 'GOAL-G1', 'GOAL-G2'],
    ]);
    expect(
      sources(
        await reader.inbound('USER-U1', 'GOALMEMBERSHIP', {
          ...byDate,
          between: ['2020-07-01', undefined],
          reverse: true,
        }),
      ),
    ).toEqual(['GOAL-G2', 'GOAL-G1']);
  });
});

describe("a team's page: its goals, each with leads and teams", () => {
  it('takes three steps and no call for each goal', async () => {
    const { reader: counted, callsOf } = countingReader(graph, table.endpoint);
    const calls = await callsOf(async () => {
      const page = await counted.page('TEAM-T1', 'GOALMEMBERSHIP', {
        with: [
          { type: 'GOALMEMBERSHIP', label: 'LEAD' },
          { type: 'GOALMEMBERSHIP', label: 'TEAM' },
        ],
      });
      expect(page.calls).toBe(3);
      const shown = page.items.map(({ attributes, edges: { GOALMEMBERSHIP: members } }) => ({
        goal: attributes?.title,
        leads: members.filter(({ edge }) => edge.memberRole === 'LEAD').map(({ node }) => node.attributes?.name),
        teams: members.filter(({ edge }) => edge.memberRole === 'TEAM').map(({ node }) => node.attributes?.name),
      }));
      expect(shown).toEqual([
        { goal: 'Launch in Europe', leads: ['Ada'], teams: ['Growth'] },
        { goal: 'Hire ten engineers', leads: ['Terui'], teams: ['Growth', 'People'] },
      ]);
      const ids = page.items.flatMap(({ edges }) => edges.GOALMEMBERSHIP.map(({ node }) => node.id));
      expect(ids.sort()).toEqual(['TEAM-T1', 'TEAM-T1', 'TEAM-T2', 'USER-U1', 'USER-U2']);
    });
    expect(calls).toEqual({ QueryCommand: 1, BatchGetItemCommand: 2 });
  });
});

it('follows a plain put that changes a role, and a plain delete', async () => {
  await put('GOAL-G9', 'GOALMEMBERSHIP-USER-U9', { memberRole: 'LEAD', date: '2020-07-01' });
  await table.projectAll();
  await put('GOAL-G9', 'GOALMEMBERSHIP-USER-U9', { memberRole: 'CONTRIBUTOR', date: '2020-07-01' });
  await table.projectAll();
  expect((await reader.getViews(['GOAL-G9']))[0]?.edgeSet).toEqual([
    { type: 'GOALMEMBERSHIP', target: 'USER-U9', memberRole: 'CONTRIBUTOR' },
  ]);
  expect(await reader.inbound('USER-U9', 'GOALMEMBERSHIP', { atLeast: 'LEAD' })).toEqual({ items: [] });
  expect(sources(await reader.inbound('USER-U9', 'GOALMEMBERSHIP', { equals: 'CONTRIBUTOR' }))).toEqual(['GOAL-G9']);
  await table.store.delete({ source: 'GOAL-G9', target: 'GOALMEMBERSHIP-USER-U9' });
  await table.projectAll();
  expect(await reader.getViews(['GOAL-G9'])).toEqual([null]);
  expect(await reader.inbound('USER-U9', 'GOALMEMBERSHIP')).toEqual({ items: [] });
});
