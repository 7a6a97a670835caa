import { expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { EdgeTypes } from '../../src/core/model/declared.ts';
import type { Derive } from '../../src/core/model/order.ts';
import {
  date,
  derive,
  type EdgeDefinition,
  edge,
  type NodeDefinition,
  node,
  number,
  part,
  rank,
  source,
  sum,
} from '../../src/core/model/schema.ts';

const fields = z.object({ title: z.string(), kind: z.string() });

it('refuses names that are no attributes of a node with fields', () => {
  node({ fields, view: ['title'] });
  node({ view: 'ALL', fields, maxEntries: { kind: 3 } });
  // @ts-expect-error a limit is a number
  node({ view: 'ALL', fields, maxEntries: { kind: '3' } });
  node({
    view: 'ALL',
    fields,
    search: { heading: { attribute: 'title' }, shout: 'title', title: { caseInsensitive: true } },
  });
  // @ts-expect-error titel is no attribute
  node({ view: 'ALL', fields, search: { heading: { attribute: date('titel') } } });
  // @ts-expect-error titel is no attribute
  node({ view: 'ALL', fields, search: { title: { attribute: rank('titel', { A: 1 }) } } });
  node({ view: 'ALL', fields, search: { shelf: { path: ['kind', 'title'], caseInsensitive: true } } });
});

it('refuses names that are no attributes of an edge with fields', () => {
  const ends = { from: 'A', to: 'B' } as const;
  edge({
    ...ends,
    fields,
    edgeSet: ['kind'],
    inbound: { orders: { gsi0: 'title', gsi1: rank('kind', { A: 1 }) }, project: ['kind'] },
  });
  // @ts-expect-error titel is no attribute
  edge({ ...ends, fields, inbound: { orders: { gsi0: { attribute: 'titel' } } } });
  // @ts-expect-error titel is no attribute
  edge({ ...ends, fields, inbound: { orders: { gsi1: rank('titel', { A: 1 }) } } });
  edge({ ...ends, fields, inbound: { orders: { byTitle: 'title', byKind: rank('kind', { A: 1 }) }, shards: 2 } });
  edge({ ...ends, fields, inbound: { orders: { gsi0: 'title' }, includeTarget: true, shards: 1 } });
  // @ts-expect-error a text is no boolean
  edge({ ...ends, fields, inbound: { orders: { gsi0: 'title' }, includeTarget: 'title' } });
  // @ts-expect-error titel is no attribute
  edge({ ...ends, fields, inbound: { orders: { gsi0: 'title', byTitle: date('titel') } } });
  // @ts-expect-error a number is no order
  edge({ ...ends, fields, inbound: { orders: { gsi0: 'title', shard: 3 } } });
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
    view: 'ALL',
    fields,
    versionAttribute: 'points',
    search: {
      title: { type: 'date', partition: 'status' },
      points: { type: 'number' },
      big: { attribute: number('big') },
      status: rank('status', { OPEN: 1, DONE: 2, GONE: 3 }),
      stage: { attribute: rank('title', { A: 1 }) },
      tags: { multiValue: true, caseInsensitive: true },
      sizes: { multiValue: true, type: 'number' },
      open: derive((attributes: { isOpen: boolean }) => String(attributes.isOpen)),
      anything: { type: 'number' },
    },
  });
  // @ts-expect-error sizes are numbers
  node({ view: 'ALL', fields, search: { sizes: { multiValue: true } } });
  // @ts-expect-error a label has no weight
  node({ view: 'ALL', fields, search: { stage: { attribute: rank('status', { OPEN: 1 }) } } });
  node({ view: 'ALL', fields, deletedWhen: 'note' });
  // @ts-expect-error nodes have no such attribute
  node({ view: 'ALL', fields, deletedWhen: 'deletedAt' });
  // @ts-expect-error nodes have no such attribute
  node({ view: 'ALL', fields, expires: 'expiresAt' });
  // @ts-expect-error a part is checked as a node is
  part({ fields, search: { points: {} } });
  edge({ from: 'A', to: 'B', fields, outgoing: { total: { all: sum('big') }, groupBy: ['isOpen'] } });
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
  edge({ from: 'A', to: 'B', keys: 'hashed' });
  // @ts-expect-error keys are plain or hashed
  edge({ from: 'A', to: 'B', keys: 'hash' });
  // @ts-expect-error keys are plain or hashed
  edge({ from: 'A', to: 'B', keys: true });
});

it('refuses options of a native projection that need derived keys', () => {
  node({ fields, search: { kind: { native: true, project: ['title'], caseInsensitive: false, shards: 'value' } } });
  node({ fields, search: { kind: { native: false, shards: 4 } } });
  // @ts-expect-error a form needs derived keys
  node({ fields, search: { kind: { native: true, caseInsensitive: true } } });
  // @ts-expect-error shards need derived keys
  node({ fields, search: { kind: { native: true, shards: 4 } } });
  // @ts-expect-error a hash of shards, too
  node({ fields, search: { kind: { native: true, hash: 'fnv1a' } } });
  // @ts-expect-error a partition needs derived keys
  node({ fields, search: { kind: { native: true, partition: 'title' } } });
  node({ search: { tags: { native: true } } });
  // @ts-expect-error items of each value need derived keys, in open attributes as well
  node({ search: { tags: { native: true, multiValue: true } } });
  const ends = { fields, from: 'A', to: 'B' } as const;
  edge({ ...ends, inbound: { orders: { by: 'kind' }, native: true, shards: 1, project: ['title'] } });
  // @ts-expect-error shards need derived keys
  edge({ ...ends, inbound: { orders: { by: 'kind' }, native: true, shards: 4 } });
  // @ts-expect-error the target's item is derived
  edge({ ...ends, inbound: { orders: { by: 'kind' }, native: true, includeTarget: true } });
  // @ts-expect-error a partition needs derived keys
  edge({ ...ends, inbound: { orders: { by: 'kind' }, native: true, partition: 'title' } });
  // @ts-expect-error attributes of the source need derived items
  edge({ ...ends, inbound: { orders: { by: 'kind' }, native: true, projectSource: ['title'] } });
});

