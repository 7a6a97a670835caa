import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';

/** A GetRecords call: whoever goes on with its iterator is the same reader. */
export interface CountedRead {
  shardId: string;
  reader: number;
  atMs: number;
}

interface Command {
  input?: { ShardId?: string; ShardIterator?: string };
  constructor: { name: string };
}

/** Notes the reads of a stream: which shard each is of, and which reader has made it. Each reader gets iterators of its own. */
export class StreamReaders {
  readonly reads: CountedRead[] = [];
  private readonly places = new Map<string, { iterator: string; shardId: string; reader: number }>();
  private readers = 0;

  /** Makes a call of a client, and notes it. */
  async send(command: Command, call: (command: Command) => Promise<unknown>): Promise<unknown> {
    const { ShardId = '', ShardIterator = '' } = command.input ?? {};
    const place = this.places.get(ShardIterator);
    if (place === undefined) {
      const answer = (await call(command)) as { ShardIterator?: string };
      const { ShardIterator: iterator } = answer;
      if (iterator === undefined) return answer;
      return { ...answer, ShardIterator: this.named({ iterator, shardId: ShardId, reader: this.readers++ }) };
    }
    const { iterator, shardId, reader } = place;
    this.reads.push({ shardId, reader, atMs: Date.now() });
    command.input!.ShardIterator = iterator;
    const answer = (await call(command)) as { NextShardIterator?: string };
    const { NextShardIterator: next } = answer;
    return { ...answer, ...(next !== undefined && { NextShardIterator: this.named({ ...place, iterator: next }) }) };
  }

  private named(place: { iterator: string; shardId: string; reader: number }): string {
    const name = `place-${this.places.size}`;
    this.places.set(name, place);
    return name;
  }
}

/** A streams client whose reads are noted. */
export function countingStreams(streams: DynamoDBStreamsClient): {
  client: DynamoDBStreamsClient;
  reads: CountedRead[];
} {
  const readers = new StreamReaders();
  const call = (command: Command) => streams.send(command as never) as Promise<unknown>;
  const send = (command: Command) => readers.send(command, call);
  return { client: Object.assign(Object.create(streams), { send }) as DynamoDBStreamsClient, reads: readers.reads };
}

/** How many readers each shard has. */
export function readersOf(reads: readonly CountedRead[]): Map<string, number> {
  const readers = new Map<string, Set<number>>();
  for (const { shardId, reader } of reads) readers.set(shardId, (readers.get(shardId) ?? new Set()).add(reader));
  return new Map([...readers].map(([shardId, ids]) => [shardId, ids.size]));
}
