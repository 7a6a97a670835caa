import { expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { EdgeTypes } from '../../src/core/model/declared.ts';
import type { Derive } from '../../src/core/model/order.ts';
import {
  count,
  derive,
  type EdgeDefinition,
  edge,
  fromSource,
  type NodeDefinition,
  node,
  part,
  rank,
  sum,
} from '../../src/core/model/schema.ts';

const fields = z.object({ title: z.string(), kind: z.string() });

it('refuses names that are no attributes of a node with fields', () => {
  node({ fields, view: ['title'] });
  // @ts-expect-error titel is no attribute
  node({ fields, view: ['title', 'titel'] });
  node({ fields, maxEntries: { kind: 3 } });
  // @ts-expect-error kinds is no attribute
  node({ fields, maxEntries: { kinds: 3 } });
  // @ts-expect-error a limit is a number
  node({ fields, maxEntries: { kind: '3' } });
  // @ts-expect-error titel is no attribute, and the search does not say where its value comes from
  node({ fields, search: { titel: {} } });
  node({ fields, search: { heading: { from: 'title' }, shout: 'title', title: { fold: true } } });
  // @ts-expect-error titel is no attribute
  node({ fields, search: { heading: 'titel' } });
  // @ts-expect-error titel is no attribute
  node({ fields, search: { heading: { from: 'titel' } } });
  // @ts-expect-error titel is no attribute
  node({ fields, search: { heading: { from: { from: 'titel', type: 'date' } } } });
  // @ts-expect-error titel is no attribute
  node({ fields, search: { heading: rank('titel', { A: 1 }) } });
  // @ts-expect-error titel is no attribute
  node({ fields, search: { title: { from: rank('titel', { A: 1 }) } } });
  // @ts-expect-error titel is no attribute
  node({ fields, search: { title: { project: ['titel'] } } });
  // @ts-expect-error titel is no attribute
  node({ fields, search: { title: { partition: 'titel' } } });
  node({ fields, search: { shelf: { path: ['kind', 'title'], fold: true } } });
  // @ts-expect-error titel is no attribute
  node({ fields, search: { shelf: { path: ['kind', 'titel'] } } });
});

it('refuses names that are no attributes of an edge with fields', () => {
  const ends = { from: 'A', to: 'B' } as const;
  edge({
    ...ends,
    fields,
    edgeSet: ['kind'],
    inbound: { gsi0: 'title', gsi1: rank('kind', { A: 1 }), project: ['kind'] },
  });
  // @ts-expect-error titel is no attribute
  edge({ ...ends, fields, edgeSet: ['titel'] });
  // @ts-expect-error titel is no attribute
  edge({ ...ends, fields, edgeSet: { label: 'titel' } });
  // @ts-expect-error titel is no attribute
  edge({ ...ends, fields, inbound: { gsi0: 'titel' } });
  // @ts-expect-error titel is no attribute
  edge({ ...ends, fields, inbound: { gsi0: { from: 'titel' } } });
  // @ts-expect-error titel is no attribute
  edge({ ...ends, fields, inbound: { gsi1: rank('titel', { A: 1 }) } });
  // @ts-expect-error titel is no attribute
  edge({ ...ends, fields, inbound: { gsi0: 'title', project: ['titel'] } });
  edge({ ...ends, fields, inbound: { byTitle: 'title', byKind: rank('kind', { A: 1 }), shards: 2 } });
  edge({ ...ends, fields, inbound: { gsi0: 'title', includeOwner: true, shards: 1 } });
  // @ts-expect-error a text is no boolean
  edge({ ...ends, fields, inbound: { gsi0: 'title', includeOwner: 'title' } });
  // @ts-expect-error titel is no attribute
  edge({ ...ends, fields, inbound: { byTitle: 'titel' } });
  // @ts-expect-error titel is no attribute
  edge({ ...ends, fields, inbound: { gsi0: 'title', byTitle: { from: 'titel' } } });
  // @ts-expect-error a number is no order
  edge({ ...ends, fields, inbound: { gsi0: 'title', shard: 3 } });
  // @ts-expect-error a list is no order
  edge({ from: 'A', to: 'B', inbound: { gsi0: 'title', projects: ['title'] } });
});

it('refuses options that contradict the fields, and takes those that fit them', () => {
  const fields = z.object({
    title: z.string(),
    points: z.number().optional(),
    big: z.bigint(),
    isOpen: z.boolean(),
    status: z.enum(['OPEN', 'DONE']),
    tags: z.set(z.string()),
    sizes: z.array(z.number()),
    note: z.string().nullable(),
    anything: z.unknown(),
  });
  node({
    fields,
    versionAttribute: 'points',
    search: {
      title: { type: 'date', partition: 'status' },
      points: { type: 'number' },
      big: { from: { from: 'big', type: 'number' } },
      status: rank('status', { OPEN: 1, DONE: 2, GONE: 3 }),
      stage: { from: rank('title', { A: 1 }) },
      tags: { each: true, fold: true },
      sizes: { each: true, type: 'number' },
      open: derive((attributes: { isOpen: boolean }) => String(attributes.isOpen)),
      anything: { type: 'number' },
    },
  });
  // @ts-expect-error points are numbers
  node({ fields, search: { points: {} } });
  // @ts-expect-error sizes are numbers
  node({ fields, search: { sizes: { each: true } } });
  // @ts-expect-error a label has no weight
  node({ fields, search: { stage: { from: rank('status', { OPEN: 1 }) } } });
  // @ts-expect-error a note may be null
  node({ fields, search: { note: {} } });
  // @ts-expect-error a title is no number
  node({ fields, versionAttribute: 'title' });
  node({ fields, deletedWhen: 'note' });
  // @ts-expect-error nodes have no such attribute
  node({ fields, deletedWhen: 'deletedAt' });
  // @ts-expect-error a part is checked as a node is
  part({ fields, search: { points: {} } });
  // @ts-expect-error a sum is of numbers
  edge({ from: 'A', to: 'B', fields, outgoing: { total: { all: sum('title') } } });
  edge({ from: 'A', to: 'B', fields, outgoing: { total: { all: sum('big') }, by: { status: count('isOpen') } } });
});

it('takes the names of every shape that a union of fields has', () => {
  const shapes = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('CIRCLE'), radius: z.number() }),
    z.object({ kind: z.literal('SQUARE'), side: z.number() }),
  ]);
  node({ fields: shapes, view: ['kind', 'radius', 'side'], search: { side: { type: 'number' } } });
  // @ts-expect-error diameter is an attribute of no shape
  node({ fields: shapes, view: ['diameter'] });
});

