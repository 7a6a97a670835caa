import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { TableNames } from '../core/model/compiled.ts';
import type { KeyTypes, ScanSource, Store } from '../core/store-port.ts';
import { KeyedStore } from './keyed.ts';
import type { TableCalls } from './lean/calls.ts';
import { TableStore } from './table-store.ts';

/** The store on DynamoDB. */
export class DynamoDBStore implements Store, ScanSource {
  private readonly store: Store & ScanSource;

  /** @param client `createClient`'s, one of your own, or what makes the calls itself. */
  constructor(client: DynamoDBClient | TableCalls, table: TableNames) {
    const store = new TableStore(client, table);
    const { rawKeys } = table;
    this.store = rawKeys === undefined ? store : new KeyedStore(store, { ...table, rawKeys });
  }

  async region(): Promise<string | undefined> {
    return await this.store.region?.();
  }

  async keyTypes(): Promise<KeyTypes | undefined> {
    return await this.store.keyTypes?.();
  }

  get(...parameters: Parameters<Store['get']>): ReturnType<Store['get']> {
    return this.store.get(...parameters);
  }

  getMany(...parameters: Parameters<Store['getMany']>): ReturnType<Store['getMany']> {
    return this.store.getMany(...parameters);
  }

  update(...parameters: Parameters<Store['update']>): ReturnType<Store['update']> {
    return this.store.update(...parameters);
  }

  transact(...parameters: Parameters<Store['transact']>): ReturnType<Store['transact']> {
    return this.store.transact(...parameters);
  }

  put(...parameters: Parameters<Store['put']>): ReturnType<Store['put']> {
    return this.store.put(...parameters);
  }

  delete(...parameters: Parameters<Store['delete']>): ReturnType<Store['delete']> {
    return this.store.delete(...parameters);
  }

  writeMany(...parameters: Parameters<Store['writeMany']>): ReturnType<Store['writeMany']> {
    return this.store.writeMany(...parameters);
  }

  change(...parameters: Parameters<Store['change']>): ReturnType<Store['change']> {
    return this.store.change(...parameters);
  }

  changeAll(...parameters: Parameters<Store['changeAll']>): ReturnType<Store['changeAll']> {
    return this.store.changeAll(...parameters);
  }

  query(...parameters: Parameters<Store['query']>): ReturnType<Store['query']> {
    return this.store.query(...parameters);
  }

  scan(...parameters: Parameters<ScanSource['scan']>): ReturnType<ScanSource['scan']> {
    return this.store.scan(...parameters);
  }
}
