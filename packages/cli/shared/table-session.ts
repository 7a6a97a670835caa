import type { Command } from 'commander';
import type { Feed } from '../../../src/client/feed/feed.ts';
import { createReader } from '../../../src/client/read/reader.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import type { Store } from '../../../src/core/store-port.ts';
import { EdgeloomError, StoreError } from '../../../src/foundation/errors.ts';
import { losslessNumber } from '../../../src/foundation/exact-json.ts';
import { deferredCalls } from '../../../src/store/client/deferred.ts';
import { isLoopback } from '../../../src/store/client/options.ts';
import { DynamoDBStore } from '../../../src/store/dynamodb.ts';
import { type ModelSession, openModel, settingsOf } from './model.ts';
import { type Output, print } from './output.ts';

export interface TableSession extends ModelSession {
  store: DynamoDBStore;
}

/** Returns a reader that keeps the exact digits of numbers. With a feed, it can watch. */
export function sessionReader({ graph, store }: { graph: CompiledModel; store: Store }, feed?: Feed) {
  return createReader(graph, { store, feed, readNumber: losslessNumber });
}

/** Runs a command with model and table, and prints its output. Loads the SDK only if a call needs it. */
export function inTable<Args extends unknown[]>(run: (session: TableSession, ...args: Args) => Promise<Output>) {
  return async (...args: [...Args, Command]): Promise<void> => {
    const { settings, graph } = await openModel(settingsOf(args));
    const calls = deferredCalls(settings.client, isLoopback(settings.client.endpoint));
    try {
      const session = { settings, graph, store: new DynamoDBStore(calls, graph.table) };
      print(await run(session, ...(args.slice(0, -1) as Args)), settings.json);
    } catch (error) {
      // DynamoDB's own message doesn't name the table.
      if (error instanceof StoreError && error.code === 'ResourceNotFoundException')
        throw new EdgeloomError('no-table', `There is no table ${graph.table.name}.`, error.hint, { cause: error });
      throw error;
    } finally {
      await calls.close();
    }
  };
}
