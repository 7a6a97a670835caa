import { isDeepStrictEqual } from 'node:util';
import type { Feed } from '../../../../src/client/feed/feed.ts';
import { type RunningFeed, startFeedOf } from '../../../../src/client/feed/start-feed.ts';
import type { WatchQuery } from '../../../../src/client/feed/watch.ts';
import { applyWatchEvent } from '../../../../src/client/feed/watch-types.ts';
import { createReader } from '../../../../src/client/read/reader.ts';
import { readContext } from '../../../../src/client/read/reader-options.ts';
import { withoutRegistry } from '../../../../src/registry/reader-lease.ts';
import type { StreamSource } from '../../../../src/stream/source.ts';
import { MemoryStore } from '../../../support/memory-store/memory-store.ts';
import { SECOND } from '../projecting/time.ts';
import type { World } from '../projecting/world.ts';
import { INDEX_LAG_MS, readerStore, type StreamsWithIndex } from './lagging-index.ts';

const USERS = ['USER-1', 'USER-2|a=%7C'] as const;
const GOALS = ['GOAL-1', 'GOAL-2', 'GOAL-3'] as const;
const MOST_WATCHERS = 8;
/** How long all has to be quiet before the lists are judged: longer than any wait of a watcher. */
const CALM_MS = 4 * 3600 * SECOND;
const REST_CHECK_MS = 600 * SECOND;
/** Who polls in vain polls less and less often, and who waits for long waits longer: the producers may pause for days. */
const [LONGEST_POLL_MS, LONG_WAIT_MS, LONGER] = [600 * SECOND, 10 * SECOND, 60];

/** One who watches a list, and the list as the events have made it. */
interface Watcher {
  name: string;
  query: WatchQuery;
  list: unknown[];
  events: number;
}

/** The process that reads the stream and those who watch, beside everything else. */
export class Watching {
  private readonly watchers: Watcher[] = [];
  private readonly index: MemoryStore;
  private running: RunningFeed | undefined;
  private readonly waitingForFeed: ((feed: Feed) => void)[] = [];
  private feeds = 0;
  /** Entries of the agenda that watching has made. */
  private own = 0;
  private quietSinceMs: number | undefined;
  isJudged = false;

  constructor(
    private readonly world: World,
    private readonly streams: StreamsWithIndex,
  ) {
    this.index = new MemoryStore(world.graph.table);
    streams.index = this.index;
    streams.world = world;
  }

  start(): void {
    const { choices } = this.world;
    const queries = queriesOf(this.world);
    const count = 1 + choices.pick('watchers', MOST_WATCHERS);
    for (let i = 0; i < count; i++) {
      const query = queries[choices.pick(`watcher${i}.query`, queries.length)]!;
      const limit = 1 + choices.pick(`watcher${i}.limit`, 3);
      const isReverse = choices.chance(`watcher${i}.reverse`, 0.5);
      const name = `watcher${i}`;
      const list = 'views' in query ? query : { ...query, limit, reverse: isReverse };
      const watcher: Watcher = { name, query: list as WatchQuery, list: [], events: 0 };
      this.watchers.push(watcher);
      const delay = choices.drawn(`${name}.start`, (random) =>
        random.chance(0.4) ? 0 : random.below(random.oneOf([3_000, 60_000])),
      );
      this.in(1 + delay, () => void this.watch(watcher));
    }
    this.in(1, () => void this.readStream());
    this.rest();
  }

  /** Reads the stream, until the process crashes or the stream ends; then another process begins. */
  private async readStream(): Promise<void> {
    const { world, streams } = this;
    const { choices, agenda } = world;
    for (;;) {
      const name = `feed${this.feeds++}`;
      const source = this.repeating(name, streams.source());
      const { streamArn } = source;
      let poll = SECOND;
      let writes = world.writes;
      let reading: AbortSignal | undefined;
      this.running = await startFeedOf(world.graph, source, {
        now: () => agenda.now,
        wait: async (ms, signal) => {
          // Who reads the stream is the first to wait: who watches reads a list before.
          reading ??= signal;
          if (signal === reading) {
            if (choices.chance(`${name}.crashes${agenda.now}`, world.climate.fault / 10)) throw new Error('it crashes');
            if (streams.streamArn !== streamArn) throw new Error('there is another stream');
            poll = world.writes === writes ? Math.min(LONGEST_POLL_MS, poll * 2) : SECOND;
            ({ writes } = world);
          }
          // Those who watch wait for longer than a poll.
          await (ms < LONG_WAIT_MS ? this.wait(Math.max(ms, poll), signal) : this.wait(ms * LONGER, signal));
        },
        indexGraceMs: INDEX_LAG_MS,
        pollIntervalMs: SECOND,
      });
      world.count('feeds');
      for (const tell of this.waitingForFeed.splice(0)) tell(this.running.feed);
      await this.running.ended;
      this.running = undefined;
      await this.wait(1 + choices.drawn(`${name}.away`, (random) => random.below(60_000)));
    }
  }

