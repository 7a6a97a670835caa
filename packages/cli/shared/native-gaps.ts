import type { NativeGap } from '../../../src/core/model/native-misfits.ts';
import { countText } from '../../../src/foundation/figure.ts';
import { printable } from '../../../src/foundation/printable.ts';

export function gapTexts(gaps: readonly NativeGap[], about = ''): string[] {
  if (gaps.length === 0) return [];
  return [
    ...gaps.map(({ name, items, example: { source, target, reason } }) => {
      return `${about}${name} lacks ${countText(items, 'item')}, such as ${printable(source)} ${printable(target)}: ${printable(reason)}`;
    }),
    'Give these items a value that the index takes, or remove the attribute from them; edgeloom check names each.',
  ];
}
