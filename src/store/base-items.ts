import type { ConsumedCapacity, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { TableNames } from '../core/model/compiled.ts';
import type { BaseChange, ChangeAllResult, ChangeResult, GetResult, ItemKey } from '../core/store-port.ts';
import {
  failedConditionUnits,
  isRefusalNamed,
  itemThatFailed,
  type SdkItem,
  totalUnits,
  withoutLostValues,
} from './answers.ts';
import { attributeUpdate, conditionOnly, transactionPart } from './base-change.ts';
import { classifyCancellation, classifyError } from './classify.ts';
import type { TableCalls } from './lean/calls.ts';

export class BaseItemStore {
  constructor(
    private readonly calls: TableCalls,
    private readonly table: TableNames,
    private readonly read: (key: ItemKey) => Promise<GetResult>,
  ) {}

  async change(change: BaseChange): Promise<ChangeResult> {
    const { key } = change;
    if (change.kind === 'put') {
      const expression = conditionOnly(this.table, change);
      const input = { ...this.commonInput(), Item: change.item as SdkItem, ...expression };
      const result = await this.sendConditional(key, this.calls.callOnce('PutItem', input));
      return result.applied ? { ...result, item: change.item } : result;
    }
    if (change.kind === 'update') {
      const expressions = attributeUpdate(this.table, change);
      const input = { ...this.commonInput(), Key: this.key(key), ...expressions, ReturnValues: 'ALL_NEW' } as const;
      return this.sendConditional(key, this.calls.callOnce('UpdateItem', input));
    }
    if (change.kind === 'look') throw new TypeError('only a transaction looks at an item');
    const expression = conditionOnly(this.table, change);
    const input = { ...this.commonInput(), Key: this.key(key), ...expression };
    return this.sendConditional(key, this.calls.callOnce('DeleteItem', input));
  }

  changeAll(changes: readonly BaseChange[], token: string): Promise<ChangeAllResult> {
    return sendTransaction(
      this.calls,
      changes.map((change) => transactionPart(this.table, change)),
      token,
    );
  }

  private async sendConditional(
    key: ItemKey,
    sent: Promise<{ Attributes?: SdkItem; ConsumedCapacity?: ConsumedCapacity }>,
  ): Promise<ChangeResult> {
    try {
      const { Attributes, ConsumedCapacity } = await sent;
      return {
        applied: true,
        wcu: ConsumedCapacity?.CapacityUnits ?? 0,
        ...(Attributes && { item: withoutLostValues(Attributes) }),
      };
    } catch (error) {
      const current = await itemThatFailed(error, () => this.read(key));
      return { applied: false, wcu: failedConditionUnits(current), ...(current && { current }) };
    }
  }

  private commonInput() {
    return {
      TableName: this.table.name,
      ReturnConsumedCapacity: 'TOTAL',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    } as const;
  }

  private key({ source, target }: ItemKey): SdkItem {
    return { [this.table.partitionKey]: { S: source }, [this.table.sortKey]: { S: target } };
  }
}

/** Applies all changes or none, and only once per token, even if repeated after a lost answer. */
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
    // The exception doesn't contain the cost. Each item costs at least two units; large items cost more.
    return { applied: false, wcu: 2 * items.length, failed };
  }
}
