import type { Item } from '../../core/items/attribute-value.ts';
import { baseKeyOfIndexItem } from '../../core/items/derived-key.ts';
import { encodeNumber, highestSortKeyOfValue } from '../../core/items/encoding.ts';
import type { IndexPartitionKey } from '../../core/items/keys.ts';
import { viewAttributes } from '../../core/items/stored-view.ts';
import { findEdgeOfHashedKey } from '../../core/kinds/index-item.ts';
import { type CompiledModel, layersOf, type OfGraph } from '../../core/model/compiled.ts';
import { ENDS } from '../../core/model/ends.ts';
import { queryPages } from '../../core/store-pages.ts';
import type { Store } from '../../core/store-port.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { CALLS_AT_ONCE, forEachOf } from '../../foundation/for-each.ts';
import { checkStoreOptions, type OptionNames } from '../../foundation/options.ts';
import { RUNTIME_OPTIONS, type RuntimeOptions, runtimeOf, sleep } from '../../foundation/runtime.ts';
import { registeredModel } from '../../registry/writer-model.ts';
import { runAbortable } from '../../store/abortable.ts';
import { keyOfItem } from '../../store/table-walk.ts';

/** Options of `deleteEnded`. */
export interface EndedOptions extends Omit<RuntimeOptions, 'now'> {
  /** The table. */
  store: Store;
  /** Returns DynamoDB's time in milliseconds since 1970. Default: the store asks DynamoDB. */
  serverTime?: (() => Promise<number | undefined>) | undefined;
  /** Parallel deletes. Default: 16. */
  concurrency?: number | undefined;
}

/** The result of `deleteEnded`. */
export interface EndedResult {
  deleted: number;
  /** True if time ran out before all due-lists were read. Call again to delete the remaining edges. */
  left: boolean;
  rcu: number;
  wcu: number;
}

const { now: _, ...RUNTIME } = RUNTIME_OPTIONS;
const OPTIONS: OptionNames<EndedOptions> = { store: true, serverTime: 'function', concurrency: 'count', ...RUNTIME };

export function hasDueLists(graph: CompiledModel): boolean {
  return [...graph.edges.values()].some(({ due }) => due !== undefined);
}

/**
 * Deletes ended edges of counted types, because DynamoDB's TTL may take days, and counts and totals include an edge
 * until it is deleted. Keeps edges whose end was postponed in the meantime.
 *
 * Goes by DynamoDB's clock, because a machine whose clock is fast would delete edges too early. Throws
 * `no-server-time`, and deletes nothing, if DynamoDB's time isn't known.
 *
 * @example
 * // Every minute, unless the stack or a worker already does it.
 * await deleteEnded(graph, { store });
 */
export async function deleteEnded(graph: CompiledModel, options: EndedOptions): Promise<EndedResult> {
  checkStoreOptions('deleteEnded', options, OPTIONS);
  return await runAbortable(options.store, options, (store) => deleteDue({ ...options, store, graph }));
}

async function deleteDue({ graph, store, ...options }: OfGraph<EndedOptions>): Promise<EndedResult> {
  const result: EndedResult = { deleted: 0, left: false, rcu: 0, wcu: 0 };
  if (!hasDueLists(graph)) return result;
  const { concurrency = CALLS_AT_ONCE, serverTime = async () => await store.serverTime?.() } = options;
  const { remainingMs } = runtimeOf(options);
  const nowMs = await serverTime();
  if (nowMs === undefined) throw noServerTimeError();
  // rule: due-list-is-read-up-to-now
  const to = highestSortKeyOfValue(encodeNumber(String(nowMs / 1000)));
  const model = await registeredModel(graph, store).current(result);
  for (const partition of partitionsOf(graph, model)) {
    for await (const { items } of queryPages(store, { index: 'gsi0', partition, sortKey: { to } }, result)) {
      await forEachOf(
        items,
        async (item) => {
          if (remainingMs() <= 0) result.left = true;
          if (!result.left) await deleteEdgeOf(item, { graph, store, stats: result });
        },
        { concurrency },
      );
      if (result.left) return result;
    }
  }
  return result;
}

async function deleteEdgeOf(
  item: Item,
  context: { graph: CompiledModel; store: Store; stats: EndedResult },
): Promise<void> {
  const { graph, store, stats } = context;
  const { source, target: sortKey } = keyOfItem(graph.table, item);
  const target = baseKeyOfIndexItem(source, sortKey) ?? (await findEdgeOfHashedKey(context, source, sortKey));
  const end = viewAttributes(item)?.[ENDS];
  if (target === undefined || end === undefined) return;
  // The index may be stale, and an edge's end may be postponed at any moment.
  // rule: edge-is-deleted-while-it-ends-then
  const condition = { equal: { [graph.table.ttl]: end } };
  const { applied, wcu } = await store.change({ kind: 'delete', key: { source, target }, condition });
  stats.wcu += wcu;
  if (applied) stats.deleted += 1;
}

function noServerTimeError(): EdgeloomError {
  return new EdgeloomError(
    'no-server-time',
    "DynamoDB's responses have no Date header, and edges are never deleted by the local clock alone.",
    "Give deleteEnded a serverTime, or configure the proxy to pass on DynamoDB's Date header.",
  );
}

function partitionsOf(graph: CompiledModel, model: CompiledModel): IndexPartitionKey[] {
  // rule: due-lists-of-all-generations-are-gone-through
  const kept = layersOf(model).flatMap(({ edges }) => [...edges.values()]);
  // rule: only-what-ends-by-the-own-model-is-deleted
  const due = kept.filter(({ type, expires }) => {
    const own = graph.edges.get(type);
    return own?.due !== undefined && own.expires === expires;
  });
  const lists = due.flatMap((edge) => [...(edge.due?.orders.values() ?? [])]);
  return [...new Set(lists.flatMap(({ places }) => places.partitions('')))];
}

export interface Sweeping {
  stop(): Promise<void>;
}

export function sweepEnded(
  graph: CompiledModel,
  options: { store: Store; intervalMs: number; onError: (error: unknown) => void },
): Sweeping | undefined {
  if (!hasDueLists(graph)) return undefined;
  const { store, intervalMs, onError } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const sweepOnce = async (): Promise<void> => {
    try {
      await deleteEnded(graph, { store, signal });
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
  };
  const running = (async () => {
    while (!signal.aborted) {
      await sweepOnce();
      await sleep(intervalMs, signal).catch(() => undefined);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
