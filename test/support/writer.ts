import { z } from 'zod';
import { createWriter } from '../../src/client/write/writer.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { date, edge, node, rank } from '../../src/core/model/schema.ts';
import type { Store } from '../../src/core/store-port.ts';
import { withReplacedCalls } from '../../src/store/wrapped.ts';
import { testTable, uniqueTableName } from './table.ts';

/** A model of goals, their members and followers, for the tests of the writer. */
export function goals() {
  return defineGraph({
    table: uniqueTableName(),
    nodes: {
      GOAL: node({
        view: 'ALL',
        fields: z.object({ title: z.string(), status: z.string().default('OPEN') }),
        search: { status: { shards: 2 } },
      }),
      USER: node({ view: 'ALL', maxEntries: { addresses: 3 } }),
    },
    edges: {
      GOALMEMBERSHIP: edge({
        from: 'GOAL',
        to: 'USER',
        edgeSet: ['memberRole'],
        inbound: {
          orders: { gsi0: rank('memberRole', { LEAD: 500, CONTRIBUTOR: 400 }), gsi1: date('date') },
          shards: 3,
          project: 'ALL',
        },
      }),
      FOLLOWS: edge({ from: 'USER', to: 'USER', inbound: { orders: { gsi0: 'since' } } }),
      NOTES: edge({ from: 'USER', to: 'GOAL', edgeSet: false }),
    },
  });
}

/** A table with its writer; `commands` collects the names of the calls that really go out. */
export async function writerTable() {
  const table = await testTable(goals());
  const commands: string[] = [];
  table.client.middlewareStack.add(
    (next, context) => (args) => {
      commands.push((context as { commandName?: string }).commandName ?? '');
      return next(args);
    },
    { step: 'initialize' },
  );
  const { store, graph } = table;
  const get = async (source: string, target: string) =>
    (await store.get({ source, target }, { consistent: true })).item;
  // The open writer takes what the typed one refuses at compile time, as a caller in plain JavaScript may give it.
  const openWriter = createWriter(graph as CompiledModel, { store });
  return { ...table, commands, writer: createWriter(graph, { store }), openWriter, get };
}

/** Opens a table with a writer that retries at once; `read` returns an item without its key. */
export async function openWriter<G extends CompiledModel>(graph: G) {
  const table = await testTable(graph);
  const { store } = table;
  const read = async (source: string, target = source) => {
    const { item } = await store.get({ source, target }, { consistent: true });
    if (item === undefined) return undefined;
    const { source: _s, target: _t, ...attributes } = item;
    return attributes;
  };
  return { ...table, writer: createWriter(graph, { store, wait: async () => undefined }), read };
}

/** A writer of the same table, before each of whose changes something else happens. */
export function racingWriter<G extends CompiledModel>(
  { graph, store }: { graph: G; store: Store },
  meanwhile: () => Promise<unknown>,
) {
  const change: Store['change'] = async (asked) => {
    await meanwhile();
    return await store.change(asked);
  };
  return createWriter(graph, { store: withReplacedCalls(store, { change }), wait: async () => undefined });
}
