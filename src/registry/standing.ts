import { type Item, stringOf } from '../core/items/attribute-value.ts';
import { isTombstone, MODEL } from '../core/items/derived-item.ts';
import type { DerivedKey } from '../core/items/derived-key.ts';
import { parseNodeId } from '../core/items/keys.ts';
import { kindOfDerivedKey } from '../core/kinds/all-kinds.ts';
import { isFanOutOpen } from '../core/kinds/continuation.ts';
import type { Lifetime } from '../core/kinds/kind.ts';
import type { ChangingPart, CompiledModel, Standing, Standings } from '../core/model/compiled.ts';
import { type FanOutOf, fanOutOfKey } from '../core/model/projection/places.ts';
import { type Data, reviveValue } from './data.ts';
import { type Definition, hasJoinedItems, searchesIn, searchName, viewName } from './definition.ts';
import { ownerOfItem, partitionOwners } from './ownership.ts';
import {
  isLive,
  liveGenerations,
  type ProjectionInForce,
  type ProjectionState,
  projectionsInForce,
  type Registry,
  stampedId,
} from './registry.ts';
import type { DefinitionData } from './revive.ts';

/** @internal */
export function standingOf(model: CompiledModel, source: string, sortKey: string, item: Item): Standing {
  return model.standings === undefined ? COMPARED : model.standings.of(source, sortKey, item);
}

const COMPARED: Standing = { kind: 'compared', name: '' };
const LEFT: Standing = { kind: 'left', name: '' };

export function standingsOf(registry: Registry, ready: CompiledModel, data: DefinitionData): Standings {
  const inForce = projectionsInForce(registry);
  const changing = changingParts(inForce);
  const isNeeded = neededFanOuts(registry, data);
  const partitionNames = registeredPartitions(registry, data);
  // A running migration ends unneeded fan-outs itself.
  const isLeftOpen = (sortKey: string): boolean => changing.length === 0 && !isNeeded(sortKey);
  const use: Use = { registry, ready, isLeftOpen };
  return {
    changing,
    ready: new Set(inForce.filter(({ state }) => state === 'ready').map(({ name, id }) => `${name}@${id}`)),
    of(source, sortKey, item) {
      const standing = standingByLifetime(use, source, sortKey, item);
      if (standing.kind === 'compared' || standing.kind === 'changing') return standing;
      // DynamoDB's TTL removes tombstones. A tombstone with a hashed key doesn't name its projection.
      if (isTombstone(item, ready.table)) return LEFT;
      return standing.kind === 'retired' ? standing : (misplacedStanding(partitionNames, item) ?? standing);
    },
  };
}

interface Use {
  registry: Registry;
  ready: CompiledModel;
  isLeftOpen: (sortKey: string) => boolean;
}

interface Derived {
  source: string;
  sortKey: string;
  key: DerivedKey;
  item: Item;
}

function standingByLifetime(use: Use, source: string, sortKey: string, item: Item): Standing {
  const found = kindOfDerivedKey(sortKey);
  if (found === undefined) return COMPARED;
  const { lifetime } = found.kind;
  const derived = { source, sortKey, key: found.key, item };
  switch (lifetime.of) {
    case 'shape':
      return viewStanding(use, derived);
    case 'generation':
      return keyedStanding(use, derived);
    case 'need':
      return neededStanding(use, derived, lifetime);
    case 'nothing':
      return COMPARED;
  }
}

function neededStanding(
  { ready, isLeftOpen }: Use,
  { sortKey, key: { edgeType, generation }, item }: Derived,
  { neededBy }: Extract<Lifetime, { of: 'need' }>,
): Standing {
  if (generation > 1) return { kind: 'unregistered', name: `${edgeType}@${generation}` };
  const keepers = neededBy(ready, edgeType);
  // These items have no generations, so a projection that begins to need them takes over existing ones. `name` lists
  // the projections that need them now. If it has changed since an earlier look, the items may have been unmaintained
  // in between.
  if (keepers.length > 0) return { kind: 'compared', name: `${edgeType} for ${keepers.join(', ')}` };
  // rule: open-fan-outs-that-nothing-needs-are-garbage
  if (isFanOutOpen(item) && isLeftOpen(sortKey)) return { kind: 'retired', name: `a fan-out of ${edgeType}` };
  return LEFT;
}

/**
 * Forms names as `partitionOwners` does. Searches that share an item are one projection, but each has its own index
 * partitions.
 */
