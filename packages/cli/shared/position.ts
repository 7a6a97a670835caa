import { EdgeloomError } from '../../../src/foundation/errors.ts';
import { readHead } from '../../../src/registry/head.ts';
import { identityAtHome } from '../../../src/registry/identity.ts';
import { createStreamsClient } from '../../../src/store/client.ts';
import { tableIdentity } from '../../../src/store/table-description.ts';
import { DynamoDBStreamSource } from '../../../src/stream/dynamodb-source.ts';
import { type PositionOfStream, positionOfStream } from '../../../src/trust/explain/position.ts';
import type { CommandSession } from './session.ts';

export interface OpenPosition extends PositionOfStream {
  release(): void;
}

/** Opens the table's stream, to ask how far it has been applied. */
export function positionOf({ graph, store, settings }: CommandSession, streamArn: string): OpenPosition {
  const streams = createStreamsClient(settings.client);
  const source = new DynamoDBStreamSource(streams, streamArn);
  return {
    ...positionOfStream(graph, store, source, { savesPlaces: true }),
    release: () => streams.destroy(),
  };
}

export function requireStream({ graph }: CommandSession, { streamArn }: { streamArn?: string | undefined }): string {
  if (streamArn !== undefined) return streamArn;
  const message = `The table ${graph.table.name} has no stream.`;
  throw new EdgeloomError('no-stream', message, 'Add it with edgeloom table update.');
}

/** Throws `not-home-region` if this table's derived items are written in another region. */
export async function requireHomeRegion({ client, graph, store }: CommandSession): Promise<void> {
  const head = await readHead({ store, stats: { rcu: 0 } });
  const { table, regions } = await tableIdentity(graph, { client });
  identityAtHome(head?.registry.table, table, regions);
}
