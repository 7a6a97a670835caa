import { EdgeloomError } from '../errors.ts';
import type { ChangeRecord } from '../items/change-record.ts';
import { isSequenceNumber, streamLabel, Watermarks } from '../items/watermark.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { changedItems } from './changed-items.ts';
import { isBaseSortKey, isContinuationKey } from './filter.ts';
import type { RawRecord } from './raw-record.ts';

export type { RawRecord } from './raw-record.ts';

/** The last second of JS dates. */
const LAST_SECOND = 8.64e12;

/**
 * Decodes stream records; those of derived items are dropped: the projector's own writes must not cause any, but for the
 * continuations of a fan-out. Images are taken over as they are, nothing is unmarshalled. Throws an `EdgeloomError` where
 * the stream does not carry both images.
 *
 * @param streamArn of the stream; default: each record's `eventSourceARN`.
 */
export function decodeRecords(graph: CompiledModel, records: readonly RawRecord[], streamArn?: string): ChangeRecord[] {
  const decoded: ChangeRecord[] = [];
  let arn: string | undefined;
  let watermarks: Watermarks | undefined;
  for (const record of records) {
    const recordArn = streamArn ?? record.eventSourceARN ?? '';
    if (watermarks === undefined || recordArn !== arn) {
      arn = recordArn;
      watermarks = new Watermarks(streamLabel(recordArn));
    }
    decoded.push(...decodeRecord(graph, record, watermarks));
  }
  return decoded;
}

function decodeRecord(graph: CompiledModel, record: RawRecord, watermarks: Watermarks): ChangeRecord[] {
  const { dynamodb } = record;
  const items = changedItems(graph.table, record);
  const number: unknown = dynamodb?.SequenceNumber;
  if (dynamodb == null || items.length === 0 || !isSequenceNumber(number)) {
    const { partitionKey, sortKey } = graph.table;
    throw new EdgeloomError(
      'invalid-record',
      `A stream record has no sequence number or no text keys ${partitionKey} and ${sortKey}.`,
      'Check that the stream belongs to the table of the model, and the key names in its table option.',
    );
  }
  const decoded: ChangeRecord[] = [];
  for (const { source, target, oldImage, newImage } of items) {
    if (!isBaseSortKey(target) && !isContinuationKey(target)) continue;
    checkImages(record, source, target);
    decoded.push({
      source,
      target,
      oldImage,
      newImage,
      position: watermarks.watermarkOf(number),
      sequenceNumber: number,
      stream: watermarks.streamLabel,
      createdAtSeconds: secondsOf(dynamodb.ApproximateCreationDateTime),
    });
  }
  return decoded;
}

function isImageOrAbsent(image: unknown): boolean {
  return image === undefined || (typeof image === 'object' && image !== null && !Array.isArray(image));
}

/** Whole seconds; undefined for what is no time, as only an event made by hand can hold. */
function secondsOf(created: unknown): number | undefined {
  const seconds = Math.floor(created instanceof Date ? created.getTime() / 1000 : Number(created));
  return Math.abs(seconds) <= LAST_SECOND ? seconds : undefined;
}

function checkImages({ eventName, dynamodb }: RawRecord, source: string, target: string): void {
  const needsNew = eventName !== 'REMOVE';
  const needsOld = eventName !== 'INSERT';
  const { NewImage, OldImage } = dynamodb ?? {};
  const isComplete = (!needsNew || NewImage !== undefined) && (!needsOld || OldImage !== undefined);
  if (isComplete && isImageOrAbsent(NewImage) && isImageOrAbsent(OldImage)) return;
  throw new EdgeloomError(
    'missing-images',
    `The stream record of ${source} ${target} (${eventName ?? 'no event name'}) lacks an image, or has one that is no item.`,
    'Set the stream view type to NEW_AND_OLD_IMAGES.',
  );
}
