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
