import type { CompiledModel } from '../../core/model/compiled.ts';
import { keptOf } from '../../registry/effective.ts';
import { compileLayers } from '../../registry/layer.ts';
import type { Registry } from '../../registry/registry.ts';
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
