import { describe, expect, it } from 'vitest';
import { AFTER, AGAIN } from '../../../src/core/items/derived-item.ts';
import { fanOutSeen } from '../../../src/core/kinds/continuation.ts';
import { copyOf } from '../../../src/core/kinds/copy.ts';
import { joinedEdgeTypes, sourceNodeOf } from '../../../src/core/model/joined.ts';
import { edge, node, part, source } from '../../../src/core/model/schema.ts';
import { touchedFanOuts } from '../../../src/core/plan/fan-out.ts';
import { define } from '../../support/model.ts';
import { baseItem, change } from '../../support/records.ts';

const graph = define({
  table: 'records',
  nodes: { GOAL: node({ parts: { STATE: part() } }), USER: node({ view: 'ALL', deletedWhen: 'left' }) },
  edges: {
    MEMBER: edge({ from: 'GOAL', to: 'USER', inbound: { orders: { gsi0: source('STATE.status') } } }),
    KNOWS: edge({ from: 'USER', to: 'USER', edgeSet: [], copy: ['name'] }),
  },
});

describe('a part that orders the edges of its node', () => {
  const state = baseItem('GOAL-1', 'STATE', { status: { S: 'OPEN' } });

  it('decides nothing while the node is absent', () => {
    expect(joinedEdgeTypes(graph)).toEqual(new Set(['MEMBER']));
    expect(sourceNodeOf(graph, 'GOAL-1', [undefined, state])).toEqual({ item: undefined });
    const there = sourceNodeOf(graph, 'GOAL-1', [baseItem('GOAL-1', 'GOAL-1'), state]);
    expect(there.item).toMatchObject({ 'STATE.status': { S: 'OPEN' } });
  });

  it.each([
    ['comes', undefined, {}, ['MEMBER']],
    ['goes', {}, undefined, ['MEMBER']],
    ['changes an attribute of its own', {}, { title: { S: 'Run' } }, []],
  ] as const)('is read again when the node %s', (_what, before, after, types) => {
    const touches = touchedFanOuts(graph, change('GOAL-1', 'GOAL-1', before, after, 1));
    expect(touches.map((touch) => touch.edgeType)).toEqual(types);
  });
});

it('a soft-deleted node is not copied', () => {
  const known = graph.edges.get('KNOWS')!;
  const ada = { name: { S: 'Ada' } };
  expect(copyOf(graph, known, baseItem('USER-1', 'USER-1', ada))).toEqual(ada);
  expect(copyOf(graph, known, baseItem('USER-1', 'USER-1', { ...ada, left: { BOOL: true } }))).toBeUndefined();
});

it('a fan-out still visits places behind its own, or behind where its next round begins', () => {
  const at = (after: string, again?: string) => ({
    [AFTER]: { S: after },
    ...(again !== undefined && { [AGAIN]: { S: again } }),
  });
  expect(fanOutSeen(at('USER-5'), 'USER-7').place).toBeDefined();
  expect(fanOutSeen(at('USER-5'), 'USER-3').place).toBeUndefined();
  expect(fanOutSeen(at('USER-5', 'USER-1'), 'USER-3').place).toBeDefined();
  expect(fanOutSeen(undefined, 'USER-3').place).toBeUndefined();
});
