import type { ConsumerPosition } from '../../check/confirm.ts';
import { isProjected } from '../../explain/projected.ts';
import { appliedUpToMs, type StreamPosition, streamPosition } from '../../progress/stream-position.ts';
import { createStreamsClient } from '../../store/client.ts';
import { DynamoDBStreamSource } from '../../stream/source.ts';
import { type CommandSession, sessionReader } from './session.ts';

/** Telling how far a table's stream is applied. */
export interface PositionOfStream {
  /** Looks now. */
  look(): Promise<StreamPosition>;
  /** The same for a check. */
  consumer: ConsumerPosition;
  /** Lets its client go. */
  release(): void;
}

/** Tells how far the stream of a session's table is applied. */
export function positionOf(session: CommandSession, streamArn: string): PositionOfStream {
  const { graph, store, settings } = session;
  const streams = createStreamsClient(settings.client);
  const reader = sessionReader(session);
  const source = new DynamoDBStreamSource(streams, streamArn);
  const look = (): Promise<StreamPosition> =>
    streamPosition({ graph, store, source, isProjected: (key) => isProjected(reader, store, key), now: Date.now });
  return {
    look,
    consumer: { appliedUpToMs: async () => appliedUpToMs(await look()) },
    release: () => streams.destroy(),
  };
}
