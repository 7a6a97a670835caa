import type { Abortable } from '../../foundation/runtime.ts';
import type { ReaderLeases } from '../../registry/reader-lease.ts';
import type { ReadContext } from '../read/request/read-context.ts';
import type { SharedAnswer } from './shared-answer.ts';
import { Subscriptions } from './subscriptions.ts';
import { type WatchQuery, watch } from './watch.ts';
import type { WatchEvent } from './watch-types.ts';

/** Tells watching readers about changes in a table. */
export class Feed extends Subscriptions {
  private readonly answers = new WeakMap<ReaderLeases, Map<string, SharedAnswer<unknown>>>();

  /** A method, so that programs without a feed don't bundle the code that watches. @internal */
  watch(
    context: ReadContext,
    leases: ReaderLeases,
    query: WatchQuery,
    options?: Abortable,
  ): AsyncGenerator<WatchEvent, void, undefined> {
    const answers = this.answers.get(leases) ?? new Map<string, SharedAnswer<unknown>>();
    this.answers.set(leases, answers);
    return watch(context, leases, { feed: this, answers }, query, options);
  }
}
