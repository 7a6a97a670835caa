import type { StandardSchemaV1 } from '@standard-schema/spec';
import { z } from 'zod';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, fromSource, node, rank } from '../../src/core/model/schema.ts';

/** The graph of the type tests: types with and without `fields`, from zod and from a validator made by hand. */

interface MembershipInput {
  memberRole: 'LEAD' | 'CONTRIBUTOR';
  date?: string;
}

interface Membership {
  memberRole: 'LEAD' | 'CONTRIBUTOR';
  date: string;
}

const membership: StandardSchemaV1<MembershipInput, Membership> = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as Membership }) },
};

export const graph = defineGraph({
  table: 'records',
  nodes: {
    GOAL: node({
      fields: z.object({ title: z.string(), status: z.string().default('OPEN'), points: z.number().optional() }),
      view: ['title', 'status'],
      search: {
        status: { shardBy: 'source', project: ['title'] },
        points: { type: 'number', project: 'ALL' },
        heading: { from: 'title' },
        stage: { from: rank('status', { OPEN: 1, DONE: 2 }) },
        code: { from: 'title', shards: 'value' },
        place: { path: ['status', 'title'] },
      },
      list: true,
    }),
    USER: node({
      view: ['name'],
      search: { name: { fold: true, partition: 'country' }, level: rank('level', { A: 1 }), born: { type: 'date' } },
    }),
    TEAM: node(),
  },
  edges: {
    GOALMEMBERSHIP: edge({
      fields: membership,
      from: 'GOAL',
      to: ['USER', 'TEAM'],
      edgeSet: ['memberRole'],
      inbound: {
        gsi0: rank('memberRole', { LEAD: 500, CONTRIBUTOR: 400 }),
        gsi1: { from: 'date', type: 'date' },
        byDate: 'date',
        includeOwner: true,
        project: ['date'],
      },
    }),
    PART_OF: edge({
      fields: z.object({ weight: z.number(), note: z.string() }),
      from: 'GOAL',
      to: 'TEAM',
      edgeSet: false,
      inbound: {
        gsi0: { from: fromSource('points'), type: 'number' },
        byStatus: [fromSource('status'), 'note'],
        byStage: [rank(fromSource('status'), { OPEN: 1, DONE: 2 }), 'note'],
        partition: fromSource('title'),
        project: ['weight'],
        projectSource: ['title', 'status'],
      },
    }),
    FOLLOWS: edge({ from: 'USER', to: 'USER', edgeSet: false }),
    OWNS: edge({ from: 'USER', to: ['GOAL'], edgeSet: { shown: 'caption' } }),
    PINS: edge({ from: 'USER', to: ['GOAL'], inbound: { byRank: { from: 'rank', type: 'number' } } }),
    LIKES: edge({ from: ['USER'], to: ['GOAL'], copy: ['title', 'points'] }),
  },
});

export type TestGraph = typeof graph;
