import type { CompiledModel } from '../../core/model/compiled.ts';
import type { Store } from '../../core/store-port.ts';
import { type RuntimeOptions, runtimeOf } from '../../foundation/runtime.ts';
import { saveAppliedPlaces } from '../../stream/progress/applied-places.ts';
import { isProjectedIn } from '../../stream/progress/projected.ts';
import { publishedPosition, publishedUpToMs } from '../../stream/progress/published-position.ts';
import { appliedUpToMs, type StreamPosition, streamPosition } from '../../stream/progress/stream-position.ts';
import { isTemporaryError, StreamWalk } from '../../stream/progress/stream-walk.ts';
import type { StreamSource } from '../../stream/source.ts';
import type { ConsumerPosition } from '../check/consumer-position.ts';
import type { LagKnowledge } from './base-item.ts';

export interface PositionOfStream {
  look(): Promise<StreamPosition>;
  /** Returns the position that another process, such as an observer, published recently; otherwise reads the stream. */
  latest(): Promise<StreamPosition>;
  /**
   * @param graceMs how long a difference may last in the check. If it is short, the stream is read, because a published
   * position may be too old.
   */
  consumer(graceMs: number): ConsumerPosition;
}

const PUBLISHED_GRACE_MS = 30_000;

export interface PositionOptions {
  /** @internal */
  now?: RuntimeOptions['now'];
  /**
   * Saves how far each shard is applied if finding that out took many reads, so that the next process begins there.
   * Default: false.
   */
  savesPlaces?: boolean | undefined;
}

/** GetRecords calls per shard that a look may take without counting as far. Reading only a shard's end takes two. */
const FAR_PAGES = 5;

/** Create one per process, because it remembers what it has read. */
export function positionOfStream(
  graph: CompiledModel,
  store: Store,
  source: StreamSource,
  options: PositionOptions = {},
): PositionOfStream {
  const { now } = runtimeOf(options);
  const context = { store, source, now, isProjected: isProjectedIn(graph, { store }) };
  const published = { ...context, graph };
  const walk = new StreamWalk(published);
  const look = async (): Promise<StreamPosition> => {
    const position = await streamPosition(graph, { ...context, walk });
    const isFar = position.streamReads > position.shards.length * FAR_PAGES;
    if (isFar && options.savesPlaces === true) await saveAppliedPlaces(published, position.shards);
    return position;
  };
  const appliedNow = async (): Promise<number | undefined> => {
    try {
      return appliedUpToMs(await look());
    } catch (error) {
      // A shard may leave the stream between listing and reading, which must not end a check.
      if (isTemporaryError(error)) return undefined;
      throw error;
    }
  };
  const appliedLately = async (): Promise<number | undefined> =>
    (await publishedUpToMs(published)) ?? (await appliedNow());
  return {
    look,
    latest: async () => (await publishedPosition(published)) ?? (await look()),
    consumer: (graceMs) => ({ appliedUpToMs: graceMs < PUBLISHED_GRACE_MS ? appliedNow : appliedLately }),
  };
}

export async function lagOfStream(position: Pick<PositionOfStream, 'look'> | undefined): Promise<LagKnowledge> {
  if (position === undefined) return { isApplied: false, text: 'The table has no stream, so nothing is projected' };
  const { lookedAtMs, shards } = await position.look();
  // Includes the time, because the position may be different a second later.
  const when = `At ${new Date(lookedAtMs).toISOString().slice(11, 19)}Z`;
  const behindSeconds = Math.round(Math.max(0, ...shards.map((shard) => shard.behindSeconds)));
  if (shards.some(({ isWhole }) => !isWhole) && behindSeconds === 0) {
    return { isApplied: undefined, text: `${when} the stream was not read to its end (edgeloom status says more)` };
  }
  if (shards.some(({ atEnd }) => !atEnd)) {
    return {
      isApplied: false,
      text: `${when} the consumers were ${behindSeconds} s behind (edgeloom status says more)`,
    };
  }
  const isCertain = shards.every((shard) => shard.isCertain);
  return {
    isApplied: isCertain ? true : undefined,
    text: isCertain ? `${when} all records were applied` : `${when} the consumers may not have come to it`,
  };
}

export function lagSecondsOf({ shards }: Pick<StreamPosition, 'shards'>): number | undefined {
  if (shards.some(({ isCertain }) => !isCertain)) return undefined;
  return Math.max(0, ...shards.map(({ behindSeconds }) => behindSeconds));
}
