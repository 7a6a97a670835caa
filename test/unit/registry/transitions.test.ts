import { describe, expect, it } from 'vitest';
import { ownershipTest } from '../../../src/registry/ownership.ts';
import { stampedId, stampText } from '../../../src/registry/registry.ts';

describe('a registry that is made anew', () => {
  it.each([7, 999_999_999, 1_503_238_554, 2 ** 31])('tells views %i from the next ones', (id) => {
    expect(stampedId(stampText(id))).toBe(id);
    const viewOf = (viewId: number) => ({
      source: 'USER-1',
      target: '~view',
      item: { model: { S: stampText(viewId) } },
    });
    const isGone = ownershipTest([{ name: 'view:USER', id }]);
    expect([isGone(viewOf(id - 1)), isGone(viewOf(id)), isGone(viewOf(id + 1))]).toEqual([true, true, false]);
  });
});
