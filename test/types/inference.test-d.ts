import { expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { newId } from '../../src/client/write/new-id.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import type { ExactNumber } from '../../src/core/items/plain.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import type {
  DefaultOrder,
  EdgeAttributes,
  EdgeInput,
  EdgeLabel,
  EdgeOrder,
  EdgeSource,
  EdgeTarget,
  EdgeType,
  NodeAttributes,
  NodeId,
  NodeInput,
  NodeType,
  SearchName,
  TypeOfId,
} from '../../src/core/model/inference.ts';
import { edge, node, number } from '../../src/core/model/schema.ts';
import type { Store } from '../../src/core/store-port.ts';
import type { TestGraph } from './graph.ts';

it('knows the node types, their ids and the type of an id', () => {
  expectTypeOf<NodeType<TestGraph>>().toEqualTypeOf<'GOAL' | 'USER' | 'TEAM'>();
  expectTypeOf<NodeId<TestGraph>>().toEqualTypeOf<`GOAL-${string}` | `USER-${string}` | `TEAM-${string}`>();
  expectTypeOf<NodeId<TestGraph, 'TEAM'>>().toEqualTypeOf<`TEAM-${string}`>();
  expectTypeOf<TypeOfId<TestGraph, 'GOAL-G1'>>().toEqualTypeOf<'GOAL'>();
  expectTypeOf<TypeOfId<TestGraph, `USER-${string}` | 'TEAM-T1'>>().toEqualTypeOf<'USER' | 'TEAM'>();
  expectTypeOf(newId('GOAL')).toEqualTypeOf<NodeId<TestGraph, 'GOAL'>>();
});

it('takes what a validator takes and gives what it gives', () => {
  expectTypeOf<NodeInput<TestGraph, 'GOAL'>>().toEqualTypeOf<{ title: string; status?: string; points?: number }>();
  expectTypeOf<NodeAttributes<TestGraph, 'GOAL'>>().toEqualTypeOf<{ title: string; status: string; points?: number }>();
  expectTypeOf<EdgeInput<TestGraph, 'GOALMEMBERSHIP'>['date']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<EdgeAttributes<TestGraph, 'GOALMEMBERSHIP'>['date']>().toEqualTypeOf<string>();
});

it('has open attributes where a type declares no fields', () => {
  expectTypeOf<NodeInput<TestGraph, 'USER'>>().toEqualTypeOf<Record<string, unknown>>();
  expectTypeOf<NodeAttributes<TestGraph, 'TEAM'>>().toEqualTypeOf<Record<string, unknown>>();
  expectTypeOf<EdgeAttributes<TestGraph, 'FOLLOWS'>>().toEqualTypeOf<Record<string, unknown>>();
});

it('knows what an edge type joins and its labels', () => {
  expectTypeOf<EdgeType<TestGraph>>().toEqualTypeOf<
    'GOALMEMBERSHIP' | 'PART_OF' | 'FOLLOWS' | 'OWNS' | 'PINS' | 'LIKES'
  >();
  expectTypeOf<EdgeSource<TestGraph, 'GOALMEMBERSHIP'>>().toEqualTypeOf<`GOAL-${string}`>();
  expectTypeOf<EdgeTarget<TestGraph, 'GOALMEMBERSHIP'>>().toEqualTypeOf<`USER-${string}` | `TEAM-${string}`>();
  expectTypeOf<EdgeLabel<TestGraph, 'GOALMEMBERSHIP'>>().toEqualTypeOf<'memberRole'>();
  expectTypeOf<EdgeLabel<TestGraph, 'OWNS'>>().toEqualTypeOf<'shown'>();
  expectTypeOf<EdgeLabel<TestGraph, 'LIKES'>>().toEqualTypeOf<never>();
  expectTypeOf<EdgeLabel<TestGraph, 'FOLLOWS'>>().toEqualTypeOf<never>();
});

it('names the orders, and not what stands beside them', () => {
  const named = defineGraph({
    table: { name: 'records', indexes: 4 },
    nodes: { A: node() },
    edges: { IN: edge({ from: 'A', to: 'A', inbound: { orders: { byName: 'name', gsi3: 'd', gsi2: 'c' } } }) },
  });
  expectTypeOf<EdgeOrder<TestGraph, 'GOALMEMBERSHIP'>>().toEqualTypeOf<'gsi0' | 'gsi1' | 'byDate'>();
  expectTypeOf<EdgeOrder<TestGraph, 'FOLLOWS'>>().toEqualTypeOf<never>();
  expectTypeOf<EdgeOrder<CompiledModel, string>>().toEqualTypeOf<string>();
  expectTypeOf<DefaultOrder<TestGraph, 'GOALMEMBERSHIP'>>().toEqualTypeOf<'gsi0'>();
  expectTypeOf<DefaultOrder<typeof named, 'IN'>>().toEqualTypeOf<'gsi2'>();
  expectTypeOf<DefaultOrder<CompiledModel, string>>().toEqualTypeOf<'gsi0'>();
});

it('names the searches', () => {
  expectTypeOf<SearchName<TestGraph>>().toEqualTypeOf<
    `GOAL.${'status' | 'points' | 'heading' | 'stage' | 'code' | 'place'}` | `USER.${'name' | 'level' | 'born'}`
  >();
});

it('takes any text and open attributes where the graph is not known', () => {
  expectTypeOf<NodeType<CompiledModel>>().toEqualTypeOf<string>();
  expectTypeOf<EdgeType<CompiledModel>>().toEqualTypeOf<string>();
  expectTypeOf<NodeId<CompiledModel>>().toEqualTypeOf<string>();
  expectTypeOf<TypeOfId<CompiledModel, string>>().toEqualTypeOf<string>();
  expectTypeOf<EdgeSource<CompiledModel, string>>().toEqualTypeOf<string>();
  expectTypeOf<EdgeTarget<CompiledModel, string>>().toEqualTypeOf<string>();
  expectTypeOf<EdgeLabel<CompiledModel, string>>().toEqualTypeOf<string>();
  expectTypeOf<SearchName<CompiledModel>>().toEqualTypeOf<string>();
  expectTypeOf<NodeInput<CompiledModel, string>>().toEqualTypeOf<Record<string, unknown>>();
  expectTypeOf<EdgeAttributes<CompiledModel, string>>().toEqualTypeOf<Record<string, unknown>>();
});

it('reads whole numbers in the forms that a read gives, and takes them in each', () => {
  const graph = defineGraph({
    table: 'records',
    nodes: {
      CELL: node({
        view: 'ALL',
        fields: z.object({
          at: z.bigint(),
          many: z.set(z.bigint()).optional(),
          in: z.object({ at: z.bigint() }),
          n: z.number(),
        }),
        search: { at: number('at') },
      }),
      LOOSE: node({ view: 'ALL', fields: z.looseObject({ at: z.bigint() }) }),
    },
    edges: { TO: edge({ from: 'CELL', to: 'CELL', fields: z.object({ weight: z.bigint().nullable() }) }) },
  });
  type Graph = typeof graph;
  type Read = number | ExactNumber;
  type Taken = number | bigint | ExactNumber;
  expectTypeOf<NodeAttributes<Graph, 'CELL'>>().toEqualTypeOf<{
    at: Read;
    many?: Set<Read> | undefined;
    in: { at: Read };
    n: number;
  }>();
  expectTypeOf<NodeInput<Graph, 'CELL'>['at']>().toEqualTypeOf<Taken>();
  expectTypeOf<NodeAttributes<Graph, 'LOOSE'>['at']>().toEqualTypeOf<Read>();
  expectTypeOf<EdgeAttributes<Graph, 'TO'>>().toEqualTypeOf<{ weight: Read | null }>();
  const writer = createWriter(graph, { store: {} as Store });
  // Whatever a read gives, a write takes.
  void writer.updateNode('CELL-1', (cell) => ({ ...cell, n: 1 }));
  void writer.updateNode('CELL-1', (cell) => ({ ...cell, at: 1n }));
});
