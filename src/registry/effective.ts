import type { CompiledModel, ViewShape } from '../core/model/compiled.ts';
import { searchesIn, typingOf, type ViewDefinition } from './definition.ts';
import { bareNode, compileLayers, type Kept, type LayerPart } from './layer.ts';
import { type Generation, type Registry, stampText } from './registry.ts';
import { type DefinitionData, reviveKeyed, reviveView } from './revive.ts';

/**
 * Further models hold all but the newest generations that fit together, so that one model never has two definitions of
 * the same name.
 */

/**
 * Throws `projection-code-missing` if the own model lacks a function, and `unknown-definition` if a definition comes
 * from newer software.
 *
 * @param whole the table's registry, if `registry` is only a part of it.
 */
export function effectiveModel(
  registry: Registry,
  data: DefinitionData,
  own: CompiledModel,
  whole: Registry = registry,
): CompiledModel {
  const supersededIn = supersededBy(whole, data);
  const views: ViewDefinition[] = [];
  const shapes = new Map<string, ViewShape>();
  for (const [type, { shape }] of registry.shapes) {
    if (shape === undefined) continue;
    views.push(reviveView(type, shape.definition, data, own));
    shapes.set(type, { stamp: stampText(shape.id), ready: shape.ready });
  }
  const parts = keptGenerations(registry).map(({ name, kept }): LayerPart => {
    return {
      definition: reviveKeyed(name, kept.definition, data, own),
      kept: keptOf(kept.id, supersededIn(name, kept)),
    };
  });
  return { ...withDeclaredTypes(compileLayers(views, parts, own, `@${registry.version}`), own, whole), shapes };
}

/** Items of types that no projection names are then of a known type, without derived items. */
function withDeclaredTypes(model: CompiledModel, own: CompiledModel, { shapes }: Registry): CompiledModel {
  const nodes = new Map(model.nodes);
  for (const [type, { shape }] of shapes) if (shape !== undefined && !nodes.has(type)) nodes.set(type, bareNode(type));
  for (const [type, node] of own.nodes) if (!node.hasView && !nodes.has(type)) nodes.set(type, bareNode(type, node));
  for (const [type, { parts }] of own.nodes) {
    const node = nodes.get(type);
    const more = [...parts.keys()].filter((name) => node?.parts.has(name) === false);
    if (node === undefined || more.length === 0) continue;
    const added = more.map((name) => [name, { name }] as const);
    nodes.set(type, { ...node, parts: new Map([...node.parts, ...added]) });
  }
  const edges = new Map(model.edges);
  for (const [type, edge] of own.edges) if (!edges.has(type)) edges.set(type, typingOf(edge));
  return { ...model, nodes, edges };
}

export function keptOf(id: number, superseded: Kept['superseded'] = new Set()): Kept {
  return {
    ...(id !== 1 && { generation: id }),
    ...(superseded.size > 0 && { superseded }),
  };
}

/** A search may have moved to another projection's item. */
export function supersededBy(
  { projections }: Registry,
  data: DefinitionData,
): (name: string, generation: Generation) => ReadonlySet<string> {
  const partsOf = (name: string, { definition }: Generation): string[] => {
    const searches = searchesIn(data.get(definition));
    return searches.length === 0 ? [name] : searches;
  };
  const owners = new Map<string, { name: string; generation: Generation }[]>();
  for (const [name, { generations }] of projections) {
    for (const generation of generations) {
      if (generation.state === 'absent') continue;
      for (const part of partsOf(name, generation))
        owners.set(part, [...(owners.get(part) ?? []), { name, generation }]);
    }
  }
  return (name, generation) => {
    const isLater = (other: { name: string; generation: Generation }): boolean =>
      other.name === name ? other.generation.id > generation.id : keptSince(other.generation) > keptSince(generation);
    return new Set(partsOf(name, generation).filter((part) => owners.get(part)?.some(isLater)));
  };
}

function keptSince({ since = Number.POSITIVE_INFINITY }: Generation): number {
  return since;
}

/** Newest first, so that the first model has what most readers use. */
function keptGenerations({ projections }: Registry): { name: string; kept: Generation }[] {
  const kept = [...projections].flatMap(([name, { generations }]) =>
    generations.filter(({ state }) => state !== 'absent').map((generation) => ({ name, kept: generation })),
  );
  return kept.sort((left, right) => right.kept.id - left.kept.id);
}
