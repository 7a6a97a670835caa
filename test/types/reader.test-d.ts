import { expectTypeOf, it } from 'vitest';
import type { CompiledModel } from '../../src/model/compiled.ts';
import type { Reader } from '../../src/read/reader.ts';
import type { TestGraph } from './graph.ts';

declare const reader: Reader<TestGraph>;
declare const anyReader: Reader<CompiledModel>;
declare const fromUrl: string;

interface Goal {
  title: string;
  status: string;
  points?: number | undefined;
}

it('gives the attributes of the type that an id names, as far as they are selected', async () => {
  const [goal] = await reader.get(['GOAL-G1']);
  expectTypeOf(goal!.attributes).toEqualTypeOf<Partial<Goal> | null>();
  // @ts-expect-error: a goal has no attribute of that name
  goal!.attributes?.tilte;
  const [whole] = await reader.get([`GOAL-${fromUrl}`], { attributes: 'ALL' });
  expectTypeOf(whole!.attributes).toEqualTypeOf<Goal | null>();
  const [some] = await reader.get(['GOAL-G1'], { attributes: ['title', 'points'] });
  expectTypeOf(some!.attributes).toEqualTypeOf<Partial<Pick<Goal, 'title' | 'points'>> | null>();
  const [open] = await reader.get(['TEAM-T1'], { attributes: ['name'] });
  expectTypeOf(open!.attributes).toEqualTypeOf<{ name?: unknown } | null>();
  // @ts-expect-error: not among those asked for
  open!.attributes?.size;
  const [unknown] = await reader.get([fromUrl]);
  expectTypeOf(unknown!.attributes).toEqualTypeOf<Partial<Record<string, unknown>> | null>();
});

it('gives the edges that may leave a node, with their labels', async () => {
  const [goal] = await reader.get(['GOAL-G1']);
  const entry = goal!.edgeSet[0]!;
  expectTypeOf(entry.type).toEqualTypeOf<'GOALMEMBERSHIP'>();
  expectTypeOf(entry.target).toEqualTypeOf<`USER-${string}` | `TEAM-${string}`>();
  expectTypeOf(entry.memberRole).toEqualTypeOf<'LEAD' | 'CONTRIBUTOR' | undefined>();
  const [user] = await reader.get(['USER-U1']);
  const owned = user!.edgeSet[0]!;
  expectTypeOf(owned.type).toEqualTypeOf<'FOLLOWS' | 'OWNS' | 'LIKES'>();
  if (owned.type === 'FOLLOWS') expectTypeOf(owned.shown).toEqualTypeOf<undefined>();
  if (owned.type === 'FOLLOWS') expectTypeOf(owned.copy).toEqualTypeOf<undefined>();
  if (owned.type === 'LIKES') expectTypeOf(owned.copy).toEqualTypeOf<{ title?: string } | undefined>();
  // @ts-expect-error: not among the copied attributes
  if (owned.type === 'LIKES') owned.copy?.status;
  // @ts-expect-error: no edge type has a label of that name
  owned.colour;
});

it('takes the declared edge types and gives typed edges', async () => {
  const { items } = await reader.inbound('GOALMEMBERSHIP', fromUrl, { atLeast: 'LEAD', order: 'gsi0' });
  expectTypeOf(items[0]!.source).toEqualTypeOf<`GOAL-${string}`>();
  expectTypeOf(items[0]!.type).toEqualTypeOf<'GOALMEMBERSHIP'>();
  expectTypeOf(items[0]!.attributes.date).toEqualTypeOf<string | undefined>();
  const { items: stored } = await reader.edges(fromUrl, 'GOALMEMBERSHIP');
  expectTypeOf(stored[0]!.attributes).toEqualTypeOf<{ memberRole: 'LEAD' | 'CONTRIBUTOR'; date: string }>();
  const { items: all } = await reader.edges(fromUrl);
  expectTypeOf(all[0]!.type).toEqualTypeOf<'GOALMEMBERSHIP' | 'FOLLOWS' | 'OWNS' | 'LIKES'>();
  // @ts-expect-error: no such edge type
  void reader.inbound('MEMBERSHIP', fromUrl);
  void reader.inbound('GOALMEMBERSHIP', fromUrl, { order: 'byDate' });
  void reader.page('GOALMEMBERSHIP', fromUrl, { order: 'byDate' });
  // @ts-expect-error: no such order
  void reader.inbound('GOALMEMBERSHIP', fromUrl, { order: 'byName' });
  // @ts-expect-error: no order, but an option beside them
  void reader.inbound('GOALMEMBERSHIP', fromUrl, { order: 'project' });
  // @ts-expect-error: no such order
  void reader.page('GOALMEMBERSHIP', fromUrl, { order: 'byName' });
  // @ts-expect-error: no such edge type
  void reader.has(fromUrl, 'MEMBERSHIP', fromUrl);
});

