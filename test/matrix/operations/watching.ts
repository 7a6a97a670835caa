import { setImmediate as nextTurn } from 'node:timers/promises';
import { Feed } from '../../../src/client/feed/feed.ts';
import { applyWatchEvent } from '../../../src/feed.ts';
import { type Bench, expectSame, holds } from '../bench.ts';
import type { Kind, Watch } from '../questions.ts';
import { type Operation, RAN } from './operation.ts';

/** The operation of those who watch lists and nodes. */

const WATCHED: readonly Kind[] = ['view', 'search', 'equal', 'inbound'];
/** The lengths of watched lists: one that no list exceeds, and one that rows come into from behind. */
const LIMITS = [1_000, 2];
/** Longer than any reading takes, in milliseconds of the machine's clock. */
const LONGEST_MS = 60_000;

/** Of a list, after it was read. */
const PAUSE_MS = 1_000;

/** One list as the events have made it so far. */
interface Follower {
  watch: Watch;
  limit: number;
  list: unknown[];
}

/** All who watch a table. The records of its stream reach them when the bench says so, and each waits until then. */
class Followers {
  private readonly followers: Follower[] = [];
  private readonly stopping: AbortController[] = [];
  private readonly feed: Feed;
  /** By shard: the place in the stream. */
  private readonly places = new Map<string, string>();
  private waiting = 0;
  private failure: { error: unknown } | undefined;

  constructor(private readonly bench: Bench) {
    this.feed = new Feed(bench.model, {
      now: () => bench.rig.nowMs(),
      wait: (ms, signal) => (ms === PAUSE_MS ? nextTurn() : this.untilRung(signal!)),
    });
  }

  /** Begins to follow the answers to questions. */
  async begin(): Promise<number> {
    await this.deliver();
    for (const { watch } of await this.bench.questions(WATCHED)) {
      if (watch === undefined) continue;
      for (const limit of 'views' in watch.query ? [LIMITS[0]!] : LIMITS) this.follow({ watch, limit, list: [] });
    }
    await this.untilQuiet();
    return this.followers.length;
  }

  private follow(follower: Follower): void {
    const { bench, feed } = this;
    const { watch, limit, list } = follower;
    const stopping = new AbortController();
    this.stopping.push(stopping);
    this.followers.push(follower);
    const query = 'views' in watch.query ? watch.query : { ...watch.query, limit };
    const events = bench.reader(bench.model, bench.rig.store, feed).watch(query, { signal: stopping.signal });
    const followed = async (): Promise<void> => {
      for await (const event of events) applyWatchEvent(list, event);
    };
    followed().catch((error: unknown) => {
      if (!stopping.signal.aborted) this.failure ??= { error };
    });
  }

  /** Hands the new records of the stream on, and waits until all have taken them in. */
  async deliver(): Promise<void> {
    const { feed, places } = this;
    const { stream } = this.bench.rig;
    for (const { shardId } of (await stream.describe()).shards) {
      for (let next = places.get(shardId) ?? (await stream.iterator(shardId, undefined)); ; ) {
        const page = await stream.read(next, 1_000);
        for (const record of page.records) feed.receive(record);
        if (page.next !== undefined) next = page.next;
        places.set(shardId, next);
        if (page.records.length === 0 || page.next === undefined) break;
      }
    }
    await this.untilQuiet();
  }

  /** Each list is the oracle's answer of this moment. A question that is asked no more has the answer that there is nothing. */
  async expectAnswers(what: string): Promise<void> {
    const now = new Map<string, Watch>();
    for (const { watch } of await this.bench.questions(WATCHED)) {
      if (watch !== undefined) now.set(watch.name, watch);
    }
    for (const { watch, limit, list } of this.followers) {
      const { expected, isTied = false } = now.get(watch.name) ?? { expected: [] };
      // Which of equal values comes first, nobody knows.
      if (isTied) continue;
      const text = `${JSON.stringify(watch.query)} of ${limit} at most after ${what}`;
      expectSame(watch.shown?.(list) ?? list, expected.slice(0, limit), text);
    }
  }

  /** Ends all watching. */
  end(): void {
    for (const stopping of this.stopping) stopping.abort(new Error('The cell is over.'));
  }

  private async untilQuiet(): Promise<void> {
    const startedMs = performance.now();
    while (this.waiting < this.followers.length) {
      if (this.failure !== undefined) throw this.failure.error;
      holds(performance.now() - startedMs < LONGEST_MS, 'somebody who watches does not come to an end');
      await nextTurn();
    }
  }

  private async untilRung(signal: AbortSignal): Promise<void> {
    this.waiting += 1;
    await new Promise<void>((_, reject) => {
      signal.addEventListener(
        'abort',
        () => {
          this.waiting -= 1;
          reject(new Error('There is news.'));
        },
        { once: true },
      );
    });
  }
}

/** The column of watching. */
export const WATCHING_OPERATIONS: readonly Operation[] = [
  {
    name: 'watch',
    covers: ['reader.watch', 'library:applyWatchEvent'],
    run: async (bench) => {
      await bench.begin();
      const followers = new Followers(bench);
      try {
        holds((await followers.begin()) > 0, 'nobody watches');
        await followers.expectAnswers('the first page');
        const writes: [string, () => Promise<void>][] = [
          ['a change', () => bench.putAll(1)],
          ['deletes', () => bench.deleteSome()],
          ['another change', () => bench.putAll(2)],
        ];
        for (const [what, write] of writes) {
          await write();
          await bench.consume();
          await followers.deliver();
          await followers.expectAnswers(what);
        }
      } finally {
        followers.end();
      }
      return RAN;
    },
  },
];
