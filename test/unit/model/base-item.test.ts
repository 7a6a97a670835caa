import { describe, expect, it } from 'vitest';
import { hashedSortKey } from '../../../src/core/items/hashed-key.ts';
import { edgeSortKey } from '../../../src/core/items/keys.ts';
import { classifyBaseItem, classifyKey } from '../../../src/core/model/base-item.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import { planOfKey, plansOfSource } from '../../../src/core/plan/type-plans.ts';

const graph = defineGraph({
  table: 'records',
  nodes: { GOAL: node({ view: 'ALL' }), USER: node({ view: 'ALL' }), TEAM: node({ view: 'ALL' }) },
  edges: {
    MEMBER: edge({ from: 'GOAL', to: ['USER', 'TEAM'] }),
    FRIEND: edge({ from: 'USER', to: ['USER', 'TEAM'], keys: 'hashed' }),
  },
});

describe('classifyKey', () => {
  it('tells a node by its two equal keys', () => {
    expect(classifyKey(graph, 'GOAL-1', 'GOAL-1')).toMatchObject({ kind: 'node', node: { type: 'GOAL' } });
  });
  it.each([
    ['a node of another type', 'ORG-1', 'ORG-1'],
    ['an edge of another type', 'GOAL-1', 'LIKES-USER-1'],
    ['an edge from a node of another type', 'ORG-1', 'MEMBER-USER-1'],
    ['an edge to a node of another type', 'GOAL-1', 'MEMBER-ORG-1'],
    ['two different node ids', 'GOAL-1', 'USER-1'],
    ['a source that is no id', 'settings', 'settings'],
    ['a sort key without type', 'GOAL-1', 'settings'],
    ['a derived item', 'GOAL-1', '~view'],
    ['names that every object has', 'GOAL-1', 'constructor'],
  ])('takes %s as unknown, which is no error', (_name, source, sortKey) => {
    expect(classifyKey(graph, source, sortKey)).toEqual({ kind: 'unknown' });
  });
});

describe('a model with tenants', () => {
  const tenants = defineGraph({
    table: 'records',
    tenantSeparator: '.',
    nodes: { USER: node({ view: 'ALL' }) },
    edges: {
      MEMBER: edge({ from: 'USER', to: 'USER' }),
      FRIEND: edge({ from: 'USER', to: 'USER', keys: 'hashed' }),
    },
  });
  const kindsOf = (source: string, target: string) =>
    [edgeSortKey('MEMBER', target), hashedSortKey('FRIEND', target)].map((sortKey) =>
      classifyBaseItem(tenants, source, sortKey, { targetId: { S: target } }),
    );
  it.each([
    ['USER-a.1', 'USER-b.1'],
    ['USER-a.1', 'USER-ab.1'],
    ['USER-a.1', 'USER-A.1'],
    ['USER-a.1', 'USER-a'],
    ['USER-a', 'USER-a.1'],
    ['USER-a', 'USER-a'],
    ['USER-.1', 'USER-.2'],
  ])('has none from %s to %s', (source, target) => {
    const misfit = { kind: 'misfit', code: 'edge-between-tenants' };
    expect(kindsOf(source, target)).toMatchObject([misfit, misfit]);
  });
  it('judges each edge of a partition, and each partition, by itself', () => {
    const kinds = (source: string) =>
      ['MEMBER-USER-a.2', 'MEMBER-USER-b.2'].map((key) => planOfKey(plansOfSource(tenants, source), source, key).kind);
    expect(kinds('USER-a.1')).toEqual(['edge', 'misfit']);
    expect(kinds('USER-b.1')).toEqual(['misfit', 'edge']);
  });
});
