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

/** The calls of a store by their names in DynamoDB. */
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

/** Makes a store's calls to DynamoDB. Errors have the names of the SDK's exceptions. */
export interface TableCalls {
  /** Makes a call with the client's retries. */
  call<Name extends keyof Calls>(name: Name, input: Calls[Name]['input']): Promise<Calls[Name]['output']>;
  region(): Promise<string | undefined>;
  /** Never repeats a call that DynamoDB may have carried out. */
  callOnce<Name extends keyof Calls>(name: Name, input: Calls[Name]['input']): Promise<Calls[Name]['output']>;
}
