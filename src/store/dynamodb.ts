import type {
  BatchGetItemCommandInput,
  ConsumedCapacity,
  DynamoDBClient,
  GetItemCommandInput,
  QueryCommandOutput,
  ScanCommandInput,
  TableDescription,
  UpdateItemCommandInput,
  UpdateTableCommandInput,
  WriteRequest,
} from '@aws-sdk/client-dynamodb';
import type { Item } from '../core/items/attribute-value.ts';
import { isKeyWithinLimits, textOfKey } from '../core/items/keys.ts';
import type { TableNames } from '../core/model/compiled.ts';
import type {
  BaseChange,
  BatchWaits,
  BatchWrite,
  ChangeAllResult,
  ChangeResult,
  DeleteResult,
  DerivedUpdate,
  GetManyResult,
  GetResult,
  ItemKey,
  NativeQueryRequest,
  QueryRequest,
  QueryResult,
  ReadManyOptions,
  ReadOptions,
  RevisionCondition,
  ScanPage,
  ScanRequest,
  ScanSource,
  Store,
  TransactResult,
  UpdateManyOptions,
  UpdateOutcome,
  UpdateResult,
  WayOfWriting,
  WriteManyResult,
  WriteResult,
} from '../core/store-port.ts';
import { StoreError } from '../foundation/errors.ts';
import {
  failedConditionUnits,
  isRefusalNamed,
  isUnreadable,
  itemThatFailed,
  keyAttributes,
  requireAnswer,
  type SdkItem,
  totalUnits,
  withClassifiedErrors,
  withoutLostValues,
} from './answers.ts';
import { transactionPart } from './base-change.ts';
import { changeBaseItem, sendTransaction } from './base-items.ts';
import { classifyError } from './classify.ts';
import { deleteCondition, nativeQueryInput, queryInput, updateExpression } from './expressions.ts';
import { withIndexKeyNames } from './index-key-names.ts';
import { timeOfAnswer } from './lean/answer-time.ts';
import type { TableCalls } from './lean/calls.ts';
import { callsOf } from './lean/known-calls.ts';
import { StatementWrites, type WritingCalls } from './statement-writes.ts';
import { keyOfItem } from './table-walk.ts';
import { untilProcessed } from './unprocessed.ts';

/** DynamoDB's errors while another change to the table is under way. */
const OF_ANOTHER_CHANGE: ReadonlySet<string> = new Set(['ResourceInUseException', 'LimitExceededException']);
const BATCH_GET_KEYS = 100;
const BATCH_WRITE_ITEMS = 25;

/** Reads and writes a table in DynamoDB. */
export class DynamoDBStore implements Store, ScanSource {
  private readonly asking: TableCalls;
  private readonly plain: TableCalls;
  private readonly statements: StatementWrites;
  private readonly asksForUnits: boolean = true;

  /**
   * @param client a client from `createClient`, another client of the AWS SDK, or an implementation of `TableCalls`.
   */
  constructor(
    client: DynamoDBClient | TableCalls,
    private readonly table: TableNames,
  ) {
    const calls = callsOf(client);
    this.asking = withIndexKeyNames(calls, table);
    this.plain = withIndexKeyNames(unaskedCalls(calls), table);
    this.statements = new StatementWrites(table);
  }

  private get calls(): TableCalls {
    return this.asksForUnits ? this.asking : this.plain;
  }

  region(): Promise<string | undefined> {
    return this.calls.region();
  }

  async serverTime(): Promise<number | undefined> {
    return timeOfAnswer(await this.callDescribe());
  }

  async describe(): Promise<TableDescription> {
    return requireAnswer((await this.callDescribe()).Table, 'DescribeTable', 'Table');
  }

  private async callDescribe() {
    return await withClassifiedErrors(() => this.calls.call('DescribeTable', { TableName: this.table.name }));
  }

