import { escapeValue, sortKeyOfEscaped } from '../../src/core/items/encoding.ts';
import { edgeIndexPrefix, fittingKey, searchValuePrefix } from '../../src/core/items/key-forms.ts';
import type { DerivedSortKey } from '../../src/core/items/keys.ts';

/** `~ix/#byPriority/GOALMEMBERSHIP-USER-U1`. */
export function edgeIndexKey(edgeKey: string, order?: string, generation?: number): DerivedSortKey {
  return fittingKey(edgeIndexPrefix(order, generation), edgeKey);
}

/** `~ix/@2/favoriteFoods/ramen`. */
export function searchValueKey(name: string, encoded: string, generation?: number): DerivedSortKey {
  return fittingKey(searchValuePrefix(name, generation), encoded);
}

/** `500-LEAD`, a NUL and `GOAL-G1`. */
export function indexSortKey(encoded: string, source: string): string {
  return sortKeyOfEscaped(escapeValue(encoded), source);
}
