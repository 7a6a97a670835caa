import { join } from 'node:path';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { EdgeloomError } from '../../src/foundation/errors.ts';
import type { Logger } from '../../src/foundation/logger.ts';
import { isTable, type Source, type SourceKeys } from '../../src/sources/source.ts';
import { openSources } from '../../src/sources/sources.ts';
import { SourceProgress } from '../../src/sources/status.ts';
import { makeSourceTable } from '../../src/store/make-source-table.ts';
import { DynamoDBSourceStore } from '../../src/store/source-table.ts';
import { fileCheckpoint } from '../../src/stream/checkpoint.ts';
import { DynamoDBStreamSource } from '../../src/stream/dynamodb-source.ts';
import { StreamFollower } from '../../src/stream/follower.ts';
import { RunReport } from '../../src/stream/run-report.ts';
import type { LocalTable } from './local-table.ts';
import { type Mirror, MirrorShard } from './mirror-shard.ts';

/** Options of the mirrors of a local table. */
export interface LocalSourcesOptions {
  /** Databases whose items are made into the table: those that the model file exports. A table that is absent is made, and its stream followed. Default: none. */
  sources?: readonly Source[] | undefined;
}

/** The mirrors of a local table. */
export interface LocalMirrors {
  /** Resolves when all that was written to the sources up to now is mirrored; projected it is later. Rejects where a mirror or the engine ends before. */
  idle(): Promise<void>;
  /** Resolves when they were stopped; rejects with the error that one gave up with. */
  ended: Promise<void>;
}

/** Running mirrors. */
export interface RunningMirrors {
  mirrors: LocalMirrors;
  /** Finishes the batches in hand. Calling it again is fine. */
  stop(): Promise<void>;
}

/** Starts the mirrors of sources, in this process: each follows the stream of its table. */
export async function startLocalMirrors(
  graph: CompiledModel,
  table: LocalTable,
  options: {
    sources: readonly Source[];
    dataDir?: string | undefined;
    pollIntervalMs: number;
    logger?: Logger | undefined;
  },
): Promise<RunningMirrors> {
  const { sources, dataDir, pollIntervalMs, logger } = options;
  const followers: StreamFollower[] = [];
  for (const source of sources.filter(isTable)) {
    const streamArn = await ensureSource(table, source);
    const mirror = mirrorOf(graph, table, source, pollIntervalMs);
    followers.push(
      new StreamFollower(new DynamoDBStreamSource(table.streams, streamArn), {
        name: 'worker',
        checkpoint: dataDir === undefined ? undefined : fileCheckpoint(join(dataDir, `checkpoint-${source.name}.json`)),
        report: new RunReport(logger),
        open: (run) => (shardId) => new MirrorShard({ ...run, mirror }, shardId),
      }),
    );
  }
  const all = Promise.all(followers.map((follower) => follower.run(false))).then(() => undefined);
  const ended = Promise.race([all, table.loss]);
  // `ended` tells of a failure. A program that does not use it goes on without.
  ended.catch(() => undefined);
  return {
    mirrors: {
      idle: () =>
        Promise.race([Promise.all(followers.map((follower) => follower.idle())).then(() => undefined), table.loss]),
      ended,
    },
    stop: async () => {
      await Promise.all(followers.map((follower) => follower.stop()));
    },
  };
}

type LocalSource = Source & { from: SourceKeys };

function mirrorOf(
  graph: CompiledModel,
  { client, store }: LocalTable,
  source: LocalSource,
  pollIntervalMs: number,
): Mirror {
  const openTable = (name: string): DynamoDBSourceStore => new DynamoDBSourceStore(client, name);
  const { touchTexts } = openSources(graph, { sources: [source], store, openTable });
  const progress = new SourceProgress(graph, store, source.name);
  return { source, touchTexts, progress, pollIntervalMs };
}

/** Creates a source table where it is absent; gives its stream's ARN. Throws `table-differs` where it has no stream. */
async function ensureSource({ client }: LocalTable, source: LocalSource): Promise<string> {
  const streamArn = await makeSourceTable(client, { name: source.name, keys: source.from });
  if (streamArn !== undefined) return streamArn;
  throw new EdgeloomError(
    'table-differs',
    `The kept source table ${source.name} has no stream.`,
    'Use another data folder, or give the table a stream.',
  );
}
