import type { CompiledModel, ViewShape } from '../core/model/compiled.ts';
import { searchesIn, typingOf, type ViewDefinition } from './definition.ts';
import { bareNode, compileLayers, type Kept, type LayerPart } from './layer.ts';
import { type Generation, type Registry, stampText } from './registry.ts';
import { type DefinitionData, reviveKeyed, reviveView } from './revive.ts';

/**
 * The model that a writer maintains: what the registry keeps, compiled. All but the newest generations that fit together, and
 * the views, is in further models, so that no two definitions of one name are ever in one.
 */

/**
 * The model of everything that the registry keeps, with the functions of the own model. Throws `projection-code-missing`
 * where that lacks one, and `unknown-definition` where a definition comes from newer software.
 *
 * @param whole the table's registry, where `registry` is only a part of it.
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

/**
 * Adds the types of base items that no projection of the model names: node types of the table's registry, and edge types, parts and
 * node types without views of the own model. So an item of theirs is of a known type, and nothing is derived from it.
 */
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

/** A generation as the planner takes it. */
export function keptOf(id: number, superseded: Kept['superseded'] = new Set()): Kept {
  return {
    ...(id !== 1 && { generation: id }),
    ...(superseded.size > 0 && { superseded }),
  };
}

/**
 * Gives the parts of a generation that a later generation has, too: its searches, or the whole projection. A search may have moved to
 * the item of another projection.
 */
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

/** The time since which a generation is kept, for a comparison: one without is the latest. */
function keptSince({ since = Number.POSITIVE_INFINITY }: Generation): number {
  return since;
}

/** The newest first, so that the first model is the one that most readers ask for. */
function keptGenerations({ projections }: Registry): { name: string; kept: Generation }[] {
  const kept = [...projections].flatMap(([name, { generations }]) =>
    generations.filter(({ state }) => state !== 'absent').map((generation) => ({ name, kept: generation })),
  );
  return kept.sort((left, right) => right.kept.id - left.kept.id);
}
