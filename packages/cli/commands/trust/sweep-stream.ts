import { createStreamsClient } from '../../../../src/store/client.ts';
import { describeTable } from '../../../../src/store/table-description.ts';
import { DynamoDBStreamSource } from '../../../../src/stream/dynamodb-source.ts';
import { sweepInTurn } from '../../../../src/trust/observe/sweep-in-turn.ts';
import { emptyRedrive } from '../../../../src/trust/repair/redrive.ts';
import type { CommandSession } from '../../shared/session.ts';

/** Reconciles records that no consumer claimed. Does nothing without a stream, or while an observer reads it. */
export async function sweepStream({ graph, store, client, settings }: CommandSession) {
  const { streamArn } = await describeTable(graph, { client });
  if (streamArn === undefined) return { result: emptyRedrive(), swept: 0 };
  const streams = createStreamsClient(settings.client);
  try {
    const source = new DynamoDBStreamSource(streams, streamArn);
    const { repaired, ...result } = (await sweepInTurn({ graph, store, source })) ?? emptyRedrive();
    return { result: { ...result, entries: 0, repaired: 0 }, swept: repaired };
  } finally {
    streams.destroy();
  }
}
