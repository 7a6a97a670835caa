import { createReader, type Reader } from '../../src/client/read/reader.ts';
import type { ReaderOptions } from '../../src/client/read/reader-options.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { withoutRegistry } from '../../src/registry/reader-lease.ts';
import { createClient } from '../../src/store/client.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';

/** A reader that counts the requests its client sends, by command: `{ QueryCommand: 2 }`. */
export function countingReader<G extends CompiledModel>(
  graph: G,
  endpoint: string,
  options: Omit<ReaderOptions, 'store'> = {},
): { reader: Reader<G>; callsOf: (read: () => Promise<unknown>) => Promise<Record<string, number>> } {
  const client = createClient({ endpoint });
  let calls: Record<string, number> = {};
  client.middlewareStack.add(
    (next, { commandName = 'unknown' }) =>
      (args) => {
        calls[commandName] = (calls[commandName] ?? 0) + 1;
        return next(args);
      },
    { step: 'initialize', name: 'countCalls' },
  );
  // What is read in the registry, once in 30 s, is no part of a read.
  const reader = createReader(graph, {
    leases: withoutRegistry(graph),
    ...options,
    store: new DynamoDBStore(client, graph.table),
  });
  return {
    reader,
    async callsOf(read) {
      calls = {};
      await read();
      return calls;
    },
  };
}

/** Every page of a read, followed by its cursors; throws where they lead on and on. */
export async function allPages<T>(
  read: (cursor: string | undefined) => Promise<{ items: T[]; cursor?: string }>,
): Promise<T[][]> {
  const pages: T[][] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    pages.push(page.items);
    cursor = page.cursor;
    if (pages.length > 10_000) throw new Error('the pages do not end');
  } while (cursor !== undefined);
  return pages;
}
