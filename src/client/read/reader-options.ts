import { exactNumber, type NumberReader } from '../../core/items/plain.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type { Store } from '../../core/store-port.ts';
import { observedStore, type TelemetryOption } from '../../core/telemetry.ts';
import { checkNumber, checkSecret, checkStoreOptions } from '../../foundation/options.ts';
import { projectionsOfModel } from '../../registry/projections-in-force.ts';
import type { ReaderLeases } from '../../registry/reader-lease.ts';
import type { WatchableFeed } from '../feed/watchable-feed.ts';
import type { CursorKey } from './request/cursor.ts';
import type { ReadContext } from './request/read-context.ts';

/** Options of a reader. */
export interface ReaderOptions extends TelemetryOption {
  /** The table. */
  store: Store;
  /**
   * Secret that cursors are signed with (HMAC-SHA256). Default: cursors only carry a checksum, which anyone can forge.
   */
  cursorKey?: CursorKey | undefined;
  /** The most DynamoDB calls that one read has in flight, at least 1. Default 32. */
  concurrency?: number | undefined;
  /**
   * How a number's text becomes a JS value. Default: a number if it is written back unchanged, else an `ExactNumber`.
   */
  readNumber?: NumberReader | undefined;
  /** Which projections the reader may use. Default: read from the table's registry, once in 30 s. @internal */
  leases?: ReaderLeases | undefined;
  /**
   * Region of the replica that this reader reads, if the table's home is in another region: during a change of the
   * model, answers may mix old and new. Default: reading a replica is refused (`replica-read`).
   */
  replica?: string | undefined;
  /**
   * The current time in milliseconds since 1970, which decides what has ended. Tests can pass a clock of their own.
   * Default: the system's clock.
   */
  now?: (() => number) | undefined;
  /** The process's feed for `watch`, from `startFeed`. */
  feed?: WatchableFeed | undefined;
}

/** Expects checked options. */
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
