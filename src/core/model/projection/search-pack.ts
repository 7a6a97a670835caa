import { INDEX_NAMES, type IndexName } from '../../items/derived-item.ts';
import type { SearchSettings } from '../options/option-tables.ts';
import { SearchPlaces } from './places.ts';

interface PlacedSearch extends SearchSettings {
  index: IndexName;
  itemOf: string;
  inForce: { places: SearchPlaces };
  native: boolean;
}

export function searchesOfPack(
  pack: readonly (SearchSettings & { native?: boolean })[],
  generation?: number,
): PlacedSearch[] {
  const itemOf = pack[0]!.name;
  return pack.map((search, i) => ({
    ...search,
    index: INDEX_NAMES[i]!,
    itemOf,
    inForce: { places: new SearchPlaces(search, itemOf, { generation, isStored: search.native !== true }) },
    native: search.native === true,
  }));
}

export function packsOf<Search extends { itemOf: string }>(searches: Iterable<Search>): Search[][] {
  const packs = new Map<string, Search[]>();
  for (const search of searches) packs.set(search.itemOf, [...(packs.get(search.itemOf) ?? []), search]);
  return [...packs.values()];
}
