import type { Item } from '../core/items/attribute-value.ts';
import { isSequenceNumber } from '../core/items/watermark.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import { EdgeloomError } from '../foundation/errors.ts';
import { imagesOf } from '../stream/changed-items.ts';
import type { RawRecord } from '../stream/raw-record.ts';
import { contentOf } from './contributions.ts';
import { mapped } from './mapped.ts';
import { positionOf } from './position.ts';
import { makerOf, type SourceTable } from './source.ts';

/** The work that a batch of records of a source table asks for. */

/** All that a batch says of one source item. */
export interface ItemWork {
  maker: string;
  /** The number of its first record in the batch: where a retry begins. */
  firstNumber: string;
  firstPlace: number;
  /** The position of its newest record. A batch may hold records that came before. */
  newest: string;
  /** The work on each base item, by the text of its key; the newest record that names a key decides. */
  keys: Map<string, KeyWork>;
  /** The newest image that the mapping does not take, if no later one is taken. */
  poison?: { position: string; error: EdgeloomError; keys: readonly string[] } | undefined;
  /** The newest record whose old image the mapping does not take, and whose new one it does. */
  mendedAt?: string | undefined;
}

/** The work on one base item: the record's content is written, or the source item is read and decides (`settle`). */
export interface KeyWork {
  kind: 'write' | 'settle';
  position: string;
  content: Item | undefined;
}

/**
 * Plans a batch, source item by source item.
 *
 * @param settledBefore records from before this time, in milliseconds since 1970, say only which items changed.
 */
export function planBatch(
  graph: CompiledModel,
  source: SourceTable,
  records: readonly RawRecord[],
  { streamLabel, settledBefore }: { streamLabel: string; settledBefore: number },
): ItemWork[] {
  const works = new Map<string, ItemWork>();
  for (const [place, record] of records.entries()) {
    const number: unknown = record.dynamodb?.SequenceNumber;
    if (!isSequenceNumber(number)) {
      throw new EdgeloomError(
        'invalid-record',
        `A record of the source ${source.table} has no sequence number.`,
        'Give records as a stream of DynamoDB or Lambda gives them: dynamodb.SequenceNumber.',
      );
    }
    const maker = makerOf(source, {
      ...record.dynamodb?.NewImage,
      ...record.dynamodb?.OldImage,
      ...record.dynamodb?.Keys,
    });
    const position = positionOf(streamLabel, number);
    const first = { maker, firstNumber: number, firstPlace: place, newest: position, keys: new Map() };
    const work = works.get(maker) ?? first;
    works.set(maker, work);
    addRecord(graph, source, work, record, { position, settledBefore });
    if (position > work.newest) work.newest = position;
  }
  return [...works.values()];
}

function addRecord(
  graph: CompiledModel,
  source: SourceTable,
  work: ItemWork,
  record: RawRecord,
  { position, settledBefore }: { position: string; settledBefore: number },
): void {
  const { oldImage, newImage, contradiction } = imagesOf(record);
  requireImages(source, record);
  const before = tryToMap(graph, source, oldImage);
  const after = tryToMap(graph, source, newImage);
  // rule: mirror-old-records-only-name-keys
  const kind = contradiction !== undefined || createdMs(record) < settledBefore ? 'settle' : 'write';
  const isLate = position < work.newest;
  const add = (key: string, does: KeyWork): void => {
    // The newest record that names a key decides, wherever it is in the batch.
    if ((work.keys.get(key)?.position ?? '') <= position) work.keys.set(key, does);
  };
  if (after instanceof EdgeloomError) {
    const keys = before instanceof EdgeloomError ? [] : [...before.keys()];
    // Another version may have taken it, and what corrected it since may be lost: a walk names it if it is still not taken.
    if (kind === 'settle' || isLate) {
      for (const key of keys) add(key, { kind: 'settle', position, content: undefined });
      return;
    }
    work.poison = { position, error: after, keys: [...(work.poison?.keys ?? []), ...work.keys.keys(), ...keys] };
    work.mendedAt = undefined;
    return;
  }
  // rule: mirror-buries-what-the-new-image-does-not-make
  const gone = before instanceof EdgeloomError ? [] : [...before.keys()].filter((key) => !after.has(key));
  for (const key of [...(isLate ? [] : (work.poison?.keys ?? [])), ...gone]) {
    add(key, { kind, position, content: undefined });
  }
  for (const [key, item] of after) add(key, { kind, position, content: contentOf(graph, item) });
  if (isLate) return;
  if (before instanceof EdgeloomError || work.poison !== undefined) work.mendedAt = position;
  work.poison = undefined;
}

function tryToMap(
  graph: CompiledModel,
  source: SourceTable,
  image: Item | undefined,
): ReadonlyMap<string, Item> | EdgeloomError {
  try {
    return mapped(graph, source, image);
  } catch (error) {
    if (error instanceof EdgeloomError) return error;
    throw error;
  }
}

/** The time of a record, in milliseconds; one without a time is older than any. */
export function createdMs({ dynamodb }: RawRecord): number {
  const created: unknown = dynamodb?.ApproximateCreationDateTime;
  const milliseconds = created instanceof Date ? created.getTime() : Number(created ?? Number.NaN) * 1000;
  return Number.isFinite(milliseconds) ? milliseconds : Number.NEGATIVE_INFINITY;
}

function requireImages({ table }: SourceTable, { eventName, dynamodb }: RawRecord): void {
  const hasNew = dynamodb?.NewImage !== undefined || eventName === 'REMOVE';
  const hasOld = dynamodb?.OldImage !== undefined || eventName === 'INSERT';
  if (hasNew && hasOld) return;
  throw new EdgeloomError(
    'missing-images',
    `A stream record of the source ${table} (${eventName ?? 'no event name'}) lacks an image.`,
    'Set the stream view type of the source table to NEW_AND_OLD_IMAGES.',
  );
}
