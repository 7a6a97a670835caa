import { type Item, stringOf } from '../../../core/items/attribute-value.ts';
import { compareKeys } from '../../../core/items/encoding.ts';
import { BASE_ITEMS, describe } from '../../../core/items/keys.ts';
import { classifyBaseItem } from '../../../core/model/base-item.ts';
import type { CompiledModel } from '../../../core/model/compiled.ts';
import { isGone } from '../../../core/model/gone.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import { checkOptions } from '../../../foundation/options.ts';
import { mergePartitions } from '../lists/scatter.ts';
import { boundOptions, type CursorBinding, decodeCursor, encodeCursor } from '../request/cursor.ts';
import { type KeyRange, prefixRange } from '../request/key-range.ts';
import { checkSource, edgeTypeFrom } from '../request/lookup.ts';
import { mustReadConsistently } from '../request/own.ts';
import { checkLimit, type ItemReadOptions, READ_OPTIONS, type ReadContext } from '../request/read-context.ts';
import { baseAttributes, type EdgeResult, type Page, type StoredNode } from '../request/result.ts';
import { BASE_ORDER, type EdgesOptions, edgeOf } from './edges.ts';

/** Options of `getCollection`. */
export interface CollectionOptions<EdgeType = string> extends EdgesOptions {
  /** Only edges of these types. Items that sort between them are read as well. Default: all. */
  types?: readonly EdgeType[] | undefined;
}

/** A page of a node's outgoing edges. */
export interface Collection<Node = StoredNode, Edge = EdgeResult> extends Page<Edge> {
  /** The node, on the first page only; null if it doesn't exist. */
  node?: Node | null;
}

export async function readNode(
  context: ReadContext,
  id: string,
  options: ItemReadOptions = {},
): Promise<StoredNode | null> {
  checkOptions('getNode', options, { consistent: 'boolean', ...READ_OPTIONS });
  const { consistent = false } = options;
  checkSource(context.graph, id);
  const isOwn = mustReadConsistently(context, ({ source, target }) => source === id && target === id);
  const { item } = await context.store.get({ source: id, target: id }, { consistent: consistent || isOwn });
  return nodeOf(context, id, item);
}

export async function readCollection(
  context: ReadContext,
  id: string,
  options: CollectionOptions = {},
): Promise<Collection> {
  checkOptions('getCollection', options, {
    types: true,
    limit: 'checked',
    cursor: true,
    consistent: 'boolean',
    ...READ_OPTIONS,
  });
  const { graph, cursorKey } = context;
  checkSource(graph, id);
  const { cursor, consistent } = options;
  const limit = checkLimit(options.limit);
  const types = typesOf(graph, id, options.types);
  const asked = boundOptions(options, { types: types && [...types].sort() });
  const query = [graph.table.name, 'collection', id, asked];
  const bound: CursorBinding = { query, meaning: BASE_ORDER };
  const after = cursor === undefined ? undefined : decodeCursor(cursor, bound, cursorKey);
  let node: Item | undefined;
  const page = await mergePartitions(context, {
    partitions: [id],
    range: spanOf(types, cursor === undefined ? id : undefined),
    after,
    limit,
    consistent: consistent === true || mustReadConsistently(context, (key) => key.source === id),
    accept: (item) => {
      const kind = classifyBaseItem(graph, id, stringOf(item[graph.table.sortKey]) ?? '', item);
      if (kind.kind === 'node') node = item;
      return kind.kind === 'edge' && !isGone(undefined, item) && (types === undefined || types.has(kind.edge.type));
    },
    unwanted: 1,
  });
  const { lastKey } = page;
  const items = page.items.flatMap((item) => edgeOf(context, id, item) ?? []);
  const next = lastKey === undefined ? {} : { cursor: encodeCursor(lastKey, bound, cursorKey) };
  if (cursor !== undefined) return { items, ...next };
  // The page may have ended before the node's item, which sorts among its edges.
  const isBehind = lastKey !== undefined && compareKeys(lastKey, id) < 0;
  if (node === undefined && isBehind) return { node: await readNode(context, id, { consistent }), items, ...next };
  return { node: nodeOf(context, id, node), items, ...next };
}

function typesOf(graph: CompiledModel, id: string, types: CollectionOptions['types']): Set<string> | undefined {
  if (types === undefined) return undefined;
  if (Array.isArray(types)) return new Set(types.map((type) => edgeTypeFrom(graph, id, type).type));
  const message = `types should be a list, but is ${describe(types)}.`;
  throw new EdgeloomError('invalid-argument', message, "Put the edge types into a list, such as types: ['TYPE'].");
}

/** Ends before it begins, so no request is made. */
const NO_ITEMS: KeyRange = { from: '[', to: 'A' };

function spanOf(types: ReadonlySet<string> | undefined, id: string | undefined): KeyRange {
  if (types === undefined) return BASE_ITEMS;
  const ranges = [...types].map((type) => prefixRange(`${type}-`));
  if (id !== undefined) ranges.push({ from: id, to: id });
  if (ranges.length === 0) return NO_ITEMS;
  const [first] = ranges.map(({ from }) => from!).sort(compareKeys);
  const last = ranges
    .map(({ to }) => to!)
    .sort(compareKeys)
    .at(-1);
  return { from: first!, to: last! };
}

function nodeOf(context: ReadContext, id: string, item: Item | undefined): StoredNode | null {
  return item === undefined || isGone(undefined, item) ? null : { id, attributes: baseAttributes(context, item) };
}