  async changeTable(change: UpdateTableCommandInput): Promise<void> {
    await withClassifiedErrors(async () => {
      // Not retried: if the answer is lost, the table's next description tells whether the change has begun.
      await this.calls.callOnce('UpdateTable', change).catch((error: unknown) => {
        if (!(error instanceof Error) || !OF_ANOTHER_CHANGE.has(error.name)) throw error;
      });
    });
  }

  async get(key: ItemKey, { consistent }: ReadOptions): Promise<GetResult> {
    // A base item may name an id that is too long for a key.
    if (!isKeyWithinLimits(key)) return { rcu: 0 };
    const input: GetItemCommandInput = {
      TableName: this.table.name,
      Key: this.key(key),
      ConsistentRead: consistent,
      ReturnConsumedCapacity: 'TOTAL',
    };
    const output = await withClassifiedErrors(() => this.calls.call('GetItem', input));
    if (output.Item !== undefined)
      return { item: withoutLostValues(output.Item), rcu: unitsOf(output.ConsumedCapacity) };
    if (!this.asksForUnits) return { rcu: 0 };
    // Without an item, only the requested capacity shows that the answer is complete.
    return { rcu: unitsOf(requireAnswer(output.ConsumedCapacity, 'GetItem', 'ConsumedCapacity')) };
  }

  async getMany(keys: readonly ItemKey[], options: ReadManyOptions): Promise<GetManyResult> {
    const possible = keys.filter(isKeyWithinLimits);
    // BatchGetItem refuses repeated keys.
    const distinct = [...new Map(possible.map((key) => [textOfKey(key), key])).values()];
    const found = new Map<string, Item>();
    let rcu = 0;
    let calls = 0;
    for (let start = 0; start < distinct.length; start += BATCH_GET_KEYS) {
      const chunk = distinct.slice(start, start + BATCH_GET_KEYS).map((key) => this.key(key));
      const result = await this.getChunk(chunk, options);
      rcu += result.rcu;
      calls += result.calls;
      for (const item of result.items) found.set(textOfKey(keyOfItem(this.table, item)), item);
    }
    return { items: keys.map((key) => found.get(textOfKey(key))), rcu, calls };
  }

  private async getChunk(
    keys: SdkItem[],
    { consistent, ...waits }: ReadManyOptions,
  ): Promise<{ items: Item[]; rcu: number; calls: number }> {
    const items: Item[] = [];
    let rcu = 0;
    let calls = 0;
    const send = async (rest: SdkItem[]): Promise<SdkItem[]> => {
      const input: BatchGetItemCommandInput = {
        RequestItems: { [this.table.name]: { Keys: rest, ConsistentRead: consistent } },
        ReturnConsumedCapacity: 'TOTAL',
      };
      const output = await withClassifiedErrors(() => this.calls.call('BatchGetItem', input));
      calls += 1;
      rcu += totalUnits(output.ConsumedCapacity);
      const responses = requireAnswer(output.Responses, 'BatchGetItem', 'Responses');
      for (const item of responses[this.table.name] ?? []) items.push(withoutLostValues(item));
      return output.UnprocessedKeys?.[this.table.name]?.Keys ?? [];
    };
    // Unprocessed keys needn't mean throttling: a call returns at most 16 MB.
    await untilProcessed(keys, send, { ...waits, pauses: false });
    return { items, rcu, calls };
  }

  async update(update: DerivedUpdate): Promise<UpdateResult> {
    const input: UpdateItemCommandInput = {
      TableName: this.table.name,
      Key: this.key(update.key),
      ...updateExpression(update, this.table),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      ReturnConsumedCapacity: 'TOTAL',
    };
    try {
      const output = await this.calls.call('UpdateItem', input);
      return { applied: true, wcu: unitsOf(output.ConsumedCapacity) };
    } catch (error) {
      const current = await itemThatFailed(error, () => this.get(update.key, { consistent: true }));
      return { applied: false, wcu: failedConditionUnits(current), current };
    }
  }

