import { exactNumber, type NumberReader } from '../../core/items/plain.ts';
import { classifyBaseItem } from '../../core/model/base-item.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { endOf, hasCome } from '../../core/model/ends.ts';
import { isGone } from '../../core/model/gone.ts';
import type { NodeId, NodeType } from '../../core/model/inference.ts';
import type { ItemKey, ScanSource, Store } from '../../core/store-port.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { checkStoreOptions } from '../../foundation/options.ts';
import { type RuntimeOptions, runtimeOf } from '../../foundation/runtime.ts';
import { readAbortable } from '../../store/abortable.ts';
import { type WithClient, withStore } from '../../store/given.ts';
import { keyOfItem, walkedItem } from '../../store/table-walk.ts';
import { findNode } from './request/lookup.ts';
import type { EveryReadOptions } from './request/read-context.ts';
import { baseAttributes } from './request/result.ts';
import type { StoredNodeOf } from './types.ts';

/** Options of `scanNodes`. */
export interface ScanNodesOptions<Type extends string = string> extends Omit<EveryReadOptions, 'capacity'> {
  /** The table's store. */
  store: Store & ScanSource;
  /** Type of the nodes to read. */
  type: Type;
  /** The previous page's `lastKey`, to continue after it. */
  startKey?: ItemKey | undefined;
  /** Segment to scan, counted from 0, so that several processes can share a scan. Default: 0. */
  segment?: number | undefined;
  /** Number of segments that the scan is split into. Default: 1. */
  segments?: number | undefined;
  /** Strongly consistent reads, at twice the capacity. Default: false. */
  consistent?: boolean | undefined;
  /** Converts numbers, as in `ReaderOptions`. */
  readNumber?: NumberReader | undefined;
  /** @internal */
  now?: RuntimeOptions['now'];
}

/** A page of a scan. */
export interface ScannedNodes<Node> {
  /** May be empty although more pages follow. */
  items: Node[];
  /** Null at the end of the segment. */
  lastKey: ItemKey | null;
  rcu: number;
}

/**
 * Yields all nodes of a type as their producers wrote them, including soft-deleted ones. Scans the whole table, or one
 * segment of it, at half a read unit per 4 KB. Throws `unknown-type` for a type outside the model.
 *
 * @example
 * for await (const { items } of scanNodes(graph, { store, type: 'GOAL' })) await moveAll(items);
 */
export async function* scanNodes<G extends CompiledModel, T extends NodeType<G>>(
  graph: G,
  given: ScanNodesOptions<T> | WithClient<ScanNodesOptions<T>>,
): AsyncGenerator<ScannedNodes<StoredNodeOf<G, NodeId<G, T>>>, void, undefined> {
  const options = withStore('scanNodes', graph, given);
  checkStoreOptions<ScanNodesOptions>('scanNodes', options, {
    ...{
      store: 'or client',
      type: true,
      startKey: true,
      segment: 'index',
      segments: 'count',
      readNumber: 'function',
      signal: true,
    },
    now: 'internal',
    consistent: 'boolean',
    includeExpired: 'boolean',
  });
  const {
    store,
    type,
    segment = 0,
    segments = 1,
    consistent,
    readNumber = exactNumber,
    signal,
    includeExpired = false,
  } = options;
  const { now } = runtimeOf({ now: options.now });
  findNode(graph, type);
  if (segment >= segments) {
    throw new EdgeloomError(
      'invalid-argument',
      `segment should be below segments, but is ${segment} of ${segments}.`,
      'Segments are counted from 0 on.',
    );
  }
  const { partitionKey, sortKey } = graph.table;
  for (let key = options.startKey; ; ) {
    const startKey = key && { [partitionKey]: { S: key.source }, [sortKey]: { S: key.target } };
    const request = { segment, segments, ...(startKey && { startKey }), ...(consistent && { consistent }) };
    const page = await readAbortable(store, signal, () => store.scan(request));
    const items = page.items.flatMap((item) => {
      const { source, target } = walkedItem(graph, item);
      const kind = classifyBaseItem(graph, source, target, item);
      if (kind.kind !== 'node' || kind.node.type !== type || isGone(undefined, item)) return [];
      if (!includeExpired && hasCome(endOf(kind.node, item), now() / 1000)) return [];
      return { id: source, attributes: baseAttributes({ graph, readNumber }, item) };
    });
    const last = page.lastKey;
    key = last && keyOfItem(graph.table, last);
    // Attribute types are only known at compile time.
    yield { items: items as never, lastKey: key ?? null, rcu: page.rcu };
    if (key === undefined) return;
  }
}
