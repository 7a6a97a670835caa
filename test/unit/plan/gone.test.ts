import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { GONE, isGone } from '../../../src/core/model/gone.ts';
import { node } from '../../../src/core/model/schema.ts';
import { derivedOf } from '../../../src/core/plan/derive.ts';
import { baseItem } from '../../support/records.ts';

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

it('a soft-deleted node asks for nothing, and has no fault', () => {
  const graph = defineGraph({
    table: 'records',
    nodes: { USER: node({ view: 'ALL', deletedWhen: 'left', search: { name: {} } }) },
  });
  const faulty = baseItem('USER-1', 'USER-1', { name: { N: '7' }, left: { S: 'now' } });
  expect(derivedOf(graph, 'USER-1', 'USER-1', faulty)).toEqual(derivedOf(graph, 'USER-1', 'USER-1', undefined));
});
