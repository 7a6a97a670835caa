import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { TableNames } from '../core/model/compiled.ts';
import type { ScanSource, Store } from '../core/store-port.ts';
import { ForwardingStore } from './forwarding.ts';
import type { TableCalls } from './lean/calls.ts';
import { TableStore } from './table-store.ts';

/** The store on DynamoDB. */
export class DynamoDBStore extends ForwardingStore<Store & ScanSource> implements ScanSource {
  /** @param client `createClient`'s, one of your own, or what makes the calls itself. */
  constructor(client: DynamoDBClient | TableCalls, table: TableNames) {
    super(new TableStore(client, table));
  }

  scan(...parameters: Parameters<ScanSource['scan']>): ReturnType<ScanSource['scan']> {
    return this.inner.scan(...parameters);
  }
}
