import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import { touchedBy } from '../../../src/trust/observe/touched-items.ts';
import { followGraph } from '../../support/follow-graph.ts';

const totals = defineGraph({
  table: 'records',
  nodes: { USER: node({ view: 'ALL' }) },
  edges: { LIKES: edge({ from: 'USER', to: 'USER', inbound: { groupBy: ['kind'] } }) },
});

/** The touched items: their sort keys, for shares in views with the base item. */
function touchedItems(
  target: string,
  oldImage: Item | undefined,
  newImage: Item | undefined,
  graph: CompiledModel = followGraph(),
): string[] {
  const images = { ...(oldImage && { oldImage }), ...(newImage && { newImage }) };
  const change = { source: 'USER-1', target, sequenceNumber: '1', stream: '', ...images };
  return touchedBy(graph, change).items.map(({ sortKey, bases: [base] = [] }) =>
    [sortKey, ...(base === undefined ? [] : [base.target])].join(' '),
  );
}

describe('what a record touches for the observer', () => {
  const key = { source: { S: 'USER-1' }, target: { S: '~view' } };
  const view: Item = { ...key, r: { N: '1' }, edgeSet: { SS: ['FOLLOWS-USER-2'] } };

  it('is nothing if only the revision of a derived item moves', () => {
    expect(touchedItems('~view', view, { ...view, r: { N: '2' } })).toEqual([]);
  });

  it('is the element that a view has lost', () => {
    expect(touchedItems('~view', view, { ...key, r: { N: '2' } })).toEqual(['~view FOLLOWS-USER-2']);
  });

  it('is nothing if no type and no template fits the item: a repair would delete what is of others', () => {
    for (const target of ['$invoice_1', '?$invoice_1', 'profile', '#']) {
      const item: Item = { source: { S: 'USER-1' }, target: { S: target } };
      expect(touchedItems(target, undefined, item)).toEqual([]);
    }
    expect(touchedItems('~of nobody', undefined, view)).toEqual(['~of nobody']);
  });

  it('is the count whose set of values has changed, for the worse or the better', () => {
    const total: Item = { count: { N: '1' }, 'by/kind/Sa': { N: '1' }, 'keys/kind': { SS: ['Sa'] }, r: { N: '1' } };
    const damaged: Item = { ...total, 'keys/kind': { SS: ['Sa', 'Sghost'] } };
    expect(touchedItems('~total/LIKES', total, damaged, totals)).toContain('~total/LIKES');
    expect(touchedItems('~total/LIKES', damaged, total, totals)).toContain('~total/LIKES');
    expect(touchedItems('~total/LIKES', total, { ...total, r: { N: '2' } }, totals)).toEqual([]);
  });

  it('is what somebody has put right by hand, too', () => {
    const odd: Item = { ...view, note: { S: 'of nobody' } };
    const garbage: Item = { ...view, edgeSet: { SS: ['no edge'] } };
    expect(touchedItems('~view', odd, view)).toEqual(['~view']);
    expect(touchedItems('~view', garbage, view)).toContain('~view');
    expect(touchedItems('~of nobody', view, undefined)).toEqual(['~of nobody']);
  });

  it('is nothing if a base item is written as it was', () => {
    const node: Item = { source: { S: 'USER-1' }, target: { S: 'USER-1' } };
    expect(touchedItems('USER-1', node, node)).toEqual([]);
    expect(touchedItems('USER-1', node, undefined)).toContain('~view USER-1');
  });
});
