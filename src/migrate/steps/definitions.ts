import type { CompiledModel } from '../../core/model/compiled.ts';
import { type IndexProjection, indexNamedIn } from '../../registry/definition.ts';
import { keptOf } from '../../registry/effective.ts';
import { compileLayers } from '../../registry/layer.ts';
import { isLive, type Registry } from '../../registry/registry.ts';
import { type DefinitionData, reviveDefinition } from '../../registry/revive.ts';
import type { SeenState } from '../../registry/transitions.ts';

export function builtModel(
  generations: readonly (SeenState & { definition: string })[],
  { version }: Registry,
  data: DefinitionData,
  graph: CompiledModel,
): CompiledModel {
  const parts = generations.map(({ name, id, definition }) => {
    return { definition: reviveDefinition(name, definition, data, graph), kept: keptOf(id) };
  });
  // Empty `shapes` leave out the views.
  return { ...compileLayers(parts, graph, `@${version}`), shapes: new Map() };
}

/**
 * Returns the index to delete with a retired generation. Undefined if the generation has items instead, if the model
 * names the index itself (the table may have had it before), or if another generation uses it.
 */
export function retiredIndex(
  { projections }: Registry,
  data: DefinitionData,
  { name, id }: SeenState,
): string | undefined {
  const { generations = [] } = projections.get(name) ?? {};
  const definition = generations.find((one) => one.id === id)?.definition;
  const known = definition === undefined ? undefined : data.get(definition);
  const { isNamed = false } = (known ?? {}) as Partial<IndexProjection>;
  const isShared = generations.some((other) => other.id !== id && isLive(other));
  return isNamed || isShared ? undefined : indexNamedIn(name);
}
