import { type Item, stringOf } from '../items/attribute-value.ts';
import { AFTER, isTombstone, MODEL } from '../items/derived-item.ts';
import { parseDerivedKey } from '../items/derived-key.ts';
import { parseNodeId } from '../items/keys.ts';
import { type ChangingPart, type CompiledModel, type Concern, type Concerns, layersOf } from '../model/compiled.ts';
import { isJoinedItem, joinedItemsOf } from '../model/joined.ts';
import { type Data, modelValue } from './data.ts';
import { type Definition, viewName } from './definition.ts';
import { ownerOfItem, partitionOwners } from './ownership.ts';
import { type Generation, type Registry, type Shape, stampedId } from './registry.ts';
import type { DefinitionData } from './revive.ts';

/**
 * Whose a derived item is, and so what a check has to do with it: what is ready is compared, what is being built differs by
 * nature, what is retired is garbage, and what the registry does not know is neither right nor wrong.
 */

/** What a check has to do with a derived item. */
export function concernOf({ concerns }: CompiledModel, source: string, sortKey: string, item: Item): Concern {
  return concerns === undefined ? COMPARED : concerns.of(source, sortKey, item);
}

/** What has no generations, or belongs to nothing that is known: base items, where there are any, say how it has to be. */
const COMPARED: Concern = { kind: 'compared', name: '' };
const LEFT: Concern = { kind: 'left', name: '' };

/** What a check has to do with derived items, by a registry and the model of what is ready in it. */
export function concernsOf(registry: Registry, ready: CompiledModel, data: DefinitionData): Concerns {
  const changing = changingParts(registry);
  const isNeeded = neededFanOuts(registry, data);
  // A migration that is at work ends what nothing needs.
  const isLeftOpen = (sortKey: string): boolean => changing.length === 0 && !isNeeded(sortKey);
  return {
    changing,
    of(source, sortKey, item) {
      const concern = liveConcern(registry, ready, source, sortKey, item, isLeftOpen);
      if (concern.kind === 'compared' || concern.kind === 'changing') return concern;
      // Time takes tombstones away; of one with a hashed key nothing tells its projection.
      if (isTombstone(item, ready.table)) return LEFT;
      return concern.kind === 'retired' ? concern : (misplacedConcern(registry, item) ?? concern);
    },
  };
}

function liveConcern(
  registry: Registry,
  ready: CompiledModel,
  source: string,
  sortKey: string,
  item: Item,
  isLeftOpen: (sortKey: string) => boolean,
): Concern {
  const key = parseDerivedKey(sortKey);
  switch (key?.kind) {
    case 'view':
      return viewConcern(registry, source, item);
    case 'reverse-item':
    case 'continuation':
    case 'source-continuation': {
      const { kind, edgeType, generation } = key;
      if (generation > 1) return { kind: 'unregistered', name: `${edgeType}@${generation}` };
      const keepers =
        kind === 'source-continuation' ? joinedPlacesOf(ready, edgeType) : copyingViewsOf(ready, edgeType);
      // They have no generations: a writer of a shape to come may find one that is there right. So what they are kept for names
      // them: between two that keep them there may have been none.
      if (keepers.length > 0) return { kind: 'compared', name: `${edgeType} for ${keepers.join(', ')}` };
      // rule: open-fan-outs-that-nothing-needs-are-garbage
      if (item[AFTER] !== undefined && isLeftOpen(sortKey))
        return { kind: 'retired', name: `a fan-out of ${edgeType}` };
      return LEFT;
    }
    case 'index-item':
    case 'owner-item':
    case 'count':
      return keyedConcern(registry, source, sortKey, item, key.generation);
    default:
      return COMPARED;
  }
}

/** The stamps of the views that copy along an edge type. */
function copyingViewsOf({ edges, shapes }: CompiledModel, edgeType: string): string[] {
  const edge = edges.get(edgeType);
  return edge?.copy === undefined ? [] : [...edge.from].map((type) => shapes?.get(type)?.stamp ?? type);
}

/** The generations of an edge type's index items that source nodes decide too. */
function joinedPlacesOf(ready: CompiledModel, edgeType: string): string[] {
  return layersOf(ready).flatMap(({ edges }) => {
    return joinedItemsOf(edges.get(edgeType) ?? {}).map(({ inForce: { places } }) => places.prefix);
  });
}

/**
 * An item whose own key no registered projection makes, in an index partition of one that is: readers of that meet it there. The
 * writers of the projection make no such item, so that nothing is lost with it.
 */
function misplacedConcern({ projections }: Registry, item: Item): Concern | undefined {
  const found = partitionOwners(item).find(({ name, generation }) =>
    projections.get(name)?.generations.some(({ id }) => id === generation),
  );
  return found && { kind: 'misplaced', name: `${found.name}@${found.generation}` };
}