it('refuses options that do not exist', () => {
  // @ts-expect-error no such option
  node({ viev: ['title'] });
  // @ts-expect-error no such option
  node({ search: { name: { shardz: 5 } } });
  // @ts-expect-error no such option
  edge({ from: 'A', to: 'B', inbound: { gsi2: 'title' } });
  edge({ from: 'A', to: 'B', keys: 'hashed' });
  // @ts-expect-error keys are plain or hashed
  edge({ from: 'A', to: 'B', keys: 'hash' });
  // @ts-expect-error keys are plain or hashed
  edge({ from: 'A', to: 'B', keys: true });
});

it('checks what a derive reads against the fields', () => {
  node({ fields, search: { initial: derive((attributes: { title: string }) => attributes.title.charAt(0)) } });
  // @ts-expect-error titel is no attribute
  node({ fields, search: { initial: derive((attributes: { titel: string }) => attributes.titel.charAt(0)) } });
  const ends = { from: 'A', to: 'B' } as const;
  edge({
    ...ends,
    fields,
    edgeSet: { upper: derive((attributes: { kind: string }) => attributes.kind.toUpperCase()) },
  });
  // @ts-expect-error titel is no attribute
  edge({ ...ends, fields, edgeSet: { upper: derive((attributes: { titel: string }) => attributes.titel) } });
  expectTypeOf(derive((attributes) => String(attributes['title']))).toEqualTypeOf<Derive<Record<string, unknown>>>();
});

it('takes any name where a type has no fields', () => {
  node({
    view: ['anything'],
    maxEntries: { addresses: 20 },
    search: { whatever: { partition: 'tenant', project: ['other'] } },
  });
  edge({ from: 'A', to: 'B', edgeSet: ['label'], inbound: { gsi0: 'since', project: ['label'] } });
});

it('refuses edges between node types that the model does not have', () => {
  const nodes = { GOAL: node(), USER: node({ fields }) };
  defineGraph({ table: 't', nodes, edges: { OWNS: edge({ from: 'USER', to: ['GOAL', 'USER'] }) } });
  // @ts-expect-error TEAM is no node type
  defineGraph({ table: 't', nodes, edges: { OWNS: edge({ from: 'USER', to: ['GOAL', 'TEAM'] }) } });
  // @ts-expect-error TEAM is no node type
  defineGraph({ table: 't', nodes, edges: { OWNS: edge({ fields, from: 'TEAM', to: 'GOAL' }) } });
});

