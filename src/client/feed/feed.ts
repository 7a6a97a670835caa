import type { Abortable } from '../../foundation/runtime.ts';
import type { ReaderLeases } from '../../registry/reader-lease.ts';
import type { ReadContext } from '../read/request/read-context.ts';
import type { SharedAnswer } from './shared-answer.ts';
import { Subscriptions } from './subscriptions.ts';
import { type WatchQuery, watch } from './watch.ts';
import type { WatchEvent } from './watch-types.ts';

/** Tells watching readers what changes in a table. Programs without a feed don't bundle this code. */
export class Feed extends Subscriptions {
  /** Answers that a reader's watchers share, by the question's name. */
  private readonly answers = new WeakMap<ReaderLeases, Map<string, SharedAnswer<unknown>>>();

  /** Watches a list or nodes: see `Reader.watch`. @internal */
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
