import { type PositionOfStream, positionOfStream } from '../../explain/position.ts';
import { createStreamsClient } from '../../store/client.ts';
import { DynamoDBStreamSource } from '../../stream/source.ts';
import type { CommandSession } from './session.ts';

/** A position with a client of its own. */
export interface OpenPosition extends PositionOfStream {
  /** Lets the client go. */
  release(): void;
}

/** Tells how far the stream of a session's table is applied. */
export function positionOf({ graph, store, settings }: CommandSession, streamArn: string): OpenPosition {
  const streams = createStreamsClient(settings.client);
  const position = positionOfStream(graph, store, new DynamoDBStreamSource(streams, streamArn));
  return { ...position, release: () => streams.destroy() };
}
