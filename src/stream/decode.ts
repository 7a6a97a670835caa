import { type ChangeRecord, isSequenceNumber } from '../core/items/change-record.ts';
import { streamLabel } from '../core/items/stream-arn.ts';
import { type CompiledModel, derivedSearches, layersOf } from '../core/model/compiled.ts';
import { isBaseSortKey, isContinuationKey } from '../core/plan/stream-filter.ts';
import { EdgeloomError } from '../foundation/errors.ts';
import { changedItem } from './changed-items.ts';
import type { RawRecord } from './raw-record.ts';

export type { RawRecord } from './raw-record.ts';

const LAST_SECOND = 8.64e12;

/**
 * Decodes stream records. Drops records of derived items, except continuations of fan-outs, so that the projector's own
 * writes don't cause further writes. Throws `invalid-record`, or `missing-images` if the model needs images that the
 * stream doesn't have.
 *
 * @param streamArn the ARN of the stream. Default: each record's `eventSourceARN`.
 */
export function decodeRecords(graph: CompiledModel, records: readonly RawRecord[], streamArn?: string): ChangeRecord[] {
  const decoded: ChangeRecord[] = [];
  let arn: string | undefined;
  let stream: string | undefined;
  for (const record of records) {
    const recordArn = streamArn ?? record.eventSourceARN ?? '';
    if (stream === undefined || recordArn !== arn) {
      arn = recordArn;
      stream = streamLabel(recordArn);
    }
    decodeRecord(graph, record, stream, decoded);
  }
  return decoded;
}

function decodeRecord(graph: CompiledModel, record: RawRecord, stream: string, decoded: ChangeRecord[]): void {
  const { table } = graph;
  const item = changedItem(table, record);
  const number: unknown = record.dynamodb?.SequenceNumber;
  if (item === undefined || !isSequenceNumber(number)) {
    const { partitionKey, sortKey } = table;
    throw new EdgeloomError(
      'invalid-record',
      `A stream record has no sequence number or no text keys ${partitionKey} and ${sortKey}.`,
      'Check that the stream belongs to the table of the model, and the key names in its table option.',
    );
  }
  const { source, target, oldImage, newImage, contradiction } = item;
  if (!isBaseSortKey(target) && !isContinuationKey(target)) return;
  const isPartial = contradiction !== undefined || lacksImage(record);
  if (isPartial && contradiction === undefined && needsImages(graph)) throw missingImagesError(record, source, target);
  decoded.push({
    source,
    target,
    oldImage,
    newImage,
    stream,
    sequenceNumber: number,
    createdAtSeconds: secondsOf(record.dynamodb?.ApproximateCreationDateTime),
    ...(isPartial && { isPartial }),
  });
}

export function secondsOf(created: unknown): number | undefined {
  const seconds = Math.floor(created instanceof Date ? created.getTime() / 1000 : Number(created));
  return Math.abs(seconds) <= LAST_SECOND ? seconds : undefined;
}

function lacksImage({ eventName, dynamodb }: RawRecord): boolean {
  const { NewImage, OldImage } = dynamodb ?? {};
  return (NewImage === undefined && eventName !== 'REMOVE') || (OldImage === undefined && eventName !== 'INSERT');
}

function needsImages(graph: CompiledModel): boolean {
  return layersOf(graph).some(
    ({ nodes, edges }) =>
      [...edges.values()].some(({ keys }) => keys === 'hashed') ||
      [...nodes.values()].some(({ searches }) => derivedSearches(searches).some(({ multiValue }) => multiValue)),
  );
}

function missingImagesError({ eventName }: RawRecord, source: string, target: string): EdgeloomError {
  return new EdgeloomError(
    'missing-images',
    `The stream record of ${source} ${target} (${eventName ?? 'no event name'}) lacks an image, which a search by several values, or an edge with a hashed key, needs.`,
    'Set the stream view type to NEW_AND_OLD_IMAGES.',
  );
}