  /** The stream, as one reads it who has read some of its records before: an older one than the newest may come first. */
  private repeating(name: string, source: StreamSource): StreamSource {
    const { choices } = this.world;
    return {
      ...source,
      latest: async (shardId) => {
        const newest = await source.latest(shardId);
        if (!choices.chance(`${name}.${shardId}.repeats`, 0.5)) return newest;
        this.world.count('records that come again');
        return await source.iterator(shardId, undefined);
      },
    };
  }

  private async watch(watcher: Watcher): Promise<void> {
    const { world } = this;
    const { graph } = world;
    const store = readerStore(world, this.index, (ms) => this.wait(ms), watcher.name);
    const context = readContext(graph, { store });
    for (;;) {
      try {
        const feed = this.running?.feed ?? (await this.nextFeed());
        for await (const event of feed.watch(context, withoutRegistry(graph), watcher.query)) {
          applyWatchEvent(watcher.list, event);
          watcher.events += 1;
          world.count(`watched: ${event.type}`);
          world.tell(() => `${watcher.name}: ${JSON.stringify(event)}`);
        }
      } catch (error) {
        // The stream is read by another process, or a read has failed: the watcher begins anew.
        world.count('watchers that began anew');
        world.tell(() => `${watcher.name}: ${String(error)}`);
      }
      await this.wait(SECOND);
    }
  }

  private nextFeed(): Promise<Feed> {
    return new Promise((resolve) => this.waitingForFeed.push(resolve));
  }

  /** Once nothing but watching is at work, for long enough, each list is judged. */
  private rest(): void {
    this.in(REST_CHECK_MS, () => {
      const { world } = this;
      const { agenda } = world;
      if (agenda.size > this.own) this.quietSinceMs = undefined;
      else this.quietSinceMs ??= agenda.now;
      if (this.quietSinceMs === undefined || agenda.now - this.quietSinceMs < CALM_MS) return this.rest();
      void this.judge();
    });
  }

  private async judge(): Promise<void> {
    const { world } = this;
    const reader = createReader(world.graph, { store: world.table, leases: withoutRegistry(world.graph) });
    for (const { name, query, list } of this.watchers) {
      const expected = await answerOf(reader as never, query);
      if (expected.length > 0) world.count('lists with rows');
      if (isDeepStrictEqual(list, expected)) continue;
      const [shown, right] = [list, expected].map((rows) => JSON.stringify(rows));
      world.fail('diverged', `${name} of ${JSON.stringify(query)} shows ${shown} for ${right}`);
    }
    this.isJudged = true;
  }

  private in(milliseconds: number, run: () => void): void {
    this.own += 1;
    this.world.agenda.in(milliseconds, () => {
      this.own -= 1;
      run();
      return true;
    });
  }

  private wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = (): void => reject(signal?.reason as Error);
      this.in(milliseconds, () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      });
      signal?.addEventListener('abort', abort, { once: true });
    });
  }
}

/** The lists and nodes of a model that can be watched. */
function queriesOf({ graph }: World): object[] {
  const lists = [...graph.edges.values()].flatMap(({ type, inbound, to }) => {
    if (inbound === undefined) return [];
    const partitions = inbound.partition === undefined ? [undefined] : ['one', 'two'];
    const targets = to.has('USER') ? USERS : GOALS;
    return [...inbound.orders.values()].flatMap(({ name }) =>
      partitions.flatMap((partition) =>
        targets.map((target) => ({ inbound: [target, type], order: name, ...(partition && { partition }) })),
      ),
    );
  });
  const searches = [...graph.nodes.values()].flatMap((node) =>
    [...node.searches.values()].map(({ indexPartition }) => ({ search: indexPartition })),
  );
  return [...lists, ...searches, { views: [...GOALS, ...USERS] }];
}

/** The answer to a query, by the reader's own methods. */
async function answerOf(reader: ReturnType<typeof createReader>, query: WatchQuery): Promise<unknown[]> {
  if ('views' in query) return await reader.getViews(query.views, { consistent: true });
  if ('inbound' in query) {
    const { inbound, ...options } = query;
    return (await reader.inbound(inbound[0] as never, inbound[1] as never, options as never)).items;
  }
  const { search, limit, reverse } = query as { search: string; limit?: number; reverse?: boolean };
  return (await reader.search(search as never).find({} as never, { limit, reverse } as never)).items as unknown[];
}
