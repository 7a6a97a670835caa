import type { StreamRecord, StreamSource } from '../../src/stream/source.ts';

const SHARD = 'shardId-000000000000';

/** A stream of one shard in memory, with the records that a list holds by now. An iterator is a place in the list. */
export function oneShard(streamArn: string, records: readonly StreamRecord[]): StreamSource {
  return {
    streamArn,
    describe: async () => ({ status: 'ENABLED', shards: [{ shardId: SHARD }] }),
    isClosed: async () => false,
    iterator: async (_, after) => {
      if (after === undefined) return '0';
      const place = records.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === after);
      if (place < 0) throw new Error(`The stream has no record ${after}.`);
      return String(place + 1);
    },
    latest: async () => String(records.length),
    read: async (iterator, limit) => {
      const page = records.slice(Number(iterator), Number(iterator) + limit);
      return { records: page, next: String(Number(iterator) + page.length) };
    },
  };
}
