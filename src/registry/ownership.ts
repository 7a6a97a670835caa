import { type Item, stringOf } from '../items/attribute-value.ts';
import { COUNTED, INDEX_KEYS, MODEL } from '../items/derived-item.ts';
import { type DerivedKey, parseDerivedKey } from '../items/derived-key.ts';
import { isDerivedKey, parseNodeId, VIEW_KEY } from '../items/keys.ts';
import { type IndexPlace, parseIndexPartition } from '../model/projection/index-partition.ts';
import { countKeyOf } from '../model/projection/places.ts';
import { familyName, orderName, searchName, viewName } from './definition.ts';
import { stampedId } from './registry.ts';

/** Which generation of which projection a derived item belongs to. */
export interface Ownership {
  name: string;
  generation: number;
}

/**
 * The generation of a projection that makes such a derived item, by the item's key, and where that is hashed by what the item
 * holds. Undefined for views and what else has no generations, for a key that no projection makes, and for a tombstone with a
 * hashed key.
 */
export function ownerOfItem(source: string, sortKey: string, item: Item): Ownership | undefined {
  const key = parseDerivedKey(sortKey);
  const name = key && nameOfOwner(source, key, item);
  return name === undefined ? undefined : { name, generation: key!.generation };
}

function nameOfOwner(source: string, key: DerivedKey, item: Item): string | undefined {
  if (key.kind === 'count') return familyName(key.edgeType);
  if (key.kind === 'owner-item') {
    if (key.name.hash === undefined) return inboundName(key.edgeType, key.order);
    const [place] = placesOf(item);
    return place?.of === 'edge' ? inboundName(place.edgeType, place.order) : undefined;
  }
  if (key.kind !== 'index-item') return undefined;
  if (key.of === 'search') {
    const type = parseNodeId(source)?.type;
    return type && searchName(type, key.search);
  }
  if (key.of !== 'edge') return undefined;
  const edgeType = key.edge.hash === undefined ? key.edgeType : edgeTypeHeld(item);
  return edgeType && inboundName(edgeType, key.order);
}

function inboundName(edgeType: string, order: string | undefined): string {
  return order === undefined ? familyName(edgeType) : orderName(edgeType, order);
}

/** The generations of projections in whose index partitions an item lies, whatever its own key is. */
export function partitionOwners(item: Item): Ownership[] {
  return placesOf(item).map((place) => {
    const name =
      place.of === 'search' ? searchName(place.type, place.search) : inboundName(place.edgeType, place.order);
    return { name, generation: place.generation };
  });
}

function placesOf(item: Item): IndexPlace[] {
  return Object.values(INDEX_KEYS).flatMap(({ partition }) => {
    const place = parseIndexPartition(stringOf(item[partition]) ?? '');
    return place === undefined ? [] : [place];
  });
}

/** Tells the derived items of some generations from all others; of `view:TYPE` the views of that shape and of earlier ones. */
export function ownedBy(
  generations: readonly { name: string; id: number }[],
): (item: { source: string; target: string; item: Item }) => boolean {
  const ids = new Set(generations.map(({ name, id }) => `${name}@${id}`));
  const shapes = new Map(generations.map(({ name, id }) => [name, id]));
  return ({ source, target, item }) => {
    if (target === VIEW_KEY) {
      const last = shapes.get(viewName(parseNodeId(source)?.type ?? ''));
      return last !== undefined && stampedId(stringOf(item[MODEL])) <= last;
    }
    const owner = isDerivedKey(target) ? ownerOfItem(source, target, item) : undefined;
    return owner !== undefined && ids.has(`${owner.name}@${owner.generation}`);
  };
}

/** The edge type that an item with a hashed key holds: in its count, or in an index partition. */
function edgeTypeHeld(item: Item): string | undefined {
  const counted = stringOf(item[COUNTED]);
  if (counted !== undefined) return parseDerivedKey(countKeyOf(counted))?.edgeType;
  return placesOf(item).find((place) => place.of === 'edge')?.edgeType;
}