it('takes attributes of source nodes in the orders, the partition and the projection of edges', () => {
  const fields = z.object({ role: z.string() });
  const ends = { from: 'A', to: 'B', fields } as const;
  edge({ ...ends, inbound: { gsi0: fromSource('due'), byAll: ['role', { from: fromSource('due'), type: 'date' }] } });
  edge({
    ...ends,
    inbound: { gsi0: rank(fromSource('status'), { open: 1 }), partition: 'role', projectSource: ['due'] },
  });
  // @ts-expect-error rolle is no attribute of the edge
  edge({ ...ends, inbound: { byAll: ['rolle', fromSource('due')] } });
  // @ts-expect-error rolle is no attribute of the edge
  edge({ ...ends, inbound: { gsi0: 'role', partition: 'rolle' } });
  // @ts-expect-error a search is of a node, which has no source
  node({ search: { due: { from: fromSource('due') } } });
});

it('refuses names that are no attributes of the source nodes of an edge', () => {
  const fields = z.object({ title: z.string(), status: z.string() });
  const ends = { from: 'TICKET', to: 'TEAM' } as const;
  defineGraph({
    table: 't',
    nodes: { TICKET: node({ fields }), TEAM: node() },
    edges: {
      RIGHT: edge({
        ...ends,
        inbound: {
          gsi0: { from: fromSource('title'), type: 'date' },
          gsi1: rank(fromSource('status'), { OPEN: 1 }),
          byStatus: ['role', fromSource('status'), { from: fromSource('title') }],
          partition: fromSource('title'),
          projectSource: ['title', 'status'],
        },
      }),
      // @ts-expect-error titel is no attribute of a ticket
      ONE: edge({ ...ends, inbound: { gsi0: fromSource('titel') } }),
      // @ts-expect-error titel is no attribute of a ticket
      TYPED: edge({ ...ends, inbound: { gsi1: { from: fromSource('titel'), type: 'date' } } }),
      // @ts-expect-error titel is no attribute of a ticket
      RANKED: edge({ ...ends, inbound: { byRank: rank(fromSource('titel'), { A: 1 }) } }),
      // @ts-expect-error titel is no attribute of a ticket
      SECOND: edge({ ...ends, inbound: { byBoth: ['role', fromSource('titel')] } }),
      // @ts-expect-error titel is no attribute of a ticket
      THIRD: edge({ ...ends, inbound: { byAll: [fromSource('status'), 'role', { from: fromSource('titel') }] } }),
      // @ts-expect-error titel is no attribute of a ticket
      PARTITION: edge({ ...ends, inbound: { gsi0: 'role', partition: fromSource('titel') } }),
      // @ts-expect-error titel is no attribute of a ticket
      PROJECTED: edge({ ...ends, inbound: { gsi0: 'role', projectSource: ['status', 'titel'] } }),
      // @ts-expect-error titel is no attribute of a ticket
      ALL: edge({ ...ends, inbound: { gsi0: fromSource('titel'), projectSource: ['titel', 'titl'] } }),
    },
  });
});

it('takes a name that one of the source types has, and any name where one of them has no fields', () => {
  const nodes = {
    TICKET: node({ fields: z.object({ title: z.string() }) }),
    USER: node({ fields: z.object({ name: z.string() }) }),
    SHAPE: node({ fields: z.union([z.object({ radius: z.number() }), z.object({ side: z.number() })]) }),
    TEAM: node(),
  };
  const any = { gsi0: fromSource('anything'), projectSource: ['whatever'] } as const;
  defineGraph({
    table: 't',
    nodes,
    edges: {
      BOTH: edge({
        from: ['TICKET', 'USER'],
        to: 'TEAM',
        inbound: { gsi0: fromSource('title'), projectSource: ['name'] },
      }),
      // @ts-expect-error neither a ticket nor a user has an age
      NEITHER: edge({ from: ['TICKET', 'USER'], to: 'TEAM', inbound: { gsi0: fromSource('age') } }),
      EITHER: edge({
        from: 'SHAPE',
        to: 'TEAM',
        inbound: {
          gsi0: { from: fromSource('radius'), type: 'number' },
          gsi1: { from: fromSource('side'), type: 'number' },
        },
      }),
      OPEN: edge({ from: ['TICKET', 'TEAM'], to: 'TEAM', inbound: any }),
    },
  });
  const unknown: Record<string, NodeDefinition> = nodes;
  defineGraph({ table: 't', nodes: unknown, edges: { ANY: edge({ from: 'TICKET', to: 'TEAM', inbound: any }) } });
  const edges: Record<string, EdgeDefinition<EdgeTypes & { from: 'USER'; to: 'USER' }>> = {};
  defineGraph({ table: 't', nodes, edges });
});
