import { canonicalText, type Item } from '../items/attribute-value.ts';
import { viewAttributes } from '../items/stored-view.ts';
import type { Part, PartKind } from './part.ts';

export const attributes: PartKind<Extract<Part, { kind: 'attributes' }>> = {
  isContent: true,
  decidingKeys: (_context, { source }) => [{ source, target: source }],
  compare: ({ graph, derivedOf }, { suspect: { source }, derived, items }) => ({
    expected: attributesText(derivedOf(graph, source, source, items[0]).attributes) ?? null,
    stored: attributesText(viewAttributes(derived)) ?? null,
  }),
  repairInView: ({ targets }, _graph, { source }) => targets.add(source),
};

export function attributesText(projected: Item | undefined): string | undefined {
  return projected && canonicalText({ M: projected });
}
