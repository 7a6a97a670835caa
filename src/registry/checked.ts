import type { Item } from '../items/attribute-value.ts';
import { classifyDerivedKey } from '../items/derived-key.ts';
import { parseNodeId } from '../items/keys.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { joinedTypes } from '../model/joined.ts';
import type { Store } from '../store/port.ts';
import { effectiveModel } from './effective.ts';
import { readDefinitions, readHead } from './head.ts';
import { ownerOfItem } from './ownership.ts';
import type { Registry } from './registry.ts';
import type { DefinitionData } from './revive.ts';

/**
 * What a check compares: all that is ready. What is being built differs by nature, and what the registry does not know is
 * neither right nor wrong: both are left alone.
 */

/** The model of what is ready in the table's registry; the own one where there is no registry. */
export async function modelToCheck(own: CompiledModel, store: Pick<Store, 'get' | 'getMany'>): Promise<CompiledModel> {
  const reader = { store, stats: { rcu: 0 } };
  const head = await readHead(reader);
  if (head === undefined) return own;
  return checkedModel(head.registry, await readDefinitions(reader, head.registry, new Map()), own);
}

/** The same, of a registry that was read. */
export function checkedModel(registry: Registry, data: DefinitionData, own: CompiledModel): CompiledModel {
  const projections = [...registry.projections].map(([name, { next, generations }]) => {
    return [name, { next, generations: generations.filter(({ state }) => state === 'ready') }] as const;
  });
  const shapes = [...registry.shapes].filter(([, { shape }]) => shape?.trusted === true && shape.ready);
  const ready: Registry = { ...registry, projections: new Map(projections), shapes: new Map(shapes) };
  const model = effectiveModel(ready, data, own);
  return { ...model, concernWith: (source, sortKey, item) => concernWith(registry, model, source, sortKey, item) };
}

function concernWith(
  { projections }: Registry,
  model: CompiledModel,
  source: string,
  sortKey: string,
  item: Item,
): 'checked' | 'building' | 'unknown' {
  const { shapes, edges } = model;
  const key = classifyDerivedKey(sortKey);
  if (key === undefined || key.kind === 'quarantine-entry' || key.kind === 'unknown-item') return 'checked';
  if (key.kind === 'view') return shapes?.has(parseNodeId(source)?.type ?? '') === true ? 'checked' : 'building';
  if (key.kind === 'reverse-item' || key.kind === 'continuation') {
    return edges.get(key.edgeType)?.copy === undefined ? 'building' : 'checked';
  }
  if (key.kind === 'source-continuation') return joinedTypes(model).has(key.edgeType) ? 'checked' : 'building';
  const owner = ownerOfItem(source, sortKey, item);
  // A tombstone that is named by a hash: nothing tells whose it is, and time takes it away.
  if (owner === undefined) return key.generation === 1 ? 'checked' : 'building';
  const projection = projections.get(owner.name);
  if (projection === undefined || owner.generation >= projection.next) return 'unknown';
  const generation = projection.generations.find(({ id }) => id === owner.generation);
  return generation?.state === 'ready' ? 'checked' : 'building';
}