function keyedConcern(
  { projections }: Registry,
  source: string,
  sortKey: string,
  item: Item,
  generation: number,
): Concern {
  const owner = ownerOfItem(source, sortKey, item);
  // Plain keys that name nothing have been there without a registry too.
  if (owner === undefined) return generation === 1 ? COMPARED : { kind: 'unregistered', name: '' };
  const name = `${owner.name}@${generation}`;
  const projection = projections.get(owner.name);
  // rule: unknown-items-are-left-alone
  if (projection === undefined || generation >= projection.next) return { kind: 'unregistered', name };
  const known = projection.generations.find(({ id }) => id === generation);
  // rule: retired-items-are-garbage
  if (known === undefined) return { kind: 'retired', name };
  // rule: building-items-are-pending
  return { kind: known.state === 'ready' ? 'compared' : 'changing', name };
}

/** A view of another shape than the type's is not garbage: writers make it anew where they meet it, and so does repair. */
function viewConcern({ shapes }: Registry, source: string, item: Item): Concern {
  const type = parseNodeId(source)?.type;
  if (type === undefined) return COMPARED;
  const entry = shapes.get(type);
  const stamped = stampedId(stringOf(item[MODEL]));
  if (entry === undefined || stamped >= entry.next) {
    return { kind: 'unregistered', name: viewName(type) + (stamped === 0 ? '' : `@${stamped}`) };
  }
  const { shape } = entry;
  if (shape === undefined) return { kind: 'retired', name: viewName(type) };
  return { kind: isReady(shape) ? 'compared' : 'changing', name: `${viewName(type)}@${shape.id}` };
}

/** Whether readers use the views of a shape. */
export function isReady({ trusted, ready }: Shape): boolean {
  // rule: trusted-and-ready-views-are-compared
  return trusted && ready;
}

function changingParts({ projections, shapes }: Registry): ChangingPart[] {
  const keyed = [...projections].flatMap(([name, { generations }]) =>
    generations
      .filter(({ state }) => state !== 'ready')
      .map(({ id, state }): ChangingPart => ({ name: `${name}@${id}`, reason: REASONS[state as 'kept' | 'absent'] })),
  );
  const views = [...shapes].flatMap(([type, { shape }]): ChangingPart[] => {
    if (shape === undefined || isReady(shape)) return [];
    return [{ name: `${viewName(type)}@${shape.id}`, reason: shape.trusted ? REASONS.unsettled : REASONS.untrusted }];
  });
  return [...keyed, ...views];
}

const REASONS: Readonly<Record<Exclude<Generation['state'], 'ready'> | 'unsettled' | 'untrusted', string>> = {
  kept: 'writers keep it, readers do not use it: it is being built, or taken away; edgeloom migrate goes on with it',
  absent: 'nothing maintains it any more, and its items are being deleted; edgeloom migrate goes on with it',
  unsettled:
    'views are being made anew, and readers use base items where one is missing; edgeloom migrate goes on with it',
  untrusted: 'views are about to change, and readers use base items in their place; edgeloom migrate goes on with it',
};

/** Whether anything may need the fan-out of a continuation, by the sort key of that; true for any other key. */
export type NeedsFanOut = (sortKey: string) => boolean;

/**
 * Says which fan-outs something in a registry needs, in whatever state that is: ready, being built, or not trusted. Without a registry,
 * and where a definition is not known, it may be every one. Calls no function of a model, so that a checkout without them can tell.
 */
export function neededFanOuts(registry: Registry | undefined, data: DefinitionData): NeedsFanOut {
  if (registry === undefined) return () => true;
  const { projections, shapes } = registry;
  const needed = { continuation: new Set<string>(), 'source-continuation': new Set<string>() };
  const kept = [
    ...[...shapes.values()].flatMap(({ shape }) => (shape === undefined ? [] : [shape])),
    ...[...projections.values()].flatMap(({ generations }) => generations.filter(({ state }) => state !== 'absent')),
  ];
  const definitions = kept.map(({ definition }) => data.get(definition));
  for (const stored of definitions) {
    if (stored === undefined) continue;
    const definition = definitionOf(stored);
    for (const type of copyingTypes(definition)) needed.continuation.add(type);
    for (const type of joinedTypes(definition)) needed['source-continuation'].add(type);
  }
  const isKnown = !definitions.includes(undefined);
  return (sortKey) => {
    const key = parseDerivedKey(sortKey);
    if (key?.kind !== 'continuation' && key?.kind !== 'source-continuation') return true;
    return !isKnown || key.generation > 1 || needed[key.kind].has(key.edgeType);
  };
}

/** A definition whose functions are not called. */
function definitionOf(data: Data): Definition {
  return modelValue(data, (_place, version) => ({ kind: 'derive', version })) as Definition;
}

function copyingTypes(definition: Definition): string[] {
  if (definition.kind !== 'view') return [];
  return definition.edges.filter(({ copy }) => copy !== undefined).map(({ type }) => type);
}

function joinedTypes(definition: Definition): string[] {
  if (definition.kind !== 'inbound' && definition.kind !== 'order') return [];
  const { edge, settings } = definition;
  const orders = definition.kind === 'order' ? [definition.order] : definition.orders;
  return settings !== undefined && isJoinedItem(settings, { orders }) ? [edge.type] : [];
}
