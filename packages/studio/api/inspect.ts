import * as z from 'zod';
import type { Page } from '../../../src/client/read/request/result.ts';
import { type Item, itemSizeBytes, stringOf } from '../../../src/core/items/attribute-value.ts';
import { parseDerivedKey } from '../../../src/core/items/derived-key.ts';
import { BELOW_DERIVED, DERIVED_PREFIX, isDerivedKey } from '../../../src/core/items/keys.ts';
import { toPlainItem } from '../../../src/core/items/plain.ts';
import { classifyKey } from '../../../src/core/model/base-item.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { endOfItem, hasCome } from '../../../src/core/model/ends.ts';
import { EdgeloomError } from '../../../src/foundation/errors.ts';
import { losslessNumber } from '../../../src/foundation/exact-json.ts';
import { type Explanation, explain } from '../../../src/trust/explain/explain.ts';
import { lagOfStream } from '../../../src/trust/explain/position.ts';
import type { RequestContext } from '../base/context.ts';
import { input, route } from '../base/route.ts';

export interface StoredItem {
  source: string;
  target: string;
  /** `base`, `part`, a kind of derived item or, in the page, `absent`. */
  kind: string;
  bytes: number;
  isOver?: true;
  attributes: Record<string, unknown>;
}

export type PartitionAnswer = Page<StoredItem>;

export const INSPECT_ROUTES = [
  route(
    'GET /api/partition',
    z.object({ id: input.id, side: z.enum(['base', 'derived']), limit: input.limit, cursor: input.cursor }),
    readPartition,
  ),
  route(
    'GET /api/item',
    z.object({ source: input.id, target: input.id }),
    async ({ graph, store }, key): Promise<{ item: StoredItem | null }> => {
      const { item } = await store.get(key, { consistent: true });
      return { item: item === undefined ? null : storedItem(graph, item) };
    },
  ),
  route(
    'GET /api/explain',
    z.object({ source: input.id, target: input.id }),
    async (context, key): Promise<Explanation> => {
      const { graph, store } = context;
      return explain(graph, { key, store, lag: async () => lagOfStream(await context.position.find()) });
    },
  ),
];

async function readPartition(
  { graph, store }: RequestContext,
  { id, side, limit, cursor }: { id: string; side: 'base' | 'derived'; limit: number; cursor?: string | undefined },
): Promise<PartitionAnswer> {
  const { partitionKey, sortKey } = graph.table;
  if (cursor !== undefined && isDerivedKey(cursor) !== (side === 'derived'))
    throw new EdgeloomError('invalid-argument', `cursor: no sort key of a ${side} item.`, 'Load the page again.');
  const startKey = cursor === undefined ? undefined : { [partitionKey]: { S: id }, [sortKey]: { S: cursor } };
  const range = side === 'derived' ? { beginsWith: DERIVED_PREFIX } : BELOW_DERIVED;
  const { items, lastKey } = await store.query({ partition: id, sortKey: range, limit, startKey, consistent: true });
  const last = stringOf(lastKey?.[sortKey]);
  return {
    items: items.map((item) => storedItem(graph, item)),
    ...(last !== undefined && { cursor: last }),
  };
}

function storedItem(graph: CompiledModel, item: Item): StoredItem {
  const { partitionKey, sortKey } = graph.table;
  const target = stringOf(item[sortKey]) ?? '';
  const source = stringOf(item[partitionKey]) ?? '';
  const { [partitionKey]: _source, [sortKey]: _target, ...attributes } = toPlainItem(item, losslessNumber);
  return {
    source,
    target,
    bytes: itemSizeBytes(item),
    ...(hasCome(endOfItem(graph, { source, target }, item), Date.now() / 1000) && { isOver: true }),
    attributes,
    kind: parseDerivedKey(target)?.kind ?? (classifyKey(graph, source, target).kind === 'part' ? 'part' : 'base'),
  };
}
