import { exactNumber, type NumberReader } from '../../core/items/plain.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type { Store } from '../../core/store-port.ts';
import { observedStore, type TelemetryOption } from '../../core/telemetry.ts';
import { checkSecret, checkStoreOptions } from '../../foundation/options.ts';
import { projectionsOfModel } from '../../registry/projections-in-force.ts';
import type { ReaderLeases } from '../../registry/reader-lease.ts';
import type { Feed } from '../feed/feed.ts';
import type { CursorKey } from './request/cursor.ts';
import type { ReadContext } from './request/read-context.ts';

/** Options of `createReader`. */
export interface ReaderOptions extends TelemetryOption {
  /** The table's store. */
  store: Store;
  /** Secret that signs cursors (HMAC-SHA256). Default: cursors carry a checksum, which anyone can forge. */
  cursorKey?: CursorKey | undefined;
  /** Maximum DynamoDB calls that one read has in flight, at least 1; `includeTarget` may add one. Default: 32. */
  concurrency?: number | undefined;
  /** Converts a number's text to a JavaScript value. Default: a number if no digits are lost, else an `ExactNumber`. */
  readNumber?: NumberReader | undefined;
  /** @internal */
  leases?: ReaderLeases | undefined;
  /**
   * Allows reading a replica in this region if the table's home is another region. During a migration, results may mix
   * old and new projections.
   */
  replica?: string | undefined;
  /**
   * Returns the current time in milliseconds since 1970, which decides whether an item has ended. Default: the system
   * clock.
   */
  now?: (() => number) | undefined;
  /** The process's feed for `watch`, from `startFeed`. */
  feed?: Feed | undefined;
}

export function readContext(graph: CompiledModel, options: ReaderOptions): ReadContext {
  checkStoreOptions('createReader', options, {
    store: 'or client',
    cursorKey: true,
    concurrency: 'count',
    readNumber: 'function',
    leases: 'internal',
    replica: true,
    telemetry: true,
    feed: true,
    now: 'function',
  });
  const { cursorKey, concurrency = 32, readNumber = exactNumber, now = Date.now } = options;
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