it('checks what a derive reads against the fields', () => {
  node({
    view: 'ALL',
    fields,
    search: { initial: derive((attributes: { title: string }) => attributes.title.charAt(0)) },
  });
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
  edge({ from: 'A', to: 'B', edgeSet: ['label'], inbound: { orders: { gsi0: 'since' }, project: ['label'] } });
});

it('refuses edges between node types that the model does not have', () => {
  const nodes = { GOAL: node({ view: 'ALL' }), USER: node({ view: 'ALL', fields }) };
  defineGraph({ table: 't', nodes, edges: { OWNS: edge({ from: 'USER', to: ['GOAL', 'USER'] }) } });
  // @ts-expect-error TEAM is no node type
  defineGraph({ table: 't', nodes, edges: { OWNS: edge({ from: 'USER', to: ['GOAL', 'TEAM'] }) } });
  // @ts-expect-error TEAM is no node type
  defineGraph({ table: 't', nodes, edges: { OWNS: edge({ fields, from: 'TEAM', to: 'GOAL' }) } });
});

it('takes attributes of source nodes in the orders, the partition and the projection of edges', () => {
  const fields = z.object({ role: z.string() });
  const ends = { from: 'A', to: 'B', fields } as const;
  edge({ ...ends, inbound: { orders: { gsi0: source('due'), byAll: ['role', date(source('due'))] } } });
  edge({
    ...ends,
    inbound: { orders: { gsi0: rank(source('status'), { open: 1 }) }, partition: 'role', projectSource: ['due'] },
  });
  // @ts-expect-error rolle is no attribute of the edge
  edge({ ...ends, inbound: { orders: { byAll: ['rolle', source('due')] } } });
  // @ts-expect-error rolle is no attribute of the edge
  edge({ ...ends, inbound: { orders: { gsi0: 'role' }, partition: 'rolle' } });
  // @ts-expect-error a search is of a node, which has no source
  node({ view: 'ALL', search: { due: { attribute: source('due') } } });
});

it('refuses names that are no attributes of the source nodes of an edge', () => {
  const fields = z.object({ title: z.string(), status: z.string() });
  const ends = { from: 'TICKET', to: 'TEAM' } as const;
  defineGraph({
    table: 't',
    nodes: { TICKET: node({ view: 'ALL', fields }), TEAM: node({ view: 'ALL' }) },
    edges: {
      RIGHT: edge({
        ...ends,
        inbound: {
          orders: {
            gsi0: date(source('title')),
            gsi1: rank(source('status'), { OPEN: 1 }),
            byStatus: ['role', source('status'), source('title')],
          },
          partition: source('title'),
          projectSource: ['title', 'status'],
        },
      }),
      // @ts-expect-error titel is no attribute of a ticket
      ONE: edge({ ...ends, inbound: { orders: { gsi0: source('titel') } } }),
      // @ts-expect-error titel is no attribute of a ticket
      TYPED: edge({ ...ends, inbound: { orders: { gsi1: date(source('titel')) } } }),
      // @ts-expect-error titel is no attribute of a ticket
      RANKED: edge({ ...ends, inbound: { orders: { byRank: rank(source('titel'), { A: 1 }) } } }),
      // @ts-expect-error titel is no attribute of a ticket
      SECOND: edge({ ...ends, inbound: { orders: { byBoth: ['role', source('titel')] } } }),
      // @ts-expect-error titel is no attribute of a ticket
      THIRD: edge({ ...ends, inbound: { orders: { byAll: [source('status'), 'role', date(source('titel'))] } } }),
      // @ts-expect-error titel is no attribute of a ticket
      PARTITION: edge({ ...ends, inbound: { orders: { gsi0: 'role' }, partition: source('titel') } }),
      // @ts-expect-error titel is no attribute of a ticket
      ALL: edge({ ...ends, inbound: { orders: { gsi0: source('titel') }, projectSource: ['titel', 'titl'] } }),
    },
  });
});

it('takes a name that one of the source types has, and any name where one of them has no fields', () => {
  const nodes = {
    TICKET: node({ view: 'ALL', fields: z.object({ title: z.string() }) }),
    USER: node({ view: 'ALL', fields: z.object({ name: z.string() }) }),
    SHAPE: node({ view: 'ALL', fields: z.union([z.object({ radius: z.number() }), z.object({ side: z.number() })]) }),
    TEAM: node({ view: 'ALL' }),
  };
  const any = { orders: { gsi0: source('anything') }, projectSource: ['whatever'] } as const;
  defineGraph({
    table: 't',
    nodes,
    edges: {
      BOTH: edge({
        from: ['TICKET', 'USER'],
        to: 'TEAM',
        inbound: { orders: { gsi0: source('title') }, projectSource: ['name'] },
      }),
      // @ts-expect-error neither a ticket nor a user has an age
      NEITHER: edge({ from: ['TICKET', 'USER'], to: 'TEAM', inbound: { orders: { gsi0: source('age') } } }),
      EITHER: edge({
        from: 'SHAPE',
        to: 'TEAM',
        inbound: {
          orders: { gsi0: number(source('radius')), gsi1: number(source('side')) },
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
