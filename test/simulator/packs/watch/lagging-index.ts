import type { Item } from '../../../../src/core/items/attribute-value.ts';
import type { Store } from '../../../../src/core/store-port.ts';
import { StoreError } from '../../../../src/foundation/errors.ts';
import type { RawRecord } from '../../../../src/stream/decode.ts';
import type { MemoryStore } from '../../../support/memory-store/memory-store.ts';
import { ObservedStreams } from '../observer/stream.ts';
import type { Shard } from '../projecting/streams.ts';
import type { World } from '../projecting/world.ts';

/** The longest time that an index lags behind the table, in milliseconds. */
export const INDEX_LAG_MS = 3_000;

/** The table's streams, which also bring each change to the indexes, at a time of its own: in order for each item only. */
export class StreamsWithIndex extends ObservedStreams {
  index: MemoryStore | undefined;
  world: World | undefined;
  private readonly shownMs = new Map<string, number>();

  override arrived(shard: Shard, raw: RawRecord, atMs: number): void {
    super.arrived(shard, raw, atMs);
    const { index, world } = this;
    if (index === undefined || world === undefined) return;
    const { key } = this.shardsById.get(shard.id)!.records.at(-1)!;
    const name = `${key.source} ${key.target}`;
    const lag = world.choices.drawn(`index.${world.writes}.${name}`, (random) =>
      random.chance(0.3) ? 0 : random.below(INDEX_LAG_MS),
    );
    const shownMs = Math.max(this.shownMs.get(name) ?? 0, atMs + lag);
    this.shownMs.set(name, shownMs);
    const image = raw.dynamodb?.NewImage as Item | undefined;
    world.agenda.in(shownMs - atMs, () => {
      if (image === undefined) void index.delete(key);
      else void index.put(image);
      return false;
    });
  }
}

/** The table as a reader sees it: indexes lag, calls take their time, and some of them fail. */
export function readerStore(
  world: World,
  index: MemoryStore,
  wait: (ms: number) => Promise<void>,
  name: string,
): Store {
  let calls = 0;
  const call = async <T>(run: () => Promise<T>): Promise<T> => {
    const { choices, climate } = world;
    const named = `${name}.call${calls++}`;
    await wait(1 + choices.drawn(`${named}.takes`, (random) => random.below(random.oneOf([5, 50, 2_000]))));
    if (choices.chance(`${named}.fails`, climate.fault / 20)) {
      world.count('reads that failed');
      throw new StoreError('retryable', 'simulated', 'A simulated failure.');
    }
    const result = await run();
    await wait(1 + choices.drawn(`${named}.answers`, (random) => random.below(random.oneOf([5, 50, 2_000]))));
    return result;
  };
  const reads: Pick<Store, 'get' | 'getMany' | 'query'> = {
    get: (key, options) => call(() => world.table.get(key, options)),
    getMany: (keys, options) => call(() => world.table.getMany(keys, options)),
    query: (request) => call(() => (request.index === undefined ? world.table : index).query(request)),
  };
  return reads as Store;
}
