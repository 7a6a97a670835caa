import { expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import type { CallResult } from '../../src/client/call/capacity.ts';
import { newId } from '../../src/client/write/new-id.ts';
import { createWriter, type Writer } from '../../src/client/write/writer.ts';
import { hashedEdgeKey } from '../../src/core/items/hashed-key.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import type { Store } from '../../src/core/store-port.ts';
import { graph } from './graph.ts';

const writer = createWriter(graph, { store: {} as Store });

it('takes the attributes that a node type declares', () => {
  expectTypeOf(writer.putNode('GOAL-G1', { title: 'Run', status: 'DONE', points: 3 })).toEqualTypeOf<
    Promise<CallResult>
  >();
  writer.putNode(newId('GOAL'), { title: 'Run' });
  // @ts-expect-error points is a number
  writer.putNode('GOAL-G1', { title: 'Run', points: '3' });
  // @ts-expect-error title is missing
  writer.putNode('GOAL-G1', { status: 'DONE' });
  // @ts-expect-error the attributes are missing
  writer.putNode('GOAL-G1');
});

it('takes any attributes, or none, where a node type declares none', () => {
  writer.putNode('USER-U1', { whatever: new Set([1n]) });
  writer.putNode('TEAM-T1');
});

it('refuses ids of types that the model does not have', () => {
  // @ts-expect-error GAOL is no node type
  writer.putNode('GAOL-G1', {});
  // @ts-expect-error an id has a dash after its type
  writer.deleteNode('GOAL');
  // @ts-expect-error any text is no id
  writer.deleteNodeWithEdges('USER-U1' as string);
});

it('takes the ends and the attributes that an edge type declares', () => {
  writer.putEdge('GOAL-G1', 'GOALMEMBERSHIP', 'USER-U1', { memberRole: 'LEAD' });
  writer.putEdge(newId('GOAL'), 'GOALMEMBERSHIP', newId('TEAM'), { memberRole: 'CONTRIBUTOR', date: '2020-07-01' });
  writer.putEdge('USER-U1', 'FOLLOWS', 'USER-U2');
  writer.putEdge('USER-U1', 'FOLLOWS', 'USER-U2', { since: 2020 });
  // @ts-expect-error a membership leaves a goal
  writer.putEdge('USER-U1', 'GOALMEMBERSHIP', 'USER-U1', { memberRole: 'LEAD' });
  // @ts-expect-error memberRole is missing
  writer.putEdge('GOAL-G1', 'GOALMEMBERSHIP', 'USER-U1');
  // @ts-expect-error KNOWS is no edge type
  writer.putEdge('USER-U1', 'KNOWS', 'USER-U2');
  // @ts-expect-error one follows a user
  writer.deleteEdge('USER-U1', 'FOLLOWS', 'GOAL-G1');
});

it('wants no key of an edge whose keys are hashed', () => {
  const FRIEND = edge({ fields: z.object({ since: z.string() }), from: 'USER', to: 'USER', keys: 'hashed' });
  const friends = defineGraph({ table: 'records', nodes: { USER: node({ view: 'ALL' }) }, edges: { FRIEND } });
  const writer = createWriter(friends, { store: {} as Store });
  writer.putEdge('USER-U1', 'FRIEND', 'USER-U2', { since: '2020' });
  // @ts-expect-error targetId is no attribute: the writer sets it
  writer.putEdge('USER-U1', 'FRIEND', 'USER-U2', { since: '2020', targetId: 'USER-U2' });
  // @ts-expect-error a friend is a user
  writer.putEdge('USER-U1', 'FRIEND', 'GOAL-G1', { since: '2020' });
  expectTypeOf(hashedEdgeKey('FRIEND', 'USER-U2')).toEqualTypeOf<string>();
  // @ts-expect-error a target is a text
  hashedEdgeKey('FRIEND', 2);
});

it('takes changes of declared attributes, by name or by function', () => {
  writer.updateNode('GOAL-G1', { set: { title: 'Run' }, add: { points: 1 }, remove: ['points'] });
  writer.updateNode('GOAL-G1', ({ points = 0, ...goal }) => ({ ...goal, points: points + 1 }), {
    if: { status: 'OPEN' },
  });
  expectTypeOf(writer.updateNode('GOAL-G1', {})).resolves.toHaveProperty('attributes');
  writer.updateNode('USER-U1', { add: { any: 1n }, addTo: { tags: ['x'] } }, { upsert: true });
  writer.updateEdge('GOAL-G1', 'GOALMEMBERSHIP', 'USER-U1', { set: { memberRole: 'LEAD' } }, { ifPresent: true });
  // @ts-expect-error title is no set
  writer.updateNode('GOAL-G1', { addTo: { title: ['x'] } });
  // @ts-expect-error title is required
  writer.updateNode('GOAL-G1', { remove: ['title'] });
  // @ts-expect-error title is required
  writer.updateNode('GOAL-G1', ({ status }) => ({ status }));
  // @ts-expect-error points is a number
  writer.putNode('GOAL-G1', { title: 'Run' }, { if: { points: '3' } });
  writer.transact((transaction) => {
    transaction.requireNode('GOAL-G1', { if: { status: 'OPEN' } });
    transaction.putEdge('GOAL-G1', 'GOALMEMBERSHIP', 'USER-U1', { memberRole: 'LEAD' }, { ifAbsent: true });
    // @ts-expect-error a transaction takes no functions
    transaction.updateNode('GOAL-G1', (goal) => goal);
    // @ts-expect-error a membership leaves a goal
    transaction.requireEdge('USER-U1', 'GOALMEMBERSHIP', 'USER-U2');
  });
});

it('types the operations of a batch in the same way', () => {
  writer.batch((batch) => {
    expectTypeOf(batch.putNode('GOAL-G1', { title: 'Run' })).toEqualTypeOf<void>();
    batch.putEdge('GOAL-G1', 'GOALMEMBERSHIP', 'USER-U1', { memberRole: 'LEAD' });
    batch.deleteEdge('USER-U1', 'FOLLOWS', 'USER-U2');
    batch.deleteNode('USER-U1');
    // @ts-expect-error titel is no attribute
    batch.putNode('GOAL-G1', { titel: 'Run' });
    // @ts-expect-error one follows a user
    batch.putEdge('USER-U1', 'FOLLOWS', 'TEAM-T1');
  });
});

it('takes any text where the graph is not known', () => {
  const open: Writer<CompiledModel> = createWriter(graph as CompiledModel, { store: {} as Store });
  open.putNode('ANY-1' as string, { name: 'Ada' });
  open.putEdge('ANY-1' as string, 'ANYTHING' as string, 'ANY-2' as string);
});
