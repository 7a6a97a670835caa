import { type Item, stringOf } from '../items/attribute-value.ts';
import { COUNTED, INDEX_KEYS, MODEL } from '../items/derived-item.ts';
import { splitGeneration } from '../items/generation.ts';
import {
  DEGREE_PREFIX,
  INDEX_PREFIX,
  isDerivedKey,
  orderKeyPrefix,
  orderOfIndexKey,
  parseNodeId,
  typePrefix,
  VIEW_KEY,
} from '../items/keys.ts';
import { familyName, orderName, searchName, viewName } from './definition.ts';
import { stampedId } from './registry.ts';

/** Which generation of which projection a derived item belongs to. */
export interface Ownership {
  name: string;
  generation: number;
}

const OWNER = /^~ix\/#includeOwner\/([A-Z][A-Z0-9_]*)(?:\/(.+))?$/;

/**
 * Tells a derived item's projection by its key, and where that is hashed by what the item holds. Undefined for views and what
 * else has no generations, and for a tombstone whose key is hashed.
 */
export function ownerOfItem(source: string, sortKey: string, item: Item): Ownership | undefined {
  const { generation, plain } = splitGeneration(sortKey);
  const owned = (name: string | undefined) => (name === undefined ? undefined : { name, generation });
  if (plain.startsWith(DEGREE_PREFIX)) return owned(familyName(plain.slice(DEGREE_PREFIX.length)));
  if (!plain.startsWith(INDEX_PREFIX)) return undefined;
  const owner = OWNER.exec(plain);
  if (owner !== null) return owned(owner[2] === undefined ? familyName(owner[1]!) : orderName(owner[1]!, owner[2]));
  const order = orderOfIndexKey(plain);
  const rest = plain.slice(order === undefined ? INDEX_PREFIX.length : orderKeyPrefix(order).length);
  const isEdge = order !== undefined || rest.startsWith('#') || rest[rest.search(/[-/]/)] === '-';
  if (!isEdge) {
    const type = parseNodeId(source)?.type;
    const search = decoded(rest.split('/', 1)[0]!);
    return owned(type && search && searchName(type, search));
  }
  const edgeType = rest.startsWith('#') ? edgeTypeHeld(item) : typePrefix(rest);
  if (edgeType === undefined) return undefined;
  return owned(order === undefined ? familyName(edgeType) : orderName(edgeType, order));
}

/** The name of a search in a key; undefined where no search has such a key. */
function decoded(name: string): string | undefined {
  try {
    return decodeURIComponent(name);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
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

/** The edge type that an item with a hashed key holds: in its count, or in an index partition, behind an order's name. */
function edgeTypeHeld(item: Item): string | undefined {
  const counted = stringOf(item[COUNTED]);
  if (counted !== undefined) return counted.slice(counted.indexOf('/') + 1);
  for (const { partition } of Object.values(INDEX_KEYS)) {
    const key = stringOf(item[partition]);
    const match = key === undefined ? null : /^(?:[a-z]\w*(?:@\d+)?\/)?([A-Z][A-Z0-9_]*)[@-]/.exec(key);
    if (match !== null) return match[1];
  }
  return undefined;
}
