import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, type NativeAttributeValue, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import pMap from 'p-map';
import { derivedOf } from '../../src/core/plan/derive.ts';
import { viewUpdate } from '../../src/core/plan/writes/view-update.ts';
import { updateExpression } from '../../src/store/expressions.ts';
import { decodeRecords } from '../../src/stream/decode.ts';
import { edgeSetModel } from './models.ts';
import { type Timing, timed } from './paired.ts';

/** Runs the projector's writes in a loop over a DocumentClient. */

export const CONCURRENCY = 32;

type DocumentInput = ConstructorParameters<typeof UpdateCommand>[0];

export function documentInputs(records: Parameters<typeof decodeRecords>[1]): DocumentInput[] {
  const inputs: DocumentInput[] = [];
  for (const { source, target, newImage } of decodeRecords(edgeSetModel, records)) {
    const shares = new Map([[target, derivedOf(edgeSetModel, source, target, newImage)]]);
    const update = viewUpdate(edgeSetModel, source, undefined, { shares, copies: new Map() }, 0);
    const { ExpressionAttributeValues, ...expression } = updateExpression(update, edgeSetModel.table);
    inputs.push({
      TableName: edgeSetModel.table.name,
      Key: update.key,
      ...expression,
      ExpressionAttributeValues: unmarshall(ExpressionAttributeValues!) as Record<string, NativeAttributeValue>,
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      ReturnConsumedCapacity: 'TOTAL',
    });
  }
  return inputs;
}

/** Uses the SDK's default HTTP handler. */
export async function documentClientLoop(endpoint: string, inputs: readonly DocumentInput[]): Promise<Timing> {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const base = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials });
  const documents = DynamoDBDocumentClient.from(base);
  try {
    return await timed(async () => {
      await pMap(inputs, (input) => documents.send(new UpdateCommand(input)), { concurrency: CONCURRENCY });
    });
  } finally {
    base.destroy();
  }
}
