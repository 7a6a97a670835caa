import { checkOptions } from '../../../../src/foundation/options.ts';
import { type FollowRun, StreamFollower } from '../../../../src/stream/follower.ts';
import type { StartingPoint } from '../../../../src/stream/shard-pages.ts';
import { retryingShard } from '../../../../src/stream/shard-work.ts';
import { isNoShardError, type StreamDescription, type StreamSource } from '../../../../src/stream/source.ts';
import { MappingReport, type MappingRun, mappingRules } from './mapping-run.ts';
import { MappingShard } from './mapping-shard.ts';
import { type EventSourceMapping, MAPPING_SETTINGS, type MappingOptions } from './mapping-types.ts';

/**
 * Makes an event source mapping as Lambda would run it between a table's stream and a function, on this machine: it
 * reads parents before their children, lets through what its filters match, and invokes the function with batches, one
 * at a time for each shard (ParallelizationFactor 1). Failed batches are retried, split and given up by Lambda's rules.
 * Throws an `EdgeloomError` (`invalid-mapping`, `invalid-filter`) for settings that Lambda would refuse.
 *
 * @example
 * const mapping = createEventSourceMapping({
 *   source: new DynamoDBStreamSource(streams, streamArn),
 *   function: await startFunction({ command: { file: 'node', args: ['runtime.mjs'] } }),
 *   functionResponseTypes: ['ReportBatchItemFailures'],
 *   onFailure: folderDestination('failures'),
 * });
 * await mapping.run({ untilIdle: true });
 */
export function createEventSourceMapping(options: MappingOptions): EventSourceMapping {
  checkOptions('createEventSourceMapping', options, {
    ...MAPPING_SETTINGS,
    source: true,
    function: true,
    onFailure: true,
    checkpoint: true,
    pollIntervalMs: true,
    shardIntervalMs: true,
    stopGraceMs: true,
    retryDelayMs: true,
    onInvocation: true,
    onGivenUp: true,
    logger: true,
    now: true,
  });
  const rules = mappingRules(options);
  const report = new MappingReport(options);
  const { source, checkpoint, shardIntervalMs, stopGraceMs, startingPosition } = options;
  let latest = new Map<string, string>();
  const follower = new StreamFollower(source, {
    name: 'mapping',
    checkpoint,
    shardIntervalMs,
    stopGraceMs,
    report,
    async onFirstListing(run, description) {
      if (startingPosition === 'LATEST' && !hasCheckpoint(run)) latest = await latestIterators(run, description);
    },
    open(follow) {
      const run: MappingRun = { ...follow, options, rules, report };
      return (shardId) => {
        const start: StartingPoint = {
          after: run.journal.get(shardId)?.sequenceNumber,
          iterator: latest.get(shardId),
        };
        return new MappingShard(run, shardId, start);
      };
    },
  });
  return {
    run: async (given = {}) => {
      checkOptions('run of a mapping', given, { untilIdle: 'boolean' });
      return report.result(await follower.run(given.untilIdle ?? false));
    },
    idle: () => follower.idle(),
    stop: () => follower.stop(),
  };
}

/** Tells whether a checkpoint exists. The starting position is used without one only: at the very first start. */
function hasCheckpoint({ journal }: FollowRun): boolean {
  return journal.shardIds().length > 0;
}

/** Iterators behind all that the shards hold now; shards that appear later are read from their oldest record. */
async function latestIterators(run: FollowRun, { shards }: StreamDescription): Promise<Map<string, string>> {
  const iterators = new Map<string, string>();
  for (const { shardId } of shards) {
    const iterator = await retryingShard(run, shardId, 'opening', () => latestIterator(run.source, shardId));
    if (iterator !== undefined) iterators.set(shardId, iterator);
  }
  return iterators;
}

/** An iterator behind all records of a shard; undefined where the shard has left the stream since it was listed. */
async function latestIterator(source: StreamSource, shardId: string): Promise<string | undefined> {
  try {
    return await source.latest(shardId);
  } catch (error) {
    if (isNoShardError(error)) return undefined;
    throw error;
  }
}