  async updateMany(updates: readonly DerivedUpdate[], options?: UpdateManyOptions): Promise<readonly UpdateOutcome[]> {
    const calls: WritingCalls = {
      update: (update) => this.update(update),
      execute: (input) => this.calls.call('BatchExecuteStatement', input),
    };
    return await this.statements.updateMany(updates, calls, options);
  }

  async writesBy(): Promise<WayOfWriting | undefined> {
    return this.statements.by;
  }

  async transact(updates: readonly DerivedUpdate[]): Promise<TransactResult> {
    const { applied, wcu } = await sendTransaction(
      this.calls,
      updates.map((update) => ({
        Update: { TableName: this.table.name, Key: this.key(update.key), ...updateExpression(update, this.table) },
      })),
      globalThis.crypto.randomUUID(),
    );
    return { applied, wcu };
  }

  async put(item: Item): Promise<WriteResult> {
    const input = { TableName: this.table.name, Item: item as SdkItem, ReturnConsumedCapacity: 'TOTAL' } as const;
    const output = await withClassifiedErrors(() => this.calls.call('PutItem', input));
    return { wcu: unitsOf(output.ConsumedCapacity) };
  }

  async delete(key: ItemKey, unchanged?: RevisionCondition): Promise<DeleteResult> {
    try {
      const output = await this.calls.call('DeleteItem', {
        TableName: this.table.name,
        Key: this.key(key),
        ReturnConsumedCapacity: 'TOTAL',
        ...(unchanged && deleteCondition(unchanged)),
        ...(unchanged && { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
      });
      return { applied: true, wcu: unitsOf(output.ConsumedCapacity) };
    } catch (error) {
      const isFailed = isRefusalNamed(error, 'ConditionalCheckFailedException');
      if (!isFailed && !isUnreadable(error)) throw classifyError(error);
      const current = isFailed ? error.Item : undefined;
      return { applied: false, wcu: failedConditionUnits(current && withoutLostValues(current)) };
    }
  }

  async writeMany(writes: readonly BatchWrite[], waits?: BatchWaits): Promise<WriteManyResult> {
    let wcu = 0;
    let calls = 0;
    const send = async (rest: WriteRequest[]): Promise<WriteRequest[]> => {
      const input = { RequestItems: { [this.table.name]: rest }, ReturnConsumedCapacity: 'TOTAL' } as const;
      const output = await withClassifiedErrors(() => this.calls.call('BatchWriteItem', input));
      calls += 1;
      wcu += totalUnits(output.ConsumedCapacity);
      return output.UnprocessedItems?.[this.table.name] ?? [];
    };
    for (let start = 0; start < writes.length; start += BATCH_WRITE_ITEMS) {
      const requests: WriteRequest[] = writes
        .slice(start, start + BATCH_WRITE_ITEMS)
        .map((write) =>
          'put' in write
            ? { PutRequest: { Item: write.put as SdkItem } }
            : { DeleteRequest: { Key: this.key(write.delete) } },
        );
      // Unprocessed writes usually mean throttling.
      await untilProcessed(requests, send, { ...waits, pauses: true });
    }
    return { wcu, calls };
  }

  change(change: BaseChange): Promise<ChangeResult> {
    return changeBaseItem(this.calls, this.table, change, () => this.get(change.key, { consistent: true }));
  }

  changeAll(changes: readonly BaseChange[], token: string): Promise<ChangeAllResult> {
    const parts = changes.map((change) => transactionPart(this.table, change));
    return sendTransaction(this.calls, parts, token);
  }

  async query(request: QueryRequest): Promise<QueryResult> {
    const index = request.index && this.table.indexNames[request.index];
    const output = await this.ofIndex(index, this.calls.call('Query', queryInput(this.table, request)));
    return this.pageOf(output, request.countOnly === true ? [] : requireAnswer(output.Items, 'Query', 'Items'));
  }

  async queryNative(request: NativeQueryRequest): Promise<QueryResult> {
    // Always asks for units, because each page of a native list has a budget.
    const sent = this.asking.call('Query', nativeQueryInput(this.table, request));
    const output = await this.ofIndex(request.index.name, sent);
    return this.pageOf(output, requireAnswer(output.Items, 'Query', 'Items'));
  }

  private pageOf(output: QueryCommandOutput, items: SdkItem[]): QueryResult {
    return {
      items: items.map(withoutLostValues),
      count: requireAnswer(output.Count, 'Query', 'Count'),
      scanned: output.ScannedCount ?? output.Count ?? 0,
      lastKey: output.LastEvaluatedKey as Item | undefined,
      rcu: unitsOf(output.ConsumedCapacity),
    };
  }

  async scan({ segment, segments, startKey, limit, consistent, index }: ScanRequest): Promise<ScanPage> {
    const input: ScanCommandInput = {
      TableName: this.table.name,
      ...(index !== undefined && { IndexName: this.table.indexNames[index] }),
      Segment: segment,
      TotalSegments: segments,
      ...(consistent === true && { ConsistentRead: true }),
      ReturnConsumedCapacity: 'TOTAL',
      ...(startKey !== undefined && { ExclusiveStartKey: startKey as SdkItem }),
      ...(limit !== undefined && { Limit: limit }),
    };
    const output = await this.ofIndex(input.IndexName, this.calls.call('Scan', input));
    return {
      items: requireAnswer(output.Items, 'Scan', 'Items').map(withoutLostValues),
      lastKey: output.LastEvaluatedKey as Item | undefined,
      rcu: unitsOf(output.ConsumedCapacity),
    };
  }

  private async ofIndex<Output>(index: string | undefined, sent: Promise<Output>): Promise<Output> {
    return await sent.catch((error: unknown) => {
      const failure = classifyError(error);
      throw missingIndexError(this.table, index, failure) ?? failure;
    });
  }

  private key(key: ItemKey): SdkItem {
    return keyAttributes(this.table, key);
  }
}

/**
 * Returns the same store without requests for consumed units. Except in `queryNative`, results then have 0 units or an
 * estimate.
 */
export function withoutUnits(store: Store): Store {
  // Inheriting from the store keeps methods that were replaced on it.
  return store instanceof DynamoDBStore ? Object.create(store, { asksForUnits: { value: false } }) : store;
}

function unaskedCalls(calls: TableCalls): TableCalls {
  const plain = <Input extends object>({
    ReturnConsumedCapacity: _,
    ...input
  }: Input & { ReturnConsumedCapacity?: unknown }) => input as Input;
  return {
    call: (name, input) => calls.call(name, plain(input)),
    callOnce: (name, input) => calls.callOnce(name, plain(input)),
    region: () => calls.region(),
  };
}

function unitsOf(consumed: ConsumedCapacity | undefined): number {
  return consumed?.CapacityUnits ?? 0;
}

function missingIndexError({ name }: TableNames, index: string | undefined, error: StoreError): StoreError | undefined {
  if (index === undefined || error.code !== 'ValidationException') return undefined;
  if (/key schema element/i.test(error.message)) {
    const message = `The index ${index} of the table ${name} has other keys than the model needs.`;
    const hint = 'Give the index another name in the model (table.indexes), and run edgeloom migrate.';
    return new StoreError('fatal', 'no-index', message, hint, { cause: error });
  }
  if (!/(specified index|index not found|no such index|index: )/i.test(error.message)) return undefined;
  // Retryable, because the index becomes ready by itself.
  if (/backfilling/i.test(error.message)) {
    const message = `DynamoDB still builds the index ${index} of the table ${name}, which the model needs.`;
    const hint = 'Wait until edgeloom table describe names it as filling no more.';
    return new StoreError('retryable', 'no-index', message, hint, { cause: error });
  }
  const message = `The table ${name} has no index ${index}, which the model needs.`;
  return new StoreError('fatal', 'no-index', message, 'edgeloom migrate adds it.', { cause: error });
}
