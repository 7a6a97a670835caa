import { join } from 'node:path';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { EdgeloomError } from '../../src/foundation/errors.ts';
import type { Logger } from '../../src/foundation/logger.ts';
import { openSources } from '../../src/sources/create-sources.ts';
import { isTable, type Source, type SourceKeys } from '../../src/sources/source.ts';
import { SourceProgress } from '../../src/sources/status.ts';
import { createClient, createStreamsClient } from '../../src/store/client.ts';
import { findTable, streamArnOf } from '../../src/store/described-table.ts';
import { DynamoDBSourceStore, makeSourceTable } from '../../src/store/source-table.ts';
import { fileCheckpoint } from '../../src/stream/checkpoint.ts';
import { DynamoDBStreamSource } from '../../src/stream/dynamodb-source.ts';
import { StreamFollower } from '../../src/stream/follower.ts';
import { RunReport } from '../../src/stream/run-report.ts';
import type { LocalTable } from './local-table.ts';
import { type Mirror, MirrorShard } from './mirror-shard.ts';

/** Options of the mirrors of a local table. */
export interface LocalSourcesOptions {
  /** Sources to mirror, as the model file exports them. Only tables are followed. Default: none. */
  sources?: readonly Source[] | undefined;
  /**
   * Endpoint of a running engine that has the source tables with their own indexes and their streams, such as `http://127.0.0.1:8000`.
   * Default: the engine that `startLocal` starts, which creates missing source tables.
   */
  sourceEndpoint?: string | undefined;
}

/** The mirrors of a local table. */
export interface LocalMirrors {
  /**
   * Resolves when all writes to the sources so far are mirrored, though not yet projected. Rejects if a mirror or the engine ends first.
   */
  idle(): Promise<void>;
  /** Resolves when the mirrors stop, and rejects with the error that ended one of them. */
  ended: Promise<void>;
}

export async function startLocalMirrors(
  graph: CompiledModel,
  table: LocalTable,
  options: {
    sources: readonly Source[];
    sourceEndpoint?: string | undefined;
    dataDir?: string | undefined;
    pollIntervalMs: number;
    logger?: Logger | undefined;
  },
) {
  const { sources, sourceEndpoint: endpoint, dataDir, pollIntervalMs, logger } = options;
  const followers: StreamFollower[] = [];
  // Opens all sources, so that each mirror knows which claims the others declare.
  const { touchTexts } = openSources(graph, {
    sources,
    store: table.store,
    openTable: (name) => new DynamoDBSourceStore(engine.client, name),
  });
  const engine =
    endpoint === undefined ? table : { client: createClient({ endpoint }), streams: createStreamsClient({ endpoint }) };
  const stop = async (): Promise<void> => {
    await Promise.all(followers.map((follower) => follower.stop()));
    if (endpoint === undefined) return;
    engine.client.destroy();
    engine.streams.destroy();
  };
  const followerOf = async (source: LocalSource): Promise<StreamFollower> => {
    const { name } = source;
    const streamArn = await streamOfSource(engine.client, source, endpoint);
    const progress = new SourceProgress(graph, table.store, name);
    const mirror: Mirror = { source, touchTexts, progress, pollIntervalMs };
    return new StreamFollower(new DynamoDBStreamSource(engine.streams, streamArn), {
      name: 'worker',
      checkpoint: dataDir === undefined ? undefined : fileCheckpoint(join(dataDir, `checkpoint-${name}.json`)),
      report: new RunReport(logger),
      open: (run) => (shardId) => new MirrorShard({ ...run, mirror }, shardId),
    });
  };
  try {
    for (const source of sources.filter(isTable)) followers.push(await followerOf(source));
  } catch (error) {
    await stop();
    throw error;
  }
  const all = Promise.all(followers.map((follower) => follower.run(false))).then(() => undefined);
  const ended = Promise.race([all, table.loss]);
  // `ended` reports a failure, but a program may ignore it.
  ended.catch(() => undefined);
  return {
    mirrors: {
      idle: () =>
        Promise.race([Promise.all(followers.map((follower) => follower.idle())).then(() => undefined), table.loss]),
      ended,
    },
    stop,
  };
}

async function streamOfSource(
  client: DynamoDBClient,
  { name, from: keys }: LocalSource,
  endpoint: string | undefined,
): Promise<string> {
  const streamArn =
    endpoint === undefined
      ? await makeSourceTable(client, { name, keys })
      : streamArnOf((await findTable(client, name)) ?? {});
  if (streamArn !== undefined) return streamArn;
  throw new EdgeloomError(
    'table-differs',
    endpoint === undefined
      ? `The kept source table ${name} has no stream.`
      : `${endpoint} has no table ${name} with a stream.`,
    'Give the table a stream, or use another data folder or endpoint.',
  );
}

type LocalSource = Source & { from: SourceKeys };
