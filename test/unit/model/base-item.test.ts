import { describe, expect, it } from 'vitest';
import { classify } from '../../../src/model/base-item.ts';
import { defineGraph } from '../../../src/model/graph.ts';
import { edge, node } from '../../../src/model/schema.ts';

const graph = defineGraph({
  table: 'records',
  nodes: { GOAL: node(), USER: node(), TEAM: node() },
  edges: { MEMBER: edge({ from: 'GOAL', to: ['USER', 'TEAM'] }) },
});

describe('classify', () => {
  it('tells a node by its two equal keys', () => {
    expect(classify(graph, 'GOAL-1', 'GOAL-1')).toMatchObject({ kind: 'node', node: { type: 'GOAL' } });
  });
  it('tells an edge with its target', () => {
    expect(classify(graph, 'GOAL-1', 'MEMBER-USER-a-b')).toMatchObject({
      kind: 'edge',
      edge: { type: 'MEMBER' },
      target: 'USER-a-b',
    });
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
    expect(classify(graph, source, sortKey)).toEqual({ kind: 'unknown' });
  });
  it.each([
    ['leaves GOAL, not USER', 'USER-1', 'MEMBER-USER-2'],
    ['enters USER, TEAM, not GOAL', 'GOAL-1', 'MEMBER-GOAL-2'],
    ['is not followed by a node id', 'GOAL-1', 'MEMBER-nobody'],
  ])('names what does not fit: %s', (reason, source, sortKey) => {
    const kind = classify(graph, source, sortKey);
    expect(kind).toMatchObject({ kind: 'misfit', reason: expect.stringContaining(reason) });
  });
});
