import { exactNumber, type NumberReader } from '../../core/items/plain.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type { Store } from '../../core/store-port.ts';
import { observedStore, type TelemetryOption } from '../../core/telemetry.ts';
import { checkNumber, checkSecret, checkStoreOptions } from '../../foundation/options.ts';
import { projectionsOfModel } from '../../registry/projections-in-force.ts';
import type { ReaderLeases } from '../../registry/reader-lease.ts';
import type { WatchableFeed } from '../feed/watchable-feed.ts';
import type { ReadContext } from './request/context.ts';
import type { CursorKey } from './request/cursor.ts';

/** Options of a reader. */
export interface ReaderOptions extends TelemetryOption {
  /** The table. */
  store: Store;
  /** Secret that cursors are signed with (HMAC-SHA256). Default: cursors carry a checksum, which anyone can make. */
  cursorKey?: CursorKey | undefined;
  /** DynamoDB calls that one read has in flight at once, 1 and up. Default 32. */
  concurrency?: number | undefined;
  /** How number text becomes a JS value in results. Default: a number where a write takes it back as the same, else an `ExactNumber`. */
  readNumber?: NumberReader | undefined;
  /** Tells the reader which projections it may use. Default: the table's registry, read once in 30 s. @internal */
  leases?: ReaderLeases | undefined;
  /**
   * Region of a replica that this reader reads, where the table is at home in another: while the model changes it may answer with
   * a mixture. Default: reading a replica is refused (`replica-read`).
   */
  replica?: string | undefined;
  /** The time, in milliseconds since 1970, by which items are over. A test gives one that it moves. Default: the system's clock. */
  now?: (() => number) | undefined;
  /** The process's feed, for `watch`: `startFeed` gives it. */
  feed?: WatchableFeed | undefined;
}

/** The context of a reader's reads, from checked options. */
export function readContext(graph: CompiledModel, options: ReaderOptions): ReadContext {
  checkStoreOptions('createReader', options, {
    store: true,
    cursorKey: true,
    concurrency: true,
    readNumber: true,
    leases: true,
    replica: true,
    telemetry: true,
    feed: true,
    now: true,
  });
  const { cursorKey, concurrency = 32, readNumber = exactNumber, now = Date.now } = options;
  checkNumber('concurrency of createReader', concurrency, { least: 1, isWhole: true });
  checkSecret('cursorKey', cursorKey, 'a cursor');
  const store = observedStore(options, graph);
  return {
    graph,
    projections: projectionsOfModel(graph),
    ...{ store, stored: store },
    cursorKey,
    concurrency,
    readNumber,
    now,
  };
}
