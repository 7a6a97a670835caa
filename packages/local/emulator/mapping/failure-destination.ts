import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EdgeloomError } from '../../../../src/foundation/errors.ts';
import type { BufferedRecord } from './batch-buffer.ts';
import type { FailureDestination, GiveUpCondition, InvocationRecord, InvokeResult } from './mapping-types.ts';

/** Records that are given up, and how it came to that. */
export interface GivenUpBatch {
  shardId: string;
  streamArn: string;
  functionArn: string;
  condition: GiveUpCondition;
  /** At least one, oldest first. */
  records: readonly BufferedRecord[];
  invocations: number;
  /** The last invocation; absent where there was none. */
  last?: { requestId: string; result: InvokeResult };
}

/**
 * An on-failure destination that keeps each record in a file of a folder, as S3 would in an object:
 * `edgeloom redrive --from-failure FILE` reads it. Throws `failure-not-written` where the file cannot be written.
 */
export function folderDestination(folder: string): FailureDestination {
  return {
    async send(record) {
      // Named like the objects in S3: the time, without colons, and something random.
      const time = record.timestamp.slice(0, 19).replaceAll(':', '.');
      const file = join(folder, `${time}-${randomUUID()}.json`);
      try {
        await mkdir(folder, { recursive: true });
        await writeFile(file, `${JSON.stringify(record)}\n`, { flush: true });
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new EdgeloomError(
          'failure-not-written',
          `The batch that was given up cannot be kept in ${file}: ${reason}.`,
          'Check the disk and the permissions of the folder.',
          { cause: error },
        );
      }
      return file;
    },
  };
}

/** The record that Lambda would send to an S3 destination. */
export function invocationRecord(batch: GivenUpBatch, nowMs: number): InvocationRecord {
  const { shardId, streamArn, functionArn, condition, records, invocations, last } = batch;
  const first = records[0]!;
  const newest = records.at(-1)!;
  const isError = last?.result.kind === 'error';
  return {
    requestContext: {
      requestId: last?.requestId ?? randomUUID(),
      functionArn,
      condition,
      approximateInvokeCount: invocations,
    },
    ...(last !== undefined && {
      responseContext: {
        statusCode: 200,
        executedVersion: '$LATEST',
        ...(isError && { functionError: 'Unhandled' }),
      },
    }),
    version: '1.0',
    timestamp: new Date(nowMs).toISOString(),
    DDBStreamBatchInfo: {
      shardId,
      startSequenceNumber: first.sequenceNumber,
      endSequenceNumber: newest.sequenceNumber,
      approximateArrivalOfFirstRecord: new Date(first.createdAtMs).toISOString(),
      approximateArrivalOfLastRecord: new Date(newest.createdAtMs).toISOString(),
      batchSize: records.length,
      streamArn,
    },
    payload: JSON.stringify({ Records: records.map(({ record }) => record) }),
  };
}
