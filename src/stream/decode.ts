import { EdgeloomError } from '../errors.ts';
import { type Item, textOfUntrusted } from '../items/attribute-value.ts';
import type { ChangeRecord } from '../items/change-record.ts';
import { isSequenceNumber, streamLabel, Watermarks } from '../items/watermark.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { isBaseSortKey, isContinuationKey } from './filter.ts';

/**
 * A stream record as the SDK or a Lambda event has it; the two differ in the creation time (a date, or seconds) and in
 * binary values (bytes, or base64 text), which the planner tells apart where it reads one.
 */
export interface RawRecord {
  eventName?: string;
  eventSourceARN?: string;
  dynamodb?: {
    // biome-ignore lint/suspicious/noExplicitAny: the SDK's and Lambda's attribute value types exclude each other
    Keys?: Record<string, any>;
    // biome-ignore lint/suspicious/noExplicitAny: as above
    NewImage?: Record<string, any>;
    // biome-ignore lint/suspicious/noExplicitAny: as above
    OldImage?: Record<string, any>;
    SequenceNumber?: string;
    ApproximateCreationDateTime?: Date | number;
    StreamViewType?: string;
  };
}

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
    const change = decodeRecord(graph, record, watermarks);
    if (change !== undefined) decoded.push(change);
  }
  return decoded;
}

function decodeRecord(graph: CompiledModel, record: RawRecord, watermarks: Watermarks): ChangeRecord | undefined {
  const { dynamodb } = record;
  const keys = dynamodb?.Keys;
  const source = textOfUntrusted(keys?.[graph.table.partitionKey]);
  const target = textOfUntrusted(keys?.[graph.table.sortKey]);
  const number: unknown = dynamodb?.SequenceNumber;
  if (dynamodb == null || source === undefined || target === undefined || !isSequenceNumber(number)) {
    const { partitionKey, sortKey } = graph.table;
    throw new EdgeloomError(
      'invalid-record',
      `A stream record has no sequence number or no text keys ${partitionKey} and ${sortKey}.`,
      'Check that the stream belongs to the table of the model, and the key names in its table option.',
    );
  }
  if (!isBaseSortKey(target) && !isContinuationKey(target)) return undefined;
  checkImages(record, source, target);
  return {
    source,
    target,
    oldImage: dynamodb.OldImage as Item | undefined,
    newImage: dynamodb.NewImage as Item | undefined,
    position: watermarks.watermarkOf(number),
    sequenceNumber: number,
    stream: watermarks.streamLabel,
    createdAtSeconds: secondsOf(dynamodb.ApproximateCreationDateTime),
  };
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
