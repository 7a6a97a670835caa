import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import { openedBy } from '../../../src/trust/observe/opened.ts';
import { followGraph } from '../../support/follow-graph.ts';

const totals = defineGraph({
  table: 'records',
  nodes: { USER: node({ view: 'ALL' }) },
  edges: { LIKES: edge({ from: 'USER', to: 'USER', inbound: { groupBy: ['kind'] } }) },
});

function partsOpened(
  target: string,
  oldImage: Item | undefined,
  newImage: Item | undefined,
  graph: CompiledModel = followGraph(),
): string[] {
  const change = { source: 'USER-1', target, sequenceNumber: '1', stream: '', oldImage, newImage };
  return openedBy(graph, change).suspects.map(({ part }) => part.kind);
}

describe('what a record opens for the observer', () => {
  const key = { source: { S: 'USER-1' }, target: { S: '~view' } };
  const view: Item = { ...key, r: { N: '1' }, edgeSet: { SS: ['FOLLOWS-USER-2'] } };

  it('is nothing if only the revision of a derived item moves', () => {
    expect(partsOpened('~view', view, { ...view, r: { N: '2' } })).toEqual([]);
  });

  it('is the element that a view has lost', () => {
    expect(partsOpened('~view', view, { ...key, r: { N: '2' } })).toEqual(['element']);
  });

  it('is nothing if no type and no template fits the item: a repair would delete what is of others', () => {
    for (const target of ['$invoice_1', '?$invoice_1', 'profile', '#']) {
      const item: Item = { source: { S: 'USER-1' }, target: { S: target } };
      expect(partsOpened(target, undefined, item)).toEqual([]);
    }
    expect(partsOpened('~of nobody', undefined, view)).toEqual(['unknown-item']);
  });

  it('is the count whose set of values has changed, for the worse or the better', () => {
    const total: Item = { count: { N: '1' }, 'by/kind/Sa': { N: '1' }, 'keys/kind': { SS: ['Sa'] }, r: { N: '1' } };
    const damaged: Item = { ...total, 'keys/kind': { SS: ['Sa', 'Sghost'] } };
    expect(partsOpened('~total/LIKES', total, damaged, totals)).toContain('count');
    expect(partsOpened('~total/LIKES', damaged, total, totals)).toContain('count');
    expect(partsOpened('~total/LIKES', total, { ...total, r: { N: '2' } }, totals)).toEqual([]);
  });

  it('is nothing if a base item is written as it was', () => {
    const node: Item = { source: { S: 'USER-1' }, target: { S: 'USER-1' } };
    expect(partsOpened('USER-1', node, node)).toEqual([]);
    expect(partsOpened('USER-1', node, undefined)).toContain('attributes');
  });
});
