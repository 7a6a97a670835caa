import type {
  BatchExecuteStatementCommandInput,
  BatchExecuteStatementCommandOutput,
  BatchGetItemCommandInput,
  BatchGetItemCommandOutput,
  BatchWriteItemCommandInput,
  BatchWriteItemCommandOutput,
  DeleteItemCommandInput,
  DeleteItemCommandOutput,
  DescribeTableCommandInput,
  DescribeTableCommandOutput,
  GetItemCommandInput,
  GetItemCommandOutput,
  PutItemCommandInput,
  PutItemCommandOutput,
  QueryCommandInput,
  QueryCommandOutput,
  ScanCommandInput,
  ScanCommandOutput,
  TransactWriteItemsCommandInput,
  TransactWriteItemsCommandOutput,
  UpdateItemCommandInput,
  UpdateItemCommandOutput,
  UpdateTableCommandInput,
  UpdateTableCommandOutput,
} from '@aws-sdk/client-dynamodb';

/** The calls that a store makes, by the names that DynamoDB has for them. */
export interface Calls {
  GetItem: { input: GetItemCommandInput; output: GetItemCommandOutput };
  BatchGetItem: { input: BatchGetItemCommandInput; output: BatchGetItemCommandOutput };
  BatchExecuteStatement: { input: BatchExecuteStatementCommandInput; output: BatchExecuteStatementCommandOutput };
  UpdateItem: { input: UpdateItemCommandInput; output: UpdateItemCommandOutput };
  Query: { input: QueryCommandInput; output: QueryCommandOutput };
  Scan: { input: ScanCommandInput; output: ScanCommandOutput };
  PutItem: { input: PutItemCommandInput; output: PutItemCommandOutput };
  DeleteItem: { input: DeleteItemCommandInput; output: DeleteItemCommandOutput };
  BatchWriteItem: { input: BatchWriteItemCommandInput; output: BatchWriteItemCommandOutput };
  DescribeTable: { input: DescribeTableCommandInput; output: DescribeTableCommandOutput };
  UpdateTable: { input: UpdateTableCommandInput; output: UpdateTableCommandOutput };
  TransactWriteItems: { input: TransactWriteItemsCommandInput; output: TransactWriteItemsCommandOutput };
}

/** Makes the calls of a store, the lean way or through the SDK. Throws what the SDK throws, by the same names. */
export interface TableCalls {
  /** Makes a call, with the retries that its client is set up with. */
  call<Name extends keyof Calls>(name: Name, input: Calls[Name]['input']): Promise<Calls[Name]['output']>;
  /** The region that the calls go to. */
  region(): Promise<string | undefined>;
  /** Makes a call in one attempt: a change whose answer was lost must not be sent again unseen. */
  callOnce<Name extends keyof Calls>(name: Name, input: Calls[Name]['input']): Promise<Calls[Name]['output']>;
}
