import { describe, expect, it } from 'vitest';
import { itemsLeftOut, LeftOutItems, leftOutText } from '../../../src/migrate/walks/left-out-items.ts';

function leftOut(count: number, share = 1) {
  const items = new LeftOutItems();
  for (let i = 0; i < count; i++) {
    items.add({ source: `SKU-${i}`, target: `SKU-${i}` }, [{ message: `no rank ${i}` }] as never, share);
  }
  return items.found!;
}

describe('items that a projection leaves out', () => {
  it('are named one by one in the error, up to 20', () => {
    const { message } = itemsLeftOut(leftOut(2));
    expect(message).toBe(
      'Readers would miss items: 2 items cannot be in what is built:\n  SKU-0 SKU-0: no rank 0\n  SKU-1 SKU-1: no rank 1',
    );
    const lines = itemsLeftOut(leftOut(25)).message.split('\n');
    expect(lines).toHaveLength(22);
    expect(lines.slice(-2)).toEqual(['  SKU-19 SKU-19: no rank 19', '  and 5 more']);
  });

  it('are all known, of which a sample has a share', () => {
    const found = leftOut(3, 100);
    expect(found).toMatchObject({ items: 300, known: [{ source: 'SKU-0' }, { reason: 'no rank 1' }, {}] });
    expect(leftOutText(found, 'about ').split('\n').at(-1)).toBe('  and about 297 more');
    expect(leftOut(10_001).known).toHaveLength(10_000);
  });

  it('are named without control characters', () => {
    const items = new LeftOutItems();
    items.add({ source: 'SKU-\u001b', target: 'SKU-1\n' }, [{ message: 'odd\nline' }] as never);
    expect(leftOutText(items.found!).split('\n')).toHaveLength(2);
  });
});
