import type { Abortable } from '../../foundation/runtime.ts';
import type { ReaderLeases } from '../../registry/reader-lease.ts';
import type { ReadContext } from '../read/request/read-context.ts';
import { Feed } from './feed.ts';
import { type WatchQuery, watch } from './watch.ts';
import type { WatchEvent } from './watch-types.ts';

/** A feed for readers. Only programs with a feed bundle the code that watches. */
export class WatchableFeed extends Feed {
  /** Watches a list or nodes: see `Reader.watch`. */
  watch(context: ReadContext, leases: ReaderLeases, query: WatchQuery, options?: Abortable): AsyncIterable<WatchEvent> {
    return watch(context, leases, this, query, options);
  }
}
