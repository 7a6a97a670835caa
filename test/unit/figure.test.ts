import { expect, it } from 'vitest';
import { countText } from '../../src/foundation/figure.ts';

it.each([
  [0, 'record', undefined, '0 records'],
  [1, 'record', undefined, '1 record'],
  [1200, 'base item', undefined, '1,200 base items'],
  [1, 'entry', 'entries', '1 entry'],
  [2, 'entry', 'entries', '2 entries'],
])('a count of %d is told with its noun in the right number', (count, one, many, text) => {
  expect(countText(count, one, many)).toBe(text);
});
