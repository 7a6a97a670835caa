import type { IndexName, SearchModel, SearchOrder, SearchSettings } from '../compiled.ts';
import { nativeAttribute } from '../native-indexes.ts';
import { fillSettings, SEARCH_OPTIONS } from '../options/option-tables.ts';
import { searchesOfPack } from '../projection/search-pack.ts';
import { compileOrder } from './order.ts';
import { checkShape, type MistakeLog, noteClashes, searchSchema } from './schemas.ts';

/**
 * The searches of node types. Single-valued searches of the same item with the same projected attributes share an index
 * item, as many as the model may use indexes, in declaration order. The item is in an index for each. Its key has the
 * first one's name; each index partition has its own search's name. A search by a function has its own item, so that a
 * migration doesn't need functions of unchanged searches.
 */

/** Escaped, it is part of search items' sort keys, and leaves room for a hashed value. */
const MAX_SEARCH_NAME_BYTES = 255;

export interface DeclaredSearch extends SearchSettings {
  native?: boolean;
}

/**
 * From options, or from an order as shorthand; undefined if it has mistakes.
 *
 * @param part the node's part to search by; undefined: the node itself.
 */
export function compileSearch(
  type: string,
  attribute: string,
  entry: unknown,
  path: string,
  mistakes: MistakeLog,
  part?: string,
): DeclaredSearch | undefined {
  const name = part === undefined ? attribute : `${part}.${attribute}`;
  const isShort = typeof entry === 'string' || (typeof entry === 'object' && entry !== null && 'kind' in entry);
  const options = checkShape(searchSchema, isShort ? { attribute: entry } : entry, path, mistakes);
  if (options === undefined) return undefined;
  const order =
    options.path === undefined
      ? compileOrder(options.attribute ?? attribute, options.type, path, mistakes)
      : compilePath(options.path, path, mistakes);
  const native = options.native === true;
  const given = fillSettings(SEARCH_OPTIONS, native ? { ...options, shards: 'value' } : options);
  if (Buffer.byteLength(name) > MAX_SEARCH_NAME_BYTES)
    mistakes.push({ path, message: `has a name of more than ${MAX_SEARCH_NAME_BYTES} bytes` });
  noteClashes(SEARCH_OPTIONS, options, [order], path, mistakes);
  if (native) checkNative(order, part, path, mistakes);
  return { ...given, indexPartition: `${type}.${name}`, name, order, ...(part !== undefined && { part }), native };
}

/** Assigns items to a node type's searches: see the head of this file. */
export function packSearches(searches: Iterable<DeclaredSearch>, indexes: readonly IndexName[]): SearchModel[] {
  const open = new Map<string, DeclaredSearch[]>();
  const packs: DeclaredSearch[][] = [];
  for (const search of searches) {
    const { part, project, multiValue, order, native } = search;
    const kind = JSON.stringify([part, project]);
    const mayShare = !multiValue && order.kind !== 'derive' && native !== true;
    const pack = mayShare ? open.get(kind) : undefined;
    if (pack !== undefined && pack.length < indexes.length) pack.push(search);
    else {
      packs.push([search]);
      if (mayShare) open.set(kind, packs.at(-1)!);
    }
  }
  return packs.flatMap((pack) => searchesOfPack(pack));
}

/** Notes what an index on nodes' attributes can't search by. */
function checkNative(order: SearchOrder, part: string | undefined, path: string, mistakes: MistakeLog): void {
  const addMistake = (message: string): unknown => mistakes.push({ path: `${path}.native`, message });
  if (part !== undefined) addMistake(`is of the part ${part}: a native search is by an attribute of the node`);
  if (nativeAttribute(order) === undefined)
    addMistake('is of a value whose key is derived: name an attribute of type string or number');
}

function compilePath(attributes: readonly string[], path: string, mistakes: MistakeLog): SearchOrder {
  if (new Set(attributes).size < attributes.length)
    mistakes.push({ path: `${path}.path`, message: 'names an attribute twice' });
  return { kind: 'path', attributes };
}