it('gives the node behind the edges with the attributes of its type', async () => {
  const { owner } = await reader.inbound('GOALMEMBERSHIP', fromUrl, { reverse: true, owner: true });
  expectTypeOf(owner?.id).toEqualTypeOf<`USER-${string}` | `TEAM-${string}` | undefined>();
  // @ts-expect-error: a page has no owner
  void reader.page('GOALMEMBERSHIP', fromUrl, { owner: true });
});

it('takes the declared searches and gives typed hits', async () => {
  const { items } = await reader.search('GOAL.points').between(1, '12345678901234567890');
  expectTypeOf(items[0]!.id).toEqualTypeOf<`GOAL-${string}`>();
  expectTypeOf(items[0]!.attributes.title).toEqualTypeOf<string | undefined>();
  // @ts-expect-error: no such search
  void reader.search('GOAL.title');
  // @ts-expect-error: no such search
  void reader.shards('TEAM.name');
});

it('takes what an edge type joins, and the edge types that have orders', async () => {
  void reader.inbound('GOALMEMBERSHIP', 'USER-U1');
  // @ts-expect-error: LIKES has no orders
  void reader.inbound('LIKES', 'GOAL-G1');
  // @ts-expect-error: LIKES has no orders
  void reader.page('LIKES', 'GOAL-G1');
  // @ts-expect-error: LIKES has no orders
  void reader.inDegree('GOAL-G1', 'LIKES');
  // @ts-expect-error: a membership enters no goal
  void reader.inbound('GOALMEMBERSHIP', 'GOAL-G1');
  // @ts-expect-error: a membership enters no goal
  void reader.has('GOAL-G1', 'GOALMEMBERSHIP', 'GOAL-G2');
  // @ts-expect-error: a membership leaves no user
  void reader.edge('USER-U1', 'GOALMEMBERSHIP', 'USER-U2');
  // @ts-expect-error: no such edge type
  void reader.collection('GOAL-G1', { types: ['KNOWS'] });
  const edge = await reader.edge('GOAL-G1', 'GOALMEMBERSHIP', 'USER-U1');
  expectTypeOf(edge!.attributes.memberRole).toEqualTypeOf<'LEAD' | 'CONTRIBUTOR'>();
  const node = await reader.node('GOAL-G1');
  expectTypeOf(node!.attributes).toEqualTypeOf<Goal>();
  const { node: goal, items } = await reader.collection('GOAL-G1', { types: ['GOALMEMBERSHIP'] });
  expectTypeOf(goal!.attributes).toEqualTypeOf<Goal>();
  expectTypeOf(items[0]!.type).toEqualTypeOf<'GOALMEMBERSHIP'>();
});

it('gives a page of typed nodes', async () => {
  const page = await reader.page('GOALMEMBERSHIP', fromUrl, { with: ['OWNS', { type: 'LIKES', label: 5 }] });
  expectTypeOf(page.items[0]!.id).toEqualTypeOf<`GOAL-${string}`>();
  expectTypeOf(page.items[0]!.attributes).toEqualTypeOf<Partial<Goal> | null>();
  expectTypeOf(page.items[0]!.edgeSet[0]!.memberRole).toEqualTypeOf<'LEAD' | 'CONTRIBUTOR' | undefined>();
  expectTypeOf(page.nodes['USER-U1']!).toEqualTypeOf<Partial<Record<string, unknown>>>();
  expectTypeOf(page.nodes['GOAL-G1']).toEqualTypeOf<Partial<Goal> | null | undefined>();
  // @ts-expect-error: a goal has no attribute of that name
  page.nodes['GOAL-G1']?.tilte;
  // @ts-expect-error: no such edge type
  void reader.page('GOALMEMBERSHIP', fromUrl, { with: ['KNOWS'] });
});

it('takes any names where the graph is not known', async () => {
  const { items } = await anyReader.inbound(fromUrl, fromUrl);
  expectTypeOf(items[0]!.source).toEqualTypeOf<string>();
  const { items: hits } = await anyReader.search(fromUrl).eq('x');
  expectTypeOf(hits[0]!.id).toEqualTypeOf<string>();
  expectTypeOf(hits[0]!.attributes['name']).toEqualTypeOf<unknown>();
  const [node] = await anyReader.get([fromUrl]);
  expectTypeOf(node!.edgeSet[0]!.type).toEqualTypeOf<string>();
  expectTypeOf(node!.edgeSet[0]!['role']).toEqualTypeOf<unknown>();
});
