import {
  type ConsumedCapacity,
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { TableNames } from '../model/compiled.ts';
import { failedConditionUnits, itemThatFailed, received, type SdkItem, totalUnits } from './answers.ts';
import { attributeUpdate, conditionOnly, transactionPart } from './base-change.ts';
import { classifyCancellation, classifyError } from './classify.ts';
import { singleAttemptClient } from './client.ts';
import type { BaseChange, ChangeAllResult, ChangeResult, GetResult, ItemKey } from './port.ts';

/** The part of `DynamoDBStore` that changes base items under conditions. */
export class BaseItemStore {
  private single: DynamoDBClient | undefined;

  constructor(
    private readonly client: DynamoDBClient,
    private readonly table: TableNames,
    private readonly read: (key: ItemKey) => Promise<GetResult>,
  ) {}

  async change(change: BaseChange): Promise<ChangeResult> {
    const { key, condition } = change;
    if (change.kind === 'put') {
      const expression = conditionOnly(this.table, condition);
      const command = new PutItemCommand({ ...this.common(), Item: change.item as SdkItem, ...expression });
      const result = await this.conditional(key, (client) => client.send(command));
      return result.applied ? { ...result, item: change.item } : result;
    }
    if (change.kind === 'update') {
      const expressions = attributeUpdate(this.table, change.changes, condition);
      const input = { ...this.common(), Key: this.key(key), ...expressions, ReturnValues: 'ALL_NEW' } as const;
      return this.conditional(key, (client) => client.send(new UpdateItemCommand(input)));
    }
    if (change.kind === 'look') throw new TypeError('only a transaction looks at an item');
    const expression = conditionOnly(this.table, condition);
    const command = new DeleteItemCommand({ ...this.common(), Key: this.key(key), ...expression });
    return this.conditional(key, (client) => client.send(command));
  }

  async changeAll(changes: readonly BaseChange[], token: string): Promise<ChangeAllResult> {
    const command = new TransactWriteItemsCommand({
      TransactItems: changes.map((change) => transactionPart(this.table, change)),
      ClientRequestToken: token,
      ReturnConsumedCapacity: 'TOTAL',
    });
    try {
      const output = await this.client.send(command);
      return { applied: true, wcu: totalUnits(output.ConsumedCapacity) };
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw classifyError(error);
      const reasons = error.CancellationReasons ?? [];
      const refusal = classifyCancellation(reasons, error);
      if (refusal !== undefined) throw refusal;
      const failed = reasons.flatMap(({ Code, Item }, place) =>
        Code === 'ConditionalCheckFailed' ? [{ place, ...(Item && { current: received(Item) }) }] : [],
      );
      // The exception does not say what it cost: two units for each item, more for large ones.
      return { applied: false, wcu: 2 * changes.length, failed };
    }
  }

  private async conditional(
    key: ItemKey,
    send: (client: DynamoDBClient) => Promise<{ Attributes?: SdkItem; ConsumedCapacity?: ConsumedCapacity }>,
  ): Promise<ChangeResult> {
    this.single ??= singleAttemptClient(this.client);
    try {
      const { Attributes, ConsumedCapacity } = await send(this.single);
      return {
        applied: true,
        wcu: ConsumedCapacity?.CapacityUnits ?? 0,
        ...(Attributes && { item: received(Attributes) }),
      };
    } catch (error) {
      const current = await itemThatFailed(error, () => this.read(key));
      return { applied: false, wcu: failedConditionUnits(current), ...(current && { current }) };
    }
  }

  private common() {
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
