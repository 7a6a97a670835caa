import type { NativeGap } from '../../../src/core/model/native-misfits.ts';
import { countText } from '../../../src/foundation/figure.ts';
import { namedItems } from '../../../src/migrate/walks/left-out-items.ts';

export function gapTexts(gaps: readonly NativeGap[], about = ''): string[] {
  if (gaps.length === 0) return [];
  return [
    ...gaps.flatMap(({ name, items, known }) => [
      `${about}${name} lacks ${countText(items, 'item')}:`,
      ...namedItems(items, known),
    ]),
    'Give these items a value that the index takes, or remove the attribute from them; --json names each item that was read.',
  ];
}
