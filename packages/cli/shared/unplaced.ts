import type { NativeGap } from '../../../src/core/model/native-misfits.ts';
import { countText, figureText } from '../../../src/foundation/figure.ts';
import { printable } from '../../../src/foundation/printable.ts';
import { namedItems } from '../../../src/migrate/walks/left-out-items.ts';
import type { UnplacedCount } from '../../../src/trust/check/unplaced-items.ts';

const SHOWN = 10;

export function unplacedText({ items, forms, others }: UnplacedCount, about = ''): string[] {
  if (items === 0) return [];
  const shown = forms.slice(0, SHOWN);
  const rest = forms.slice(SHOWN).reduce((sum, form) => sum + form.items, others);
  return [
    `${about}no type of the model fits ${countText(items, 'item')}, of which nothing is projected:`,
    ...shown.map(({ form, items: count, examples: [first] }) => {
      const example = first === undefined ? '' : `, such as ${printable(first.source)} ${printable(first.target)}`;
      return `  ${figureText(count)} ${printable(form)}${example}`;
    }),
    ...(rest > 0 ? [`  ${figureText(rest)} of other forms`] : []),
  ];
}

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
