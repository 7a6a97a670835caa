import { generationMark } from '../../items/generation.ts';

/**
 * The codec of index partitions as far as their projection goes: `USER.name`, `GOALMEMBERSHIP-USER-U1`, of a named order
 * `byPriority/GOALMEMBERSHIP-USER-U1`; of a later generation `USER.name@2`. `parseIndexPartition` and `formatIndexPartition` are
 * inverse. The places of a projection add the target, the value of a partition and the shard: `STORE.location#US#3`.
 */

/** The projection in whose index partitions an item lies, by the partition's key; `order` is that of a named order. */
export type IndexPlace =
  | { of: 'search'; type: string; search: string; generation: number }
  | { of: 'edge'; edgeType: string; order?: string; generation: number };

const ESCAPED: Readonly<Record<string, string>> = { '%': '%25', '#': '%23', '@': '%40' };

/**
 * The beginning of a projection's index partitions. After the beginning of an edge type follows the rest of the edge's sort key, from the
 * dash on. Names of orders start with a lower-case letter, names of types with an upper-case one.
 */
export function formatIndexPartition(place: IndexPlace): string {
  const mark = generationMark(place.generation);
  // A search named `name#1` must not share a partition with the first shard of `name`, nor `name@2` with a generation.
  if (place.of === 'search') return escapeForPartition(`${place.type}.${place.search}`) + mark;
  const { edgeType, order } = place;
  return order === undefined ? edgeType + mark : `${order}${mark}/${edgeType}`;
}

/** Type, dash or point, and what stands before them where an order is named. */
const OF_SEARCH = /^([A-Z][A-Z0-9_]*)\.([^@#]*)(?:@([1-9]\d{0,8}))?(?:#|$)/s;
const OF_EDGES = /^([A-Z][A-Z0-9_]*)(?:@([1-9]\d{0,8}))?-/;
const OF_NAMED_ORDER = /^([a-z][A-Za-z0-9_]*)(?:@([1-9]\d{0,8}))?\/([A-Z][A-Z0-9_]*)-/;

/** Takes the key of an index partition apart as far as its projection goes; undefined where no projection has such a key. */
export function parseIndexPartition(partition: string): IndexPlace | undefined {
  const ofSearch = OF_SEARCH.exec(partition);
  if (ofSearch !== null) {
    const [, type = '', search = '', generation] = ofSearch;
    return { of: 'search', type, search: unescapeFromPartition(search), generation: Number(generation ?? 1) };
  }
  const ofEdges = OF_EDGES.exec(partition);
  if (ofEdges !== null) return { of: 'edge', edgeType: ofEdges[1]!, generation: Number(ofEdges[2] ?? 1) };
  const named = OF_NAMED_ORDER.exec(partition);
  if (named === null) return undefined;
  return { of: 'edge', edgeType: named[3]!, order: named[1]!, generation: Number(named[2] ?? 1) };
}

/** A text without the characters that stand between the parts of an index partition. */
export function escapeForPartition(text: string): string {
  return text.replace(/[%#@]/g, (character) => ESCAPED[character]!);
}

/** The text that `escapeForPartition` was given. */
export function unescapeFromPartition(text: string): string {
  return text.replace(/%(?:25|23|40)/g, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
}
