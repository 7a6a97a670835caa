import type { Item } from '../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../src/core/items/change-record.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import type { Store } from '../../src/core/store-port.ts';
import { StoreError } from '../../src/foundation/errors.ts';
import type { Logger } from '../../src/foundation/logger.ts';
import { withReplacedCalls } from '../../src/store/wrapped.ts';
import { uniqueTableName } from './table.ts';

/** A small model for the worker's tests: users that follow each other. */
export function followGraph(table: string = uniqueTableName()) {
  return defineGraph({
    table,
    nodes: { USER: node({ view: 'ALL' }) },
    edges: { FOLLOWS: edge({ from: 'USER', to: 'USER', inbound: { orders: { gsi0: 'since' } } }) },
  });
}

/** A user as a base item. */
export function user(id: string, name = id): Item {
  return { source: { S: `USER-${id}` }, target: { S: `USER-${id}` }, name: { S: name } };
}

/** An edge as a base item. */
export function follows(from: string, to: string, since = '2026-01-01'): Item {
  return { source: { S: `USER-${from}` }, target: { S: `FOLLOWS-USER-${to}` }, since: { S: since } };
}

/** What a user's view says: its name, and whom it follows. */
export interface SeenView {
  name?: string;
  follows: string[];
}

/** Reads a user's view; undefined where there is none, or a tombstone. */
export async function viewOf(store: Store, id: string): Promise<SeenView | undefined> {
  const { item } = await store.get({ source: `USER-${id}`, target: '~view' }, { consistent: true });
  const attributes = item?.['attributes'];
  const edgeSet = item?.['edgeSet'];
  const name = attributes !== undefined && 'M' in attributes ? attributes.M['name'] : undefined;
  const elements = edgeSet !== undefined && 'SS' in edgeSet ? edgeSet.SS : [];
  if (attributes === undefined && elements.length === 0) return undefined;
  return {
    ...(name !== undefined && 'S' in name && { name: name.S }),
    follows: elements.map((element) => element.replace('FOLLOWS-USER-', '')).sort(),
  };
}

/** Which users records are of, in order. */
export function idsOf(records: readonly ChangeRecord[]): string[] {
  return records.map(({ source }) => source.replace('USER-', ''));
}

/** A logger that keeps its warnings and errors. */
export function recordingLogger(): Logger & { lines: string[] } {
  const lines: string[] = [];
  const keep = (_details: object, message: string): void => {
    lines.push(message);
  };
  return { lines, debug: () => undefined, info: () => undefined, warn: keep, error: keep };
}

/** The real store, but for updates of some users' items, which fail while `isFailing` says so. */
export function failingStore(store: Store, kind: 'retryable' | 'fatal', isFailing: (id: string) => boolean): Store {
  return withReplacedCalls(store, {
    async update(update) {
      if (!isFailing(update.key.source.replace('USER-', ''))) return await store.update(update);
      throw new StoreError(kind, 'planned', `The table does not take ${update.key.source} now.`);
    },
  });
}
