import type { StandardSchemaV1 } from '@standard-schema/spec';
import { z } from 'zod';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { date, edge, node, number, rank, source } from '../../src/core/model/schema.ts';

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
        heading: { attribute: 'title' },
        stage: { attribute: rank('status', { OPEN: 1, DONE: 2 }) },
        code: { attribute: 'title', shards: 'value' },
        place: { path: ['status', 'title'] },
      },
      list: true,
    }),
    USER: node({
      view: ['name'],
      search: {
        name: { caseInsensitive: true, partition: 'country' },
        level: rank('level', { A: 1 }),
        born: { type: 'date' },
      },
    }),
    TEAM: node({ view: 'ALL' }),
  },
  edges: {
    GOALMEMBERSHIP: edge({
      fields: membership,
      from: 'GOAL',
      to: ['USER', 'TEAM'],
      edgeSet: ['memberRole'],
      inbound: {
        orders: { gsi0: rank('memberRole', { LEAD: 500, CONTRIBUTOR: 400 }), gsi1: date('date'), byDate: 'date' },
        includeTarget: true,
        project: ['date'],
      },
    }),
    PART_OF: edge({
      fields: z.object({ weight: z.number(), note: z.string() }),
      from: 'GOAL',
      to: 'TEAM',
      edgeSet: false,
      inbound: {
        orders: {
          gsi0: number(source('points')),
          byStatus: [source('status'), 'note'],
          byStage: [rank(source('status'), { OPEN: 1, DONE: 2 }), 'note'],
        },
        partition: source('title'),
        project: ['weight'],
        projectSource: ['title', 'status'],
      },
    }),
    FOLLOWS: edge({ from: 'USER', to: 'USER', edgeSet: false }),
    OWNS: edge({ from: 'USER', to: ['GOAL'], edgeSet: { shown: 'caption' } }),
    PINS: edge({ from: 'USER', to: ['GOAL'], inbound: { orders: { byRank: number('rank') } } }),
    LIKES: edge({ from: ['USER'], to: ['GOAL'], copy: ['title', 'points'] }),
  },
});

export type TestGraph = typeof graph;
