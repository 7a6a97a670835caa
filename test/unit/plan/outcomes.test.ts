import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import { VIEW_KEY } from '../../../src/core/items/keys.ts';
import { kindOfDerivedKey } from '../../../src/core/kinds/all-kinds.ts';
import { type Outcome, Outcomes } from '../../../src/core/kinds/parts/outcomes.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { sourceNodeOf } from '../../../src/core/model/joined.ts';
import { lineOfSearch } from '../../../src/core/model/options/option-tables.ts';
import { TotalPlaces } from '../../../src/core/model/projection/places.ts';
import { date, derive, edge, node, number, rank, source, sum } from '../../../src/core/model/schema.ts';
import { derivedOf } from '../../../src/core/plan/derive.ts';

const graph = defineGraph({
  table: 'outcomes',
  nodes: {
    GOAL: node({
      view: 'ALL',
      deletedWhen: 'deletedAt',
      search: {
        status: { shards: 1 },
        place: { path: ['country', 'city'], shards: 1 },
        initial: {
          attribute: derive(({ name }) => (name === undefined ? undefined : String(name).charAt(0))),
          shards: 1,
        },
        tags: { multiValue: true, shards: 1 },
        owner: { partition: 'team' },
      },
    }),
    USER: node(),
  },
  edges: {
    MEMBER: edge({
      from: 'GOAL',
      to: 'USER',
      edgeSet: ['role'],
      degree: true,
      deletedWhen: 'deletedAt',
      inbound: { orders: { byRole: rank('role', { LEAD: 2, HELP: 1 }), byDate: date('since') } },
    }),
    TASK: edge({
      from: 'GOAL',
      to: 'USER',
      edgeSet: false,
      expires: 'expiresAt',
      inbound: { orders: { byDue: date('due') }, partition: 'team' },
    }),
    VISITS: edge({ from: 'GOAL', to: 'USER', outgoing: { groupBy: ['kind'] }, inbound: { groupBy: ['kind'] } }),
    PAYS: edge({ from: 'GOAL', to: 'USER', inbound: { total: { all: sum('amount') }, groupBy: ['kind'] } }),
    SEEN: edge({
      from: 'GOAL',
      to: 'USER',
      inbound: { orders: { byStatus: source('status'), byRank: number('rank') } },
    }),
  },
});

/** The outcomes of an image: why each line asks for nothing, or `asked`; a mistake has `!` before it. */
function outcomesOf(target: string, image: Item, nodeImage: Item | undefined = undefined): Record<string, string> {
  const outcomes = new Outcomes();
  const keys = { source: { S: 'GOAL-1' }, target: { S: target } };
  const ofNode = target === 'GOAL-1' ? undefined : sourceNodeOf(graph, 'GOAL-1', [nodeImage]);
  const { indexItems } = derivedOf(graph, 'GOAL-1', target, { ...keys, ...image }, ofNode, outcomes);
  // A line asks for an item exactly if the item is derived.
  const asked = outcomes.all.filter(({ why, sortKey }) => why === undefined && sortKey !== VIEW_KEY);
  expect(new Set(asked.map(({ sortKey }) => sortKey))).toEqual(new Set(indexItems.keys()));
  return Object.fromEntries(outcomes.all.map((outcome) => [outcome.line, textOf(outcome)]));
}

function textOf({ why = 'asked', isFault }: Outcome): string {
  return isFault ? `! ${why}` : why;
}

describe('the line of a count or total', () => {
  const entryOf = (type: string) => new TotalPlaces(type).itemKey({ source: 'GOAL-1' });
  it.each([
    ['GOAL-1', '~degree/MEMBER', 'edges.MEMBER.degree'],
    ['GOAL-1', '~degree/VISITS', 'edges.VISITS.outgoing'],
    ['USER-1', '~total/VISITS', 'edges.VISITS.inbound.groupBy'],
    ['USER-1', entryOf('VISITS'), 'edges.VISITS.inbound.groupBy'],
    ['USER-1', '~total/PAYS', 'edges.PAYS.inbound.total'],
    ['USER-1', entryOf('PAYS'), 'edges.PAYS.inbound.total'],
  ])('%s %s is one that the model has', (source, target, line) => {
    const { key, kind } = kindOfDerivedKey(target)!;
    expect(kind.originsOf(graph, { source, target }, key, {}).map((origin) => origin.name)).toEqual([line]);
  });
  it('is the same for an edge that is counted', () => {
    expect(outcomesOf('VISITS-USER-1', {})['edges.VISITS.outgoing']).toBe('asked');
  });
});

