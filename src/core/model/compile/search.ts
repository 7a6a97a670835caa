import type { IndexName, SearchModel, SearchOrder, SearchSettings } from '../compiled.ts';
import { nativeAttribute } from '../native-indexes.ts';
import { fillSettings, SEARCH_OPTIONS } from '../options/option-tables.ts';
import { noteClashes } from '../options/option-works.ts';
import { searchesOfPack } from '../projection/search-pack.ts';
import type { Mistakes } from './mistakes.ts';
import { compileOrder } from './order.ts';
import { checkShape, searchSchema } from './schemas.ts';

/**
 * Searches of a node or part with a single value and the same projected attributes share an item, up to one search per
 * index. The first search names the item. A search by a function has its own item, so a migration doesn't need the
 * functions of unchanged searches.
 */

/** Leaves room for a hashed value in the sort key. */
const MAX_SEARCH_NAME_BYTES = 255;

export interface DeclaredSearch extends SearchSettings {
  native?: boolean;
}

export function compileSearch(
  type: string,
  attribute: string,
  entry: unknown,
  mistakes: Mistakes,
  part?: string,
): DeclaredSearch | undefined {
  const name = part === undefined ? attribute : `${part}.${attribute}`;
  const isShort = typeof entry === 'string' || (typeof entry === 'object' && entry !== null && 'kind' in entry);
  const options = checkShape(searchSchema, isShort ? { attribute: entry } : entry, mistakes);
  if (options === undefined) return undefined;
  const order =
    options.path === undefined
      ? compileOrder(options.attribute ?? attribute, options.type, mistakes)
      : compilePath(options.path, mistakes.at('path'));
  const native = options.native === true;
  const given = fillSettings(SEARCH_OPTIONS, native ? { ...options, shards: 'value' } : options);
  if (Buffer.byteLength(name) > MAX_SEARCH_NAME_BYTES)
    mistakes.note(`has a name of more than ${MAX_SEARCH_NAME_BYTES} bytes`);
  noteClashes(SEARCH_OPTIONS, options, [order], (option, message) => mistakes.at(option).note(message));
  if (native) checkNative(order, part, mistakes.at('native'));
  return { ...given, indexPartition: `${type}.${name}`, name, order, ...(part !== undefined && { part }), native };
}

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

function checkNative(order: SearchOrder, part: string | undefined, mistakes: Mistakes): void {
  if (part !== undefined) mistakes.note(`is of the part ${part}: a native search is by an attribute of the node`);
  if (nativeAttribute(order) === undefined)
    mistakes.note('is of a value whose key is derived: name an attribute of type string or number');
}

function compilePath(attributes: readonly string[], mistakes: Mistakes): SearchOrder {
  if (new Set(attributes).size < attributes.length) mistakes.note('names an attribute twice');
  return { kind: 'path', attributes };
}
