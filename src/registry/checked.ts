import { textOfKey } from '../core/items/keys.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import type { ItemKey, Store } from '../core/store-port.ts';
import { effectiveModel } from './effective.ts';
import type { Registry } from './registry.ts';
import type { DefinitionData } from './revive.ts';
import { standingOf, standingsOf } from './standing.ts';
import { registeredModel, type WriterModel } from './writer-model.ts';

export function modelToCheck(own: CompiledModel, store: Pick<Store, 'get' | 'getMany'>): WriterModel {
  return registeredModel(own, store, modelOfReady);
}

export function modelOfReady(registry: Registry, data: DefinitionData, own: CompiledModel): CompiledModel {
  // rule: check-compares-what-is-ready
  const model = effectiveModel(registry, data, own, ({ state }) => state === 'ready');
  return { ...model, standings: standingsOf(registry, model, data) };
}

/**
 * Returns the keys of items that the registry may treat differently than when the check began, so that findings about
 * them don't count.
 */
export async function keysMovedSince(
  began: CompiledModel,
  { model, store }: { model: WriterModel; store: Pick<Store, 'getMany'> },
  keys: readonly ItemKey[],
): Promise<ReadonlySet<string>> {
  // rule: check-reads-the-registry-again
  if ((await model.current()) === began) return new Set();
  const { items } = await store.getMany(keys, { consistent: true });
  // Reads the registry after the items, so that it knows the generations that the items name.
  // rule: items-are-judged-by-a-registry-read-after-them
  const now = await model.current();
  const moved = keys.filter(({ source, target }, i) => {
    const before = standingOf(began, source, target, items[i] ?? {});
    const after = standingOf(now, source, target, items[i] ?? {});
    // If key and content name no projection, the item may belong to one that has changed.
    return before.name === '' || before.kind !== after.kind || before.name !== after.name;
  });
  return new Set(moved.map(textOfKey));
}
