import type { ChangeRecord } from '../../src/core/items/change-record.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import type { Store } from '../../src/core/store-port.ts';
import { createProjector } from '../../src/projecting/apply/projector.ts';
import type { BatchResult, ProjectorOptions } from '../../src/projecting/apply/projector-types.ts';
import { MemoryStore } from '../../test/support/memory-store/memory-store.ts';
import type { Item } from './images.ts';
import { keyOf, load } from './table.ts';

/** Throws the error that a batch failed with. */
export function projecting(
  graph: CompiledModel,
  options: ProjectorOptions,
): (records: readonly ChangeRecord[]) => Promise<BatchResult> {
  const projector = createProjector(graph, options);
  return async (records) => {
    const result = await projector.project(records);
    if (result.error !== undefined) throw result.error;
    return result;
  };
}

export function recordsOf(items: readonly Item[]): ChangeRecord[] {
  return items.map((newImage, i) => ({
    ...keyOf(newImage),
    ...{ newImage, stream: 'bench', sequenceNumber: String(i) },
  }));
}

export async function loadProjected(graph: CompiledModel, store: Store, items: readonly Item[]): Promise<void> {
  await load(store, items);
  await projecting(graph, { store })(recordsOf(items));
}

/** Counts capacity, but doesn't simulate time. The contract tests compare its capacity with that of the engines. */
export async function memoryTable(
  { table, indexes }: Pick<CompiledModel, 'table' | 'indexes'>,
  ...items: readonly Iterable<Item>[]
): Promise<MemoryStore> {
  const store = new MemoryStore(table, { indexes });
  for (const some of items) for (const item of some) await store.put(item);
  return store;
}
