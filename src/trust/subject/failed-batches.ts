import type { CompiledModel } from '../../core/model/compiled.ts';
import { checkStoreOptions } from '../../foundation/options.ts';
import type { BucketAccess } from '../failures/failure-message.ts';
import { type FailureSources, tryRedriveMessage } from '../failures/failure-queue.ts';
import type { RedriveOptions } from '../repair/redrive.ts';
import type { ErasedBatches } from './erase-subject.ts';
import type { SubjectNames } from './subject-names.ts';

/** Options of `failedBatchEraser`: the buckets in which failed batches are searched. */
export interface BatchPlaces extends Pick<FailureSources, 'streams'>, BucketAccess, Pick<RedriveOptions, 'store'> {
  /** Names of the buckets. */
  buckets: readonly string[];
  /** Yields the keys of a bucket's objects. */
  listObjects: (bucket: string) => AsyncIterable<string>;
}

/**
 * Returns a function that erases the failed batches that name a subject. A batch also has records of other items, so
 * all of it is reconciled before its object is deleted.
 */
export function failedBatchEraser(
  graph: CompiledModel,
  options: BatchPlaces,
): (names: SubjectNames) => Promise<ErasedBatches> {
  checkStoreOptions('failedBatchEraser', options, {
    store: true,
    buckets: true,
    listObjects: 'function',
    readObject: 'function',
    deleteObject: 'function',
    streams: true,
  });
  const { store, buckets, listObjects, readObject, deleteObject, streams } = options;
  return async (names) => {
    const erased = { deleted: 0, remains: [] as { where: string; what: string }[] };
    for (const bucket of buckets) {
      for await (const key of listObjects(bucket)) {
        const text = await readObject(bucket, key);
        if (![...jsonTexts(text)].some((one) => names.namingIn(one) !== undefined)) continue;
        const { left, reasons } = await tryRedriveMessage(
          key,
          text,
          { streams, readObject, buckets },
          { graph, store },
        );
        if (left > 0) {
          erased.remains.push({ where: `s3://${bucket}/${key}`, what: `a failed batch: ${reasons.join('; ')}` });
          continue;
        }
        await deleteObject(bucket, key);
        erased.deleted += 1;
      }
    }
    return erased;
  };
}

/** Yields all strings, including those in nested JSON such as the event of a failed batch. */
function* jsonTexts(text: string): Generator<string> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // An object that isn't a failed batch may also name the subject.
    yield text;
    return;
  }
  yield* textsOf(value);
}

function* textsOf(value: unknown): Generator<string> {
  if (typeof value === 'string') {
    if (value.startsWith('{')) yield* jsonTexts(value);
    else yield value;
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, entry] of Object.entries(value)) {
      yield name;
      yield* textsOf(entry);
    }
  }
}
