import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { node } from '../../src/core/model/schema.ts';
import type { RawRecord } from '../../src/stream/decode.ts';
import type { Item } from './images.ts';
import { STREAM_ARN } from './workload.ts';

/** `change` counts the writes. */
export interface Person {
  name: string;
  city: string;
  change: number;
}

export function peopleModel(shards: number) {
  return defineGraph({
    table: 'bench',
    nodes: { PERSON: node({ view: ['name'], search: { name: { shards }, city: { shards: 2 } } }) },
    edges: {},
  });
}

export function personId(i: number): `PERSON-${string}` {
  return `PERSON-${i}`;
}

export function personImage(i: number, { name, city, change }: Person): Item {
  const key = { S: personId(i) };
  return { source: key, target: key, name: { S: name }, city: { S: city }, change: { N: String(change) } };
}

let sequence = 10n ** 30n;

/** Each record has a higher sequence number than the records made before. */
export function personRecord(i: number, before: Person, after: Person, madeAtMs: number): RawRecord {
  sequence += 1n;
  const key = { S: personId(i) };
  return {
    eventName: 'MODIFY',
    eventSourceARN: STREAM_ARN,
    dynamodb: {
      ApproximateCreationDateTime: Math.floor(madeAtMs / 1000),
      Keys: { source: key, target: key },
      OldImage: personImage(i, before),
      NewImage: personImage(i, after),
      SequenceNumber: String(sequence),
      StreamViewType: 'NEW_AND_OLD_IMAGES',
    },
  };
}
