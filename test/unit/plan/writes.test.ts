import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import { REVISION } from '../../../src/core/items/derived-item.ts';
import { itemKindOf } from '../../../src/core/kinds/all-kinds.ts';
import { evictToBudget } from '../../../src/core/kinds/eviction.ts';
import { faultsOfForm } from '../../../src/core/kinds/form.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import { refusalKey } from '../../../src/core/plan/quarantine-entry.ts';
import { viewUpdate } from '../../../src/core/plan/writes/view-update.ts';
import { define } from '../../support/model.ts';

const NOW = 1_800_000_000;
const graph = define({
  table: 'records',
  nodes: { GOAL: node(), USER: node({ view: 'ALL' }) },
  edges: { KNOWS: edge({ from: 'USER', to: 'USER', edgeSet: [], copy: ['name'] }) },
});

describe('a view', () => {
  const stored = { attributes: { M: {} }, [REVISION]: { N: '1' } };

  it.each<[string, Item, string | undefined, boolean]>([
    ['without content becomes a tombstone', stored, undefined, true],
    ['with an element stays', stored, 'KNOWS-USER-2', false],
    ['with only the mark of an eviction stays', { ...stored, evicted: { SS: ['KNOWS'] } }, undefined, false],
  ])('%s', (_what, view, element, isTombstone) => {
    const shares = new Map([
      ['USER-1', { attributes: undefined, element: undefined }],
      ['KNOWS-USER-2', { attributes: undefined, element }],
    ]);
    const { set } = viewUpdate(graph, 'USER-1', view, { shares, copies: new Map() } as never, NOW);
    expect(Object.hasOwn(set, graph.table.ttl)).toBe(isTombstone);
  });

  it('evicts a type whose copies alone exceed the budget', () => {
    const copies = new Map<string, Item>([['KNOWS-USER-2', { name: { S: 'x'.repeat(2_000) } }]]);
    const elements = new Map([['KNOWS-USER-2', ['KNOWS-USER-2']]]);
    expect(evictToBudget({ elements, copies, evictedBefore: new Set(), rest: {} }, 1_000)).toEqual(new Set(['KNOWS']));
    expect([elements.size, copies.size]).toEqual([0, 0]);
  });

  it('that is live and expires is drift, and a tombstone that expires is none', () => {
    const form = itemKindOf(graph, '~view');
    const expires = { [graph.table.ttl]: { N: String(NOW) }, [REVISION]: { N: '1' } };
    expect(faultsOfForm(form, graph, { attributes: { M: {} }, ...expires })).toMatchObject([{ kind: 'expiry' }]);
    expect(faultsOfForm(form, graph, expires)).toEqual([]);
  });
});

it('the entry of a refused item names its edge in the partition of another node only', () => {
  const touch = { kind: 'item', source: 'USER-1', sortKey: '~in/KNOWS/USER-2', records: [] } as const;
  const ofEdge = (source: string, target: string) => refusalKey({ ...touch, base: { source, target } } as never);
  expect(ofEdge('USER-2', 'KNOWS-USER-1')).not.toEqual(ofEdge('USER-2', 'KNOWS-USER-3'));
  expect(ofEdge('USER-2', 'KNOWS-USER-1').source).toBe('USER-2');
  expect(ofEdge('USER-1', 'KNOWS-USER-3')).toEqual(ofEdge('USER-1', 'KNOWS-USER-4'));
});