function registeredPartitions({ projections }: Registry, data: DefinitionData): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [name, { generations }] of projections) {
    for (const { id, definition } of generations) {
      names.add(`${name}@${id}`);
      for (const search of searchesIn(data.get(definition))) {
        const typeEnd = search.indexOf('.');
        names.add(`${searchName(search.slice(0, typeEnd), search.slice(typeEnd + 1))}@${id}`);
      }
    }
  }
  return names;
}

/** Readers find a misplaced item, but the projection's writers never make one, so deleting it loses nothing. */
function misplacedStanding(registered: ReadonlySet<string>, item: Item): Standing | undefined {
  const found = partitionOwners(item)
    .map(({ name, generation }) => `${name}@${generation}`)
    .find((name) => registered.has(name));
  return found === undefined ? undefined : { kind: 'misplaced', name: found };
}

function keyedStanding(
  { registry: { projections } }: Use,
  { source, sortKey, key: { generation }, item }: Derived,
): Standing {
  const owner = ownerOfItem(source, sortKey, item);
  // Plain keys that name no projection also exist without a registry.
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

/** A view of another generation isn't garbage, because writers and repairs rebuild it when they find it. */
function viewStanding({ registry }: Use, { source, item }: Derived): Standing {
  const type = parseNodeId(source)?.type;
  if (type === undefined) return COMPARED;
  const name = viewName(type);
  const entry = registry.projections.get(name);
  const stamped = stampedId(stringOf(item[MODEL]));
  if (entry === undefined || stamped >= entry.next) {
    return { kind: 'unregistered', name: name + (stamped === 0 ? '' : `@${stamped}`) };
  }
  // Without a live generation, the views of the last one are being deleted.
  const last = liveGenerations(registry, name)[0] ?? entry.generations.at(-1);
  if (last === undefined) return { kind: 'retired', name };
  // rule: unready-views-are-pending
  return { kind: last.state === 'ready' ? 'compared' : 'changing', name: `${name}@${last.id}` };
}

function changingParts(inForce: readonly ProjectionInForce[]): ChangingPart[] {
  return inForce.flatMap(({ name, id, state, since }): ChangingPart[] => {
    if (state === 'ready') return [];
    return [{ name: `${name}@${id}`, reason: REASONS[state], sinceMs: state === 'building' ? since : undefined }];
  });
}

const REASONS: Readonly<Record<Exclude<ProjectionState, 'ready'>, string>> = {
  building:
    'writers maintain it, readers do not use it: it is being built, or taken away; edgeloom migrate goes on with it',
  retired: 'nothing maintains it any more, and its items are being deleted; edgeloom migrate goes on with it',
};

export type NeedsFanOut = (sortKey: string) => boolean;

/**
 * The returned test is true for keys of other items. Without a registry, or with an unknown definition, it is always
 * true, because any fan-out may be needed.
 */
export function neededFanOuts(registry: Registry | undefined, data: DefinitionData): NeedsFanOut {
  if (registry === undefined) return () => true;
  const needed: Record<FanOutOf, Set<string>> = { copies: new Set(), joined: new Set() };
  const definitions = projectionsInForce(registry)
    .filter(isLive)
    .map(({ definition }) => data.get(definition));
  for (const stored of definitions) {
    if (stored === undefined) continue;
    for (const { of, edgeType } of fanOutsOfDefinition(definitionOf(stored))) needed[of].add(edgeType);
  }
  const isKnown = !definitions.includes(undefined);
  return (sortKey) => {
    const fanOut = fanOutOfKey(sortKey);
    if (fanOut === undefined) return true;
    return !isKnown || fanOut.generation > 1 || needed[fanOut.of].has(fanOut.edgeType);
  };
}

function definitionOf(data: Data): Definition {
  return reviveValue(data, (_place, version) => ({ kind: 'derive', version })) as Definition;
}

interface NeededFanOut {
  of: FanOutOf;
  edgeType: string;
}

function fanOutsOfDefinition(definition: Definition): NeededFanOut[] {
  switch (definition.kind) {
    case 'view':
      return definition.edges
        .filter(({ copy }) => copy !== undefined)
        .map(({ type }) => ({ of: 'copies', edgeType: type }));
    case 'inbound':
    case 'order':
      return hasJoinedItems(definition) ? [{ of: 'joined', edgeType: definition.edge.type }] : [];
    case 'search':
    case 'part':
    case 'index':
      return [];
  }
}