describe('what an image comes to in each line of the model', () => {
  it('names what a node lacks in each search', () => {
    expect(outcomesOf('GOAL-1', { city: { S: 'Berlin' }, owner: { S: 'me' } })).toEqual({
      'nodes.GOAL.view': 'asked',
      'nodes.GOAL.search.status': 'The node has no value for status.',
      'nodes.GOAL.search.place': 'The node has no value for country.',
      'nodes.GOAL.search.initial': 'The derive function of the model gives no text for the node.',
      'nodes.GOAL.search.tags': 'The node has no value for tags.',
      'nodes.GOAL.search.owner': 'The node has no value for team, the partition of the search.',
    });
  });

  it('names the list of all nodes by its option', () => {
    expect(lineOfSearch({ indexPartition: 'GOAL.', name: '' })).toBe('nodes.GOAL.list');
  });

  it('has a line for each value of a search by several', () => {
    const outcomes = new Outcomes();
    const tags = { SS: ['a', 'b'] };
    derivedOf(graph, 'GOAL-1', 'GOAL-1', { tags, status: { S: 'on' }, name: { S: 'x' } }, undefined, outcomes);
    const asked = outcomes.all.filter(({ why }) => why === undefined).map(({ line, sortKey }) => `${line} ${sortKey}`);
    expect(asked).toEqual([
      ...['nodes.GOAL.view ~view', 'nodes.GOAL.search.status ~ix/status', 'nodes.GOAL.search.initial ~ix/initial'],
      ...['nodes.GOAL.search.tags ~ix/tags/a', 'nodes.GOAL.search.tags ~ix/tags/b'],
    ]);
  });

  it('names a mistake in a value as the quarantine does', () => {
    expect(outcomesOf('GOAL-1', { status: { BOOL: true }, tags: { S: 'a' } })).toMatchObject({
      'nodes.GOAL.search.status': expect.stringMatching(/^! attribute status, needed for search GOAL.status/),
      'nodes.GOAL.search.tags': expect.stringMatching(
        /^! attribute tags, needed for search GOAL.tags, should be a list/,
      ),
    });
    const { problems } = derivedOf(graph, 'GOAL-1', 'MEMBER-USER-1', { role: { S: 'BOSS' } });
    const found = outcomesOf('MEMBER-USER-1', { role: { S: 'BOSS' } });
    expect(found['edges.MEMBER.inbound.orders.byRole']).toBe(`! ${problems[0]!.message}.`);
  });

  it('names what an edge lacks in each order, and the partition of the list', () => {
    expect(outcomesOf('MEMBER-USER-1', { role: { S: 'LEAD' } })).toEqual({
      'edges.MEMBER.edgeSet': 'asked',
      'edges.MEMBER.degree': 'asked',
      'edges.MEMBER.inbound.orders.byRole': 'asked',
      'edges.MEMBER.inbound.orders.byDate': 'The edge has no value for since, which orders it.',
    });
    expect(outcomesOf('TASK-USER-1', { due: { S: '2026-01-01' } })).toMatchObject({
      'edges.TASK.inbound.orders.byDue': 'The edge has no value for team, the partition of the list.',
    });
    expect(outcomesOf('TASK-USER-1', { team: { S: 'A' } })).toMatchObject({
      'edges.TASK.inbound.orders.byDue': 'The edge has no value for due, which orders it.',
    });
    expect(outcomesOf('TASK-USER-1', {})['edges.TASK.edgeSet']).toBe('The model leaves this type out of the edge set.');
  });

  it('tells whether edge or source node lacks a value, or there is no node', () => {
    const line = 'edges.SEEN.inbound.orders.byStatus';
    expect(outcomesOf('SEEN-USER-1', {})[line]).toBe('There is no source node, or it counts as deleted.');
    const keys = { source: { S: 'GOAL-1' }, target: { S: 'GOAL-1' } };
    expect(outcomesOf('SEEN-USER-1', {}, keys)[line]).toBe('The source node has no value for status, which orders it.');
    expect(outcomesOf('SEEN-USER-1', {}, { ...keys, status: { S: 'on' } })[line]).toBe('asked');
    const failed = outcomesOf('SEEN-USER-1', {}, { ...keys, status: { BOOL: true } })[line];
    expect(failed).toBe('! The source node has a value that no key can hold.');
  });

  it.each([
    ['GOAL-1', { deletedAt: { S: '2026' }, status: { S: 'on' } }, 'deletedAt ("2026")'],
    ['MEMBER-USER-1', { deletedAt: { N: '5' }, role: { S: 'LEAD' } }, 'deletedAt ("5")'],
    ['SEEN-USER-1', { '~gone': { BOOL: true } }, '~gone (true)'],
  ])('says of every line of %s that the item counts as deleted', (target, image, by) => {
    const reasons = new Set(Object.values(outcomesOf(target, image)));
    expect(reasons).toEqual(new Set([`It counts as deleted, because it has ${by}: nothing is derived from it.`]));
  });
});
