import { expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { watchHandler } from '../../src/client/http/watch-handler.ts';
import type { Reader } from '../../src/client/read/reader.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import type { ViewIdArgument } from '../../src/core/model/inference.ts';
import { edge, node, sum } from '../../src/core/model/schema.ts';
import type { TestGraph } from './graph.ts';

declare const reader: Reader<TestGraph>;
declare const anyReader: Reader<CompiledModel>;
declare const fromUrl: string;

interface Goal {
  title: string;
  status: string;
  points?: number | undefined;
}

/** What the view of a goal shows. */
type ShownGoal = Partial<Pick<Goal, 'title' | 'status'>>;

it('gives the attributes of the type that an id names, as far as they are selected', async () => {
  const [goal] = await reader.getViews(['GOAL-G1']);
  expectTypeOf(goal!.attributes).toEqualTypeOf<ShownGoal | null>();
  // @ts-expect-error: the view does not show the points
  goal!.attributes?.points;
  // @ts-expect-error: a goal has no attribute of that name
  goal!.attributes?.tilte;
  const [whole] = await reader.getViews([`GOAL-${fromUrl}`], { attributes: 'ALL' });
  expectTypeOf(whole!.attributes).toEqualTypeOf<Goal | null>();
  const [some] = await reader.getViews(['GOAL-G1'], { attributes: ['title', 'points'] });
  expectTypeOf(some!.attributes).toEqualTypeOf<Partial<Pick<Goal, 'title' | 'points'>> | null>();
  const [open] = await reader.getViews(['TEAM-T1'], { attributes: ['name'] });
  expectTypeOf(open!.attributes).toEqualTypeOf<{ name?: unknown } | null>();
  // @ts-expect-error: not among those asked for
  open!.attributes?.size;
  const [unknown] = await reader.getViews([fromUrl]);
  expectTypeOf(unknown!.attributes).toEqualTypeOf<Partial<Record<string, unknown>> | null>();
});

it('names the remedy where a node of a type without views is asked for by its view', async () => {
  const graph = defineGraph({
    table: 'records',
    nodes: { LOG: node(), LISTED: node({ list: true }), SHOWN: node({ view: 'KEYS_ONLY' }), OF_SET: node() },
    edges: {
      HAS: edge({ from: 'OF_SET', to: 'LOG' }),
      NONE: edge({ from: 'LOG', to: 'LOG', edgeSet: false, inbound: { orders: { byDate: 'at' } } }),
    },
  });
  expectTypeOf<ViewIdArgument<typeof graph, 'LOG-1'>>().toEqualTypeOf<
    | `SHOWN-${string}`
    | `OF_SET-${string}`
    | "LOG has no views: add view: ['name'] to nodes.LOG in the model, or read getNode"
  >();
  const some = {} as Reader<typeof graph>;
  await some.getViews(['SHOWN-1', 'OF_SET-1', fromUrl]);
  // @ts-expect-error: it has no views
  await some.getView('LOG-1');
  // @ts-expect-error: one of them has no views
  await some.getViews(['SHOWN-1', 'LISTED-1']);
  // @ts-expect-error: it has no views
  some.watch({ views: ['LISTED-1'] });
});

it('shows all attributes of a node without a view where it is next to others', async () => {
  const fields = z.object({ name: z.string(), age: z.number().optional() });
  const graph = defineGraph({
    table: 'records',
    nodes: { GOAL: node({ view: ['title'] }), USER: node({ fields }) },
    edges: {
      GM: edge({ from: 'GOAL', to: 'USER' }),
      TG: edge({ from: 'GOAL', to: 'USER', inbound: { orders: { byDay: 'day' } } }),
    },
  });
  const some = {} as Reader<typeof graph>;
  const { items } = await some.page('USER-1', 'TG', { with: ['GM'] });
  expectTypeOf(items[0]!.edges.GM[0]!.node.attributes!.name).toEqualTypeOf<string | undefined>();
});

it('gives the edges that may leave a node, with their labels', async () => {
  const [goal] = await reader.getViews(['GOAL-G1']);
  const entry = goal!.edgeSet[0]!;
  expectTypeOf(entry.type).toEqualTypeOf<'GOALMEMBERSHIP'>();
  expectTypeOf(entry.target).toEqualTypeOf<`USER-${string}` | `TEAM-${string}`>();
  expectTypeOf(entry.memberRole).toEqualTypeOf<'LEAD' | 'CONTRIBUTOR' | undefined>();
  const [user] = await reader.getViews(['USER-U1']);
  const owned = user!.edgeSet[0]!;
  expectTypeOf(owned.type).toEqualTypeOf<'OWNS' | 'PINS' | 'LIKES'>();
  if (owned.type === 'PINS') expectTypeOf(owned.shown).toEqualTypeOf<undefined>();
  if (owned.type === 'PINS') expectTypeOf(owned.copy).toEqualTypeOf<undefined>();
  if (owned.type === 'LIKES')
    expectTypeOf(owned.copy).toEqualTypeOf<Partial<Pick<Goal, 'title' | 'points'>> | undefined>();
  // @ts-expect-error: not among the copied attributes
  if (owned.type === 'LIKES') owned.copy?.status;
  // @ts-expect-error: no edge type has a label of that name
  owned.color;
});

it('gives the edges of any type where an id does not say its type', async () => {
  const [node] = await reader.getViews([fromUrl]);
  const entry = node!.edgeSet[0]!;
  expectTypeOf(entry.type).toEqualTypeOf<'GOALMEMBERSHIP' | 'OWNS' | 'PINS' | 'LIKES'>();
  if (entry.type === 'GOALMEMBERSHIP')
    expectTypeOf(entry.memberRole).toEqualTypeOf<'LEAD' | 'CONTRIBUTOR' | undefined>();
  const [team] = await reader.getViews(['TEAM-T1']);
  expectTypeOf(team!.edgeSet).toEqualTypeOf<never[]>();
});

it('takes the declared edge types and gives typed edges', async () => {
  const { items } = await reader.inbound(fromUrl, 'GOALMEMBERSHIP', { atLeast: 'LEAD', order: 'gsi0' });
  expectTypeOf(items[0]!.attributes).toEqualTypeOf<{ date?: string }>();
  // @ts-expect-error: the index items do not have the role
  items[0]!.attributes.memberRole;
  expectTypeOf(items[0]!.source).toEqualTypeOf<`GOAL-${string}`>();
  expectTypeOf(items[0]!.type).toEqualTypeOf<'GOALMEMBERSHIP'>();
  expectTypeOf(items[0]!.attributes.date).toEqualTypeOf<string | undefined>();
  const { items: stored } = await reader.edges(fromUrl, 'GOALMEMBERSHIP');
  expectTypeOf(stored[0]!.attributes).toEqualTypeOf<{ memberRole: 'LEAD' | 'CONTRIBUTOR'; date: string }>();
  const { items: all } = await reader.edges(fromUrl);
  expectTypeOf(all[0]!.type).toEqualTypeOf<'GOALMEMBERSHIP' | 'PART_OF' | 'FOLLOWS' | 'OWNS' | 'PINS' | 'LIKES'>();
  void reader.inbound(fromUrl, 'GOALMEMBERSHIP', { order: 'byDate' });
  void reader.page(fromUrl, 'GOALMEMBERSHIP', { order: 'byDate' });
  // @ts-expect-error: no order, but an option beside them
  void reader.inbound(fromUrl, 'GOALMEMBERSHIP', { order: 'project' });
  // @ts-expect-error: no such order
  void reader.page(fromUrl, 'GOALMEMBERSHIP', { order: 'byName' });
  // @ts-expect-error: no such edge type
  void reader.has(fromUrl, 'MEMBERSHIP', fromUrl);
});

it('gives the node behind the edges with the attributes of its type', async () => {
  const { target: owner } = await reader.inbound(fromUrl, 'GOALMEMBERSHIP', { reverse: true, includeTarget: true });
  expectTypeOf(owner?.id).toEqualTypeOf<`USER-${string}` | `TEAM-${string}` | undefined>();
  // @ts-expect-error: a page has no owner
  void reader.page(fromUrl, 'GOALMEMBERSHIP', { owner: true });
});

it('takes the declared searches and gives typed hits', async () => {
  const { items } = await reader.search('GOAL.points').between(1, '12345678901234567890');
  expectTypeOf(items[0]!.id).toEqualTypeOf<`GOAL-${string}`>();
  expectTypeOf(items[0]!.attributes.title).toEqualTypeOf<string | undefined>();
  // @ts-expect-error: no such search
  void reader.shards('TEAM.name');
});

it('takes what an edge type joins, and the edge types that have orders', async () => {
  void reader.inbound('USER-U1', 'GOALMEMBERSHIP');
  // @ts-expect-error: LIKES has no orders
  void reader.page('GOAL-G1', 'LIKES');
  void reader.degree(fromUrl, 'GOALMEMBERSHIP');
  // @ts-expect-error: a membership leaves no user
  void reader.getEdge('USER-U1', 'GOALMEMBERSHIP', 'USER-U2');
  // @ts-expect-error: no such edge type
  void reader.getCollection('GOAL-G1', { types: ['KNOWS'] });
  const edge = await reader.getEdge('GOAL-G1', 'GOALMEMBERSHIP', 'USER-U1');
  expectTypeOf(edge!.attributes.memberRole).toEqualTypeOf<'LEAD' | 'CONTRIBUTOR'>();
  const node = await reader.getNode('GOAL-G1');
  expectTypeOf(node!.attributes).toEqualTypeOf<Goal>();
  const { node: goal, items } = await reader.getCollection('GOAL-G1', { types: ['GOALMEMBERSHIP'] });
  expectTypeOf(goal!.attributes).toEqualTypeOf<Goal>();
  expectTypeOf(items[0]!.type).toEqualTypeOf<'GOALMEMBERSHIP'>();
});

it('gives a page of typed nodes', async () => {
  const page = await reader.page(fromUrl, 'GOALMEMBERSHIP', {
    with: ['GOALMEMBERSHIP:LEAD', { type: 'GOALMEMBERSHIP', label: 'CONTRIBUTOR' }],
  });
  expectTypeOf(page.items[0]!.id).toEqualTypeOf<`GOAL-${string}`>();
  expectTypeOf(page.items[0]!.attributes).toEqualTypeOf<ShownGoal | null>();
  const { edge: membership, node: member } = page.items[0]!.edges.GOALMEMBERSHIP[0]!;
  expectTypeOf(membership.memberRole).toEqualTypeOf<'LEAD' | 'CONTRIBUTOR' | undefined>();
  expectTypeOf(member.id).toEqualTypeOf<`USER-${string}` | `TEAM-${string}`>();
  expectTypeOf(member.attributes?.name).toEqualTypeOf<unknown>();
  // @ts-expect-error: no level names what members like
  void member.edges;
  const liked = await reader.page(fromUrl, 'GOALMEMBERSHIP', { with: [{ edge: 'GOALMEMBERSHIP', with: ['LIKES'] }] });
  const { node: goal } = liked.items[0]!.edges.GOALMEMBERSHIP[0]!.node.edges.LIKES[0]!;
  // What LIKES copies of goals is more than their views show.
  expectTypeOf(goal.attributes).toEqualTypeOf<Partial<Goal> | null>();
  expectTypeOf(goal.attributes?.points).toEqualTypeOf<number | undefined>();
  // @ts-expect-error: a goal has no attribute of that name
  goal.attributes?.tilte;
  // @ts-expect-error: what one owns leaves a user, and no goal
  void reader.page(fromUrl, 'GOALMEMBERSHIP', { with: ['OWNS'] });
  // @ts-expect-error: no edge set has FOLLOWS
  void reader.page(fromUrl, 'GOALMEMBERSHIP', { with: ['FOLLOWS'] });
});

it('takes only values of the order that is asked', () => {
  void reader.inbound(fromUrl, 'GOALMEMBERSHIP', { equals: 'CONTRIBUTOR' });
  void reader.inbound(fromUrl, 'GOALMEMBERSHIP', { order: 'gsi1', between: ['2020-07', undefined] });
  void reader.page(fromUrl, 'GOALMEMBERSHIP', { order: 'byDate', equals: fromUrl });
  void reader.inDegree('USER-U1', 'GOALMEMBERSHIP', { atLeast: 'LEAD' });
  // @ts-expect-error: a text may have no rank
  void reader.inbound(fromUrl, 'GOALMEMBERSHIP', { order: 'gsi0', atLeast: fromUrl });
  // @ts-expect-error: BOSS has no rank
  void reader.page(fromUrl, 'GOALMEMBERSHIP', { equals: 'BOSS' });
  // @ts-expect-error: BOSS has no rank
  void reader.inDegree('USER-U1', 'GOALMEMBERSHIP', { equals: 'BOSS' });
  // @ts-expect-error: a number is no date
  void reader.inbound(fromUrl, 'GOALMEMBERSHIP', { order: 'gsi1', equals: 5 });
  void reader.search('GOAL.stage').equals('DONE');
  void reader.search('USER.level').between('A');
  // @ts-expect-error: LATE has no rank
  void reader.search('GOAL.stage').find({ equals: 'LATE' });
  // @ts-expect-error: a number is no date
  void reader.search('USER.born').equals(5);
  // @ts-expect-error: a number is no date
  void reader.search('USER.born').between('2020', 5);
  // @ts-expect-error: a number is no text
  void reader.search('GOAL.heading').equals(5);
});

it('takes only the beginnings of values that have some', () => {
  void reader.inbound(fromUrl, 'GOALMEMBERSHIP', { order: 'gsi1', beginsWith: '2020-07' });
  void reader.inbound(fromUrl, 'GOALMEMBERSHIP', { order: 'byDate', beginsWith: fromUrl, limit: 5 });
  void reader.inbound(fromUrl, 'PART_OF', { order: 'byStatus', path: ['OPEN'], beginsWith: 'a', partition: 'x' });
  void reader.inbound(fromUrl, 'PART_OF', { order: 'byStatus', path: ['OPEN'], between: ['a', 'b'], partition: 'x' });
  void reader.inbound(fromUrl, 'PINS', { order: 'byRank', between: [3, undefined] });
  // @ts-expect-error: ranks have no beginnings
  void reader.inbound(fromUrl, 'GOALMEMBERSHIP', { beginsWith: 'L' });
  // @ts-expect-error: numbers have no beginnings
  void reader.inbound(fromUrl, 'PINS', { order: 'byRank', beginsWith: '1' });
  // @ts-expect-error: ranks have no beginnings
  void reader.page(fromUrl, 'GOALMEMBERSHIP', { beginsWith: 'L' });
  // @ts-expect-error: numbers have no beginnings
  void reader.inDegree(fromUrl, 'PINS', { order: 'byRank', beginsWith: '1' });
});

it('has only the questions that a search answers', () => {
  void reader.search('USER.born').beginsWith('2020-07');
  void reader.search('GOAL.code').equals('x');
  void reader.search('GOAL.place').path(['OPEN']);
  void reader.search('GOAL.place').all();
  void reader.search('GOAL.place').find({ path: ['OPEN'], beginsWith: 'a' });
  void reader.search('GOAL.place').find({ path: ['OPEN'], between: ['a', 'b'] });
  void reader.search('GOAL.place').count({ path: [], beginsWith: 'O' });
  // @ts-expect-error: the beginning of a segment, or a range of it
  void reader.search('GOAL.place').find({ path: ['OPEN'], beginsWith: 'a', between: ['b', undefined] });
  // @ts-expect-error: one value, or a range
  void reader.search('GOAL.points').find({ equals: 5, between: [3, undefined] });
  // @ts-expect-error: a beginning, or a range
  void reader.search('GOAL.heading').count({ beginsWith: 'a', between: [undefined, 'b'] });
  // @ts-expect-error: one value, or a beginning
  void reader.search('GOAL.heading').find({ equals: 'a', beginsWith: 'b' });
  // @ts-expect-error: equality only
  void reader.search('GOAL.code').find({ equals: 'a', from: 'b' });
  // @ts-expect-error: one value, or a path
  void anyReader.search(fromUrl).find({ equals: 'a', path: ['b'] });
  // @ts-expect-error: ranks have no beginnings
  void reader.search('GOAL.stage').beginsWith('O');
  // @ts-expect-error: one value is no path
  void reader.search('GOAL.heading').path(['x']);
  // @ts-expect-error: a path is asked for by its segments
  void reader.search('GOAL.place').equals('OPEN');
  // @ts-expect-error: equality only
  void reader.search('GOAL.code').between('a', 'b');
  // @ts-expect-error: equality only
  void reader.search('GOAL.code').find({});
  // @ts-expect-error: equality only
  void reader.search('GOAL.code').count();
  // @ts-expect-error: equality only
  void reader.shards('GOAL.code');
});

it('wants a partition where the model declares one, and only there', () => {
  void reader.search('USER.name').equals('Ada', { partition: 'UK', limit: 5 });
  void reader.search('USER.name').between('A', undefined, { partition: 'UK' });
  void reader.search('USER.name').count(undefined, { partition: 'UK' });
  void reader.search('GOAL.heading').count({ equals: 'x' });
  void reader.shards('USER.name', { partition: 'UK' });
  // @ts-expect-error: no partition
  void reader.search('USER.name').equals('Ada');
  // @ts-expect-error: no partition
  void reader.search('USER.name').equals('Ada', { limit: 5 });
  // @ts-expect-error: no partition
  void reader.search('USER.name').between('A', 'B');
  // @ts-expect-error: no partition
  void reader.search('USER.name').latest();
  // @ts-expect-error: no partition
  void reader.search('USER.name').count();
  // @ts-expect-error: no partition
  void reader.shards('USER.name');
  // @ts-expect-error: the search has no partition
  void reader.search('GOAL.heading').equals('x', { partition: 'UK' });
  // @ts-expect-error: no partition
  void reader.watch({ inbound: ['TEAM-T1', 'PART_OF'] });
  void reader.watch({ inbound: ['TEAM-T1', 'PART_OF'], partition: 'one' });
  // @ts-expect-error: the orders have no partition
  void reader.page('USER-U1', 'GOALMEMBERSHIP', { partition: 'one' });
  void anyReader.inbound('TEAM-T1', 'PART_OF');
  void anyReader.page('TEAM-T1', 'PART_OF', { partition: 'one' });
});

it('shows what the search items hold', async () => {
  const { items: byStatus } = await reader.search('GOAL.status').equals('OPEN');
  expectTypeOf(byStatus[0]!.attributes).toEqualTypeOf<{ title?: string }>();
  const { items: byPoints } = await reader.search('GOAL.points').equals(5n);
  expectTypeOf(byPoints[0]!.attributes).toEqualTypeOf<Partial<Goal>>();
  const { items: byHeading } = await reader.search('GOAL.heading').equals('x');
  // @ts-expect-error: the search items have keys only
  byHeading[0]!.attributes.title;
});

it('lists, counts and gives owners only where the model says so', () => {
  void reader.nodes('GOAL');
  void reader.degree('GOAL-G1', 'GOALMEMBERSHIP');
  // @ts-expect-error: FOLLOWS is in no edge set and not counted
  void reader.degree('USER-U1', 'FOLLOWS');
  // @ts-expect-error: GAOL is no node type
  void reader.getCollection('GAOL-G1');
  void reader.inbound('GOAL-G1', 'PINS', { between: [1, '2'] });
  // @ts-expect-error: the index of pins has no owner
  void reader.inbound('GOAL-G1', 'PINS', { includeTarget: true });
});

it('takes any names where the graph is not known', async () => {
  const { items } = await anyReader.inbound(fromUrl, fromUrl);
  expectTypeOf(items[0]!.source).toEqualTypeOf<string>();
  const { items: hits } = await anyReader.search(fromUrl).equals('x');
  expectTypeOf(hits[0]!.id).toEqualTypeOf<string>();
  expectTypeOf(hits[0]!.attributes['name']).toEqualTypeOf<unknown>();
  void anyReader.inbound(fromUrl, fromUrl, { order: fromUrl, equals: 5, includeTarget: true });
  void anyReader.search(fromUrl).path(['x'], { partition: 'UK' });
  void anyReader.nodes(fromUrl);
  const [node] = await anyReader.getViews([fromUrl]);
  expectTypeOf(node!.edgeSet[0]!.type).toEqualTypeOf<string>();
  expectTypeOf(node!.edgeSet[0]!['role']).toEqualTypeOf<unknown>();
});

it('takes a where of the attributes that the model projects, with values of their types', () => {
  void reader.inbound(fromUrl, 'GOALMEMBERSHIP', { where: { date: '2026' }, maxRcu: 5 });
  void reader.page(fromUrl, 'GOALMEMBERSHIP', { where: { date: '2026' } });
  void reader.inbound(fromUrl, 'GOALMEMBERSHIP', { where: { memberRole: 'LEAD' } });
  // @ts-expect-error: memberRole is neither projected nor in the keys of this order
  void reader.inbound(fromUrl, 'GOALMEMBERSHIP', { order: 'byDate', where: { memberRole: 'LEAD' } });
  // @ts-expect-error: memberRole is neither projected nor in the keys of this order
  void reader.page(fromUrl, 'GOALMEMBERSHIP', { order: 'byDate', where: { memberRole: 'LEAD' } });
  void reader.inbound('GOAL-1', 'PINS', { where: { rank: 1 } });
  // @ts-expect-error: nothing is projected
  void reader.inbound('GOAL-1', 'PINS', { where: { since: 1 } });
  void reader.search('GOAL.points').all({ where: { status: 'OPEN', points: 3n } });
  void reader.search('GOAL.points').all({ where: { status: { in: ['OPEN'] }, points: { gte: 3n, lt: 5 } } });
  void reader.search('GOAL.points').all({ where: { status: { not: { equals: 'OPEN' }, beginsWith: 'O' } } });
  // @ts-expect-error: points are numbers
  void reader.search('GOAL.points').all({ where: { points: { gte: '3' } } });
  // @ts-expect-error: points are numbers
  void reader.search('GOAL.points').all({ where: { points: { not: { in: ['3'] } } } });
  // @ts-expect-error: no number has a beginning
  void reader.search('GOAL.points').all({ where: { points: { beginsWith: '3' } } });
  // @ts-expect-error: there is no such comparison
  void reader.search('GOAL.points').all({ where: { points: { above: 3 } } });
  // @ts-expect-error: points are a number
  void reader.search('GOAL.points').all({ where: { points: '3' } });
  void reader.search('GOAL.status').equals('OPEN', { where: { title: 'x' } });
  void reader.search('GOAL.status').all({ where: { status: { in: ['OPEN', 'NEW'] } } });
  // @ts-expect-error: not among the projected attributes
  void reader.search('GOAL.status').equals('OPEN', { where: { points: 3 } });
  void reader.search('GOAL.heading').all({ where: { title: { beginsWith: 'x' } } });
  void reader.search('GOAL.place').path(['OPEN'], { where: { title: { beginsWith: 'x' } } });
  // @ts-expect-error: this search projects nothing
  void reader.search('GOAL.heading').find({ equals: 'OPEN' }, { where: { status: 'x' } });
  void anyReader.search('GOAL.heading').all({ where: { anything: 3 } });
  void anyReader.inbound(fromUrl, 'GOALMEMBERSHIP', { where: { anything: 3 } });
});

it('gives the nodes of a page as they are asked for', async () => {
  const { items } = await reader.page(fromUrl, 'GOALMEMBERSHIP', { attributes: ['points'], with: [] });
  expectTypeOf(items[0]!.attributes).toEqualTypeOf<Partial<Pick<Goal, 'points'>> | null>();
  const { items: whole } = await reader.page(fromUrl, 'GOALMEMBERSHIP', { attributes: 'ALL' });
  expectTypeOf(whole[0]!.attributes).toEqualTypeOf<Goal | null>();
  expectTypeOf<keyof (typeof whole)[0]['edges']>().toEqualTypeOf<'GOALMEMBERSHIP'>();
});

it('takes the leading values of an order by several values, each of its type, and decimals for numbers', () => {
  void reader.inbound('TEAM-T1', 'PART_OF', { order: 'byStage', path: ['OPEN'], partition: 'one' });
  void reader.inbound('TEAM-T1', 'PART_OF', { order: 'byStage', path: ['OPEN', 'any'], partition: 'one' });
  void reader.page('TEAM-T1', 'PART_OF', { order: 'byStage', path: ['DONE'], partition: 'one' });
  void reader.inDegree('TEAM-T1', 'PART_OF', { order: 'byStage', path: [], partition: 'one' });
  // @ts-expect-error: no label of the rank
  void reader.inbound('TEAM-T1', 'PART_OF', { order: 'byStage', path: ['NOPE'], partition: 'one' });
  // @ts-expect-error: no label of the rank
  void reader.page('TEAM-T1', 'PART_OF', { order: 'byStage', path: ['NOPE'], partition: 'one' });
  // @ts-expect-error: no label of the rank
  void reader.inDegree('TEAM-T1', 'PART_OF', { order: 'byStage', path: ['NOPE'], partition: 'one' });
  // @ts-expect-error: the order has two values
  void reader.inbound('TEAM-T1', 'PART_OF', { order: 'byStage', path: ['OPEN', 'any', 'more'], partition: 'one' });
  // @ts-expect-error: an order by one value
  void reader.inbound('TEAM-T1', 'PART_OF', { path: [5], partition: 'one' });
  void anyReader.inbound(fromUrl, 'PART_OF', { path: ['anything', 5] });
  void reader.search('GOAL.points').equals('5');
  // @ts-expect-error: no decimal
  void reader.inbound('TEAM-T1', 'PART_OF', { between: ['five', undefined], partition: 'one' });
});

it('gives the attributes of sources that an edge type projects, with their types', async () => {
  const { items } = await reader.inbound('TEAM-T1', 'PART_OF', { order: 'byStatus', path: ['OPEN'], partition: 'one' });
  expectTypeOf(items[0]!.attributes.title).toEqualTypeOf<string | undefined>();
  expectTypeOf(items[0]!.attributes.weight).toEqualTypeOf<number | undefined>();
  // @ts-expect-error: not among the projected ones of the source
  items[0]!.attributes.points;
  // @ts-expect-error: not among the projected ones of the edge
  items[0]!.attributes.note;
  await reader.inbound('TEAM-T1', 'PART_OF', { where: { status: 'OPEN' }, between: [5, undefined], partition: 'one' });
  await reader.inbound('TEAM-T1', 'PART_OF', { where: { points: 5 }, partition: 'one' });
  await reader.inbound('TEAM-T1', 'PART_OF', { order: 'byStatus', where: { note: 'x' }, partition: 'one' });
  // @ts-expect-error: neither projected nor in the keys of this order
  await reader.inbound('TEAM-T1', 'PART_OF', { order: 'byStatus', where: { points: 5 }, partition: 'one' });
  // @ts-expect-error: no attribute of either
  await reader.page('TEAM-T1', 'PART_OF', { where: { stattus: 'OPEN' }, partition: 'one' });
  // @ts-expect-error: a status is a text
  await reader.page('TEAM-T1', 'PART_OF', { where: { status: 5 }, partition: 'one' });
  // @ts-expect-error: an order by several values has no one value
  await reader.inbound('TEAM-T1', 'PART_OF', { order: 'byStatus', equals: 'OPEN' });
});

it('names the sums and groups of a total', async () => {
  const work = defineGraph({
    table: 'records',
    nodes: { USER: node({ view: 'ALL' }), PROJECT: node({ view: 'ALL' }) },
    edges: {
      WORKED_ON: edge({
        from: 'USER',
        to: 'PROJECT',
        edgeSet: false,
        inbound: { total: { hours: sum('hours') }, groupBy: ['kind'] },
      }),
      LIKES: edge({ from: 'USER', to: 'PROJECT' }),
    },
  });
  const ofWork = {} as Reader<typeof work>;
  const total = await ofWork.total('PROJECT-P1', 'WORKED_ON');
  expectTypeOf(total.hours).toEqualTypeOf<string>();
  expectTypeOf(total.groups).toEqualTypeOf<Record<'kind', Record<string, number>>>();
  // @ts-expect-error: there is no such sum
  void total.minutes;
});

it('gives the groups of a total the values of their attributes', async () => {
  const kind = z.enum(['open', 'closed']);
  const issues = defineGraph({
    table: 'records',
    nodes: { ISSUE: node({ view: 'ALL' }), USER: node({ view: 'ALL' }) },
    edges: {
      WORKED_ON: edge({
        fields: z.object({ kind, done: z.boolean(), note: z.string() }),
        from: 'USER',
        to: 'ISSUE',
        inbound: { groupBy: ['kind', 'done'] },
        outgoing: { groupBy: ['note'] },
      }),
    },
  });
  const { groups } = await ({} as Reader<typeof issues>).total('ISSUE-1', 'WORKED_ON');
  expectTypeOf(groups.kind).toEqualTypeOf<{ open?: number; closed?: number }>();
  expectTypeOf(groups.done).toEqualTypeOf<{ true?: number; false?: number }>();
  expectTypeOf(groups.note).toEqualTypeOf<Record<string, number>>();
  // @ts-expect-error: no kind
  void groups.kind.opne;
});

it('takes the queries of the graph for answers to requests', () => {
  watchHandler({ reader, query: () => ({ inbound: [fromUrl, 'GOALMEMBERSHIP'], limit: 3 }) });
  watchHandler({ reader: anyReader, query: async () => ({ search: 'ANY.thing', equals: 3 }) });
  watchHandler({ reader, query: () => new Response(null, { status: 401 }) });
  // @ts-expect-error: no such edge type
  watchHandler({ reader, query: () => ({ inbound: [fromUrl, 'GOALMEMBERSIP'] }) });
  // @ts-expect-error: no such search
  watchHandler({ reader, query: () => ({ search: 'USER.nothing', equals: 'x' }) });
});
