import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { GONE, isGone } from '../../../src/core/model/gone.ts';
import { edge, node, source } from '../../../src/core/model/schema.ts';
import { derivedOf } from '../../../src/core/plan/derive.ts';
import { touchedFanOuts } from '../../../src/core/plan/fan-out.ts';
import { baseItem, LABEL } from '../../support/records.ts';

describe('an item counts as deleted', () => {
  it.each<[string, unknown, boolean]>([
    ['by a text', { S: '2026-11-26' }, true],
    ['by an empty text', { S: '' }, true],
    ['by zero', { N: '0' }, true],
    ['by true', { BOOL: true }, true],
    ['by a list', { L: [] }, true],
    ['not by false', { BOOL: false }, false],
    ['not by null', { NULL: true }, false],
    ['not without the attribute', undefined, false],
    ['by what is no attribute value: it is there', 'forged', true],
  ])('%s', (_name, value, expected) => {
    const image = { source: { S: 'USER-1' }, ...(value !== undefined && { left: value }) } as unknown as Item;
    expect(isGone({ deletedWhen: 'left' }, image)).toBe(expected);
    expect(isGone(undefined, image)).toBe(false);
  });

  it('by saying that it is gone, whatever its type and whatever it says', () => {
    expect(isGone(undefined, { [GONE]: { BOOL: false } })).toBe(true);
    expect(isGone({ deletedWhen: 'left' }, { [GONE]: { NULL: true } })).toBe(true);
  });
  it('not by a property that every object has', () => {
    expect(isGone({ deletedWhen: 'toString' }, { source: { S: 'USER-1' } })).toBe(false);
  });
});

describe('a soft-deleted node', () => {
  const graph = defineGraph({
    table: 'records',
    nodes: {
      USER: node({ view: 'ALL', deletedWhen: 'left', search: { name: {} } }),
      TEAM: node({ view: 'ALL', deletedWhen: 'closed' }),
    },
    edges: { IN: edge({ from: 'USER', to: 'TEAM', copy: ['title'], inbound: { orders: { gsi0: source('name') } } }) },
  });
  const user = baseItem('USER-1', 'USER-1', { name: { S: 'Ann' } });
  const left = { ...user, left: { S: 'now' } };

  it('asks for nothing, and has no fault', () => {
    const faulty = { ...left, name: { N: '7' } };
    expect(derivedOf(graph, 'USER-1', 'USER-1', faulty)).toEqual(derivedOf(graph, 'USER-1', 'USER-1', undefined));
  });

  it('gives the items of its edges nothing', () => {
    const member = baseItem('USER-1', 'IN-TEAM-1', {});
    const itemsWith = (item: Item | undefined) => [
      ...derivedOf(graph, 'USER-1', 'IN-TEAM-1', member, { item }).indexItems.keys(),
    ];
    expect(itemsWith(user)).toHaveLength(1);
    expect(itemsWith(left)).toEqual(itemsWith(undefined));
  });

  it.each([
    ['USER-1', user, left],
    ['TEAM-1', baseItem('TEAM-1', 'TEAM-1', {}), baseItem('TEAM-1', 'TEAM-1', { closed: { BOOL: true } })],
  ])('fans out as one that is deleted: %s', (id, live, deleted) => {
    const fanOutsOf = (oldImage: Item | undefined, newImage: Item | undefined) =>
      touchedFanOuts(graph, { source: id, target: id, stream: LABEL, sequenceNumber: '1', oldImage, newImage }).map(
        ({ of }) => of,
      );
    expect(fanOutsOf(live, deleted)).toEqual(fanOutsOf(live, undefined));
    expect(fanOutsOf(live, deleted)).toHaveLength(1);
    expect(fanOutsOf(deleted, live)).toEqual(fanOutsOf(undefined, live));
    expect(fanOutsOf(deleted, undefined)).toEqual([]);
  });
});
