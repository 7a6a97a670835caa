import type { ConsumedCapacity, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { TableNames } from '../core/model/compiled.ts';
import type { BaseChange, ChangeAllResult, ChangeResult, GetResult } from '../core/store-port.ts';
import {
  failedConditionUnits,
  isRefusalNamed,
  itemThatFailed,
  keyAttributes,
  type SdkItem,
  totalUnits,
  withoutLostValues,
} from './answers.ts';
import { attributeUpdate, conditionOnly } from './base-change.ts';
import { classifyCancellation, classifyError } from './classify.ts';
import type { TableCalls } from './lean/calls.ts';

export async function changeBaseItem(
  calls: TableCalls,
  table: TableNames,
  change: BaseChange,
  read: () => Promise<GetResult>,
): Promise<ChangeResult> {
  const sent = sendChange(calls, table, change);
  try {
    const { Attributes, ConsumedCapacity } = await sent;
    const item = change.kind === 'put' ? change.item : Attributes && withoutLostValues(Attributes);
    return { applied: true, wcu: ConsumedCapacity?.CapacityUnits ?? 0, ...(item && { item }) };
  } catch (error) {
    const current = await itemThatFailed(error, read);
    return { applied: false, wcu: failedConditionUnits(current), ...(current && { current }) };
  }
}

function sendChange(
  calls: TableCalls,
  table: TableNames,
  change: BaseChange,
): Promise<{ Attributes?: SdkItem; ConsumedCapacity?: ConsumedCapacity }> {
  const common = {
    TableName: table.name,
    ReturnConsumedCapacity: 'TOTAL',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  } as const;
  const Key = keyAttributes(table, change.key);
  switch (change.kind) {
    case 'put':
      return calls.callOnce('PutItem', { ...common, Item: change.item as SdkItem, ...conditionOnly(table, change) });
    case 'update':
      return calls.callOnce('UpdateItem', {
        ...common,
        Key,
        ...attributeUpdate(table, change),
        ReturnValues: 'ALL_NEW',
      });
    case 'delete':
      return calls.callOnce('DeleteItem', { ...common, Key, ...conditionOnly(table, change) });
    case 'look':
      throw new TypeError('only a transaction looks at an item');
  }
}

/** The call can be repeated after a lost answer: for ten minutes, DynamoDB applies the changes of a token only once. */
export async function sendTransaction(
  calls: TableCalls,
  items: TransactWriteItem[],
  token: string,
): Promise<ChangeAllResult> {
  try {
    const output = await calls.call('TransactWriteItems', {
      TransactItems: items,
      ClientRequestToken: token,
      ReturnConsumedCapacity: 'TOTAL',
    });
    return { applied: true, wcu: totalUnits(output.ConsumedCapacity) };
  } catch (error) {
    if (!isRefusalNamed(error, 'TransactionCanceledException')) throw classifyError(error);
    const reasons = error.CancellationReasons ?? [];
    const refusal = classifyCancellation(reasons, error);
    if (refusal !== undefined) throw refusal;
    const failed = reasons.flatMap(({ Code, Item }, place) =>
      Code === 'ConditionalCheckFailed' ? [{ place, ...(Item && { current: withoutLostValues(Item) }) }] : [],
    );
    // An estimate, because the exception doesn't contain the units: each item costs at least two, and large items cost
    // more.
    return { applied: false, wcu: 2 * items.length, failed };
  }
}
