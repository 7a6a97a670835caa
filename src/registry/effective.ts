import type { CompiledModel, ViewShape } from '../core/model/compiled.ts';
import { searchesIn, typeOfView, typingOf } from './definition.ts';
import { bareNode, compileLayers, type Kept, type LayerPart } from './layer.ts';
import { isLive, type ProjectionInForce, projectionsInForce, type Registry, stampText } from './registry.ts';
import { type DefinitionData, reviveDefinition } from './revive.ts';

/**
 * Returns the model that the registry makes writers maintain. A generation that conflicts with a newer one is in one of
 * its `further` models. Throws `projection-code-missing` if the `own` model lacks a function, `unknown-registry` if a
 * definition comes from newer software, `registry-incomplete` if a definition is missing, and `registry-conflict` if
 * views disagree about a type.
 */
export function effectiveModel(
  registry: Registry,
  data: DefinitionData,
  own: CompiledModel,
  isIn: (projection: ProjectionInForce) => boolean = isLive,
): CompiledModel {
  const all = projectionsInForce(registry);
  const supersededIn = supersededBy(all, data);
  // Of two generations that conflict, the later one in this order goes into a `further` model.
  const inForce = all.filter(isIn).sort((left, right) => right.id - left.id);
  const parts = inForce.map((one): LayerPart => {
    return {
      definition: reviveDefinition(one.name, one.definition, data, own),
      kept: keptOf(one.id, supersededIn(one)),
    };
  });
  const shapes = inForce.flatMap(({ name, id, state }): [string, ViewShape][] => {
    const type = typeOfView(name);
    return type === undefined ? [] : [[type, { stamp: stampText(id), ready: state === 'ready' }]];
  });
  const model = withDeclaredTypes(compileLayers(parts, own, `@${registry.version}`), own, all);
  return { ...model, shapes: new Map(shapes) };
}

/**
 * Adds types and parts that no included projection names, so that their items have a known type but no derived items.
 */
function withDeclaredTypes(
  model: CompiledModel,
  own: CompiledModel,
  inForce: readonly ProjectionInForce[],
): CompiledModel {
  const nodes = new Map(model.nodes);
  for (const one of inForce) {
    const type = typeOfView(one.name);
    if (type !== undefined && isLive(one) && !nodes.has(type)) nodes.set(type, bareNode(type));
  }
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

/** Compares searches instead of projections, because a search may have moved to another projection's item. */
export function supersededBy(
  inForce: readonly ProjectionInForce[],
  data: DefinitionData,
): (projection: ProjectionInForce) => ReadonlySet<string> {
  const partsOf = ({ name, definition }: ProjectionInForce): string[] => {
    const searches = searchesIn(data.get(definition));
    return searches.length === 0 ? [name] : searches;
  };
  const owners = new Map<string, ProjectionInForce[]>();
  for (const one of inForce.filter(isLive)) {
    for (const part of partsOf(one)) owners.set(part, [...(owners.get(part) ?? []), one]);
  }
  return (one) => {
    const isLater = (other: ProjectionInForce): boolean =>
      other.name === one.name ? other.id > one.id : (other.since ?? Infinity) > (one.since ?? Infinity);
    return new Set(partsOf(one).filter((part) => owners.get(part)?.some(isLater)));
  };
}
