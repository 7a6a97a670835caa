import { type Item, stringOf } from '../core/items/attribute-value.ts';
import { INDEX_NAMES, MODEL } from '../core/items/derived-item.ts';
import { parseNodeId } from '../core/items/keys.ts';
import {
  type CompiledModel,
  type EdgeModel,
  hasUsualIndexNames,
  type InboundModel,
  type InboundOrder,
  type PartModel,
  type PartView,
  type SearchModel,
  type TableNames,
} from '../core/model/compiled.ts';
import { indexOfOrder, indexOfSearch, type NativeIndex } from '../core/model/native-indexes.ts';
import type { CounterPlaces, CountPlaces } from '../core/model/projection/places.ts';
import { EdgeloomError } from '../foundation/errors.ts';
import type { Data } from './data.ts';
import {
  type Defined,
  type DefinitionKind,
  type Definitions,
  definitionsOf,
  inboundName,
  indexName,
  meaningsOf,
  orderName,
  type ProjectionName,
  partName,
  searchesIn,
  searchName,
  typeOfView,
  viewName,
} from './definition.ts';
import { effectiveModel, keptOf, supersededBy } from './effective.ts';
import {
  compileLayers,
  countInGeneration,
  type LayerPart,
  orderInGeneration,
  partInGeneration,
  searchesInGeneration,
  totalInGeneration,
} from './layer.ts';
import { liveGenerations, type ProjectionInForce, projectionsInForce, type Registry, stampText } from './registry.ts';
import { type DefinitionData, reviveDefinition } from './revive.ts';

/**
 * Tells a model's readers which generation to use and where its items are. Readers can use any ready generation with
 * the meaning of the model's definition. Of views, they can use only the current generation, and only if it has the
 * model's definition. `search`, `order` and `total` throw `projection-not-ready` if readers can use no generation.
 */
export interface ProjectionsInForce {
  search(search: SearchModel): SearchModel;
  order(edge: EdgeModel, order: InboundOrder): { inbound: InboundModel; order: InboundOrder };
  /** Undefined: read the part itself. */
  part(type: string, part: PartModel): PartView | undefined;
  /** Throws `projection-not-ready` unless the table has a reverse item for every edge of the type. */
  checkReverseItems(edge: EdgeModel): void;
  /** Undefined: count base edges. */
  count(edge: EdgeModel): CountPlaces | undefined;
  total(edge: EdgeModel, direction: 'inbound' | 'outgoing'): CounterPlaces;
  /**
   * Tells whether readers can use the node's stored view, or rely on its absence. If not, they derive the view from
   * base items.
   */
  usesView(id: string, view: Item | undefined): boolean;
  /** The views of this reader's model, ready or not, and everything else that this reader may use. */
  model: CompiledModel;
  /** What writers maintain. Undefined if this reader can't compile it, since reads don't need it. */
  kept: CompiledModel | undefined;
}

export function projectionsOfModel(model: CompiledModel): ProjectionsInForce {
  return {
    search: (search) => search,
    order: (edge, order) => ({ inbound: edge.inbound!, order }),
    part: (_type, { view }) => view,
    checkReverseItems() {},
    count: ({ count }) => count?.places,
    total: ({ count, incoming }, direction) => (direction === 'inbound' ? incoming : count)!.places,
    usesView: () => true,
    model,
    kept: model,
  };
}

export class RegisteredProjections implements ProjectionsInForce {
  private readonly mine: Definitions;
  private readonly usable: ReadonlyMap<string, LayerPart>;
  private readonly readyViews: ReadonlyMap<string, ProjectionInForce>;
  private readonly searches = new Map<SearchModel, SearchModel>();
  private compiled: CompiledModel | undefined;
  private compiledKept: CompiledModel | undefined;

  constructor(
    private readonly registry: Registry,
    private readonly data: DefinitionData,
    private readonly own: CompiledModel,
  ) {
    this.mine = definitionsOf(own);
    this.usable = usableGenerations(registry, data, own);
    this.readyViews = readyViewsIn(registry);
  }

  get model(): CompiledModel {
    this.compiled ??= compileLayers([...this.parts()], this.own, this.own.fingerprint);
    return this.compiled;
  }

  get kept(): CompiledModel | undefined {
    this.compiledKept ??= modelOfKept(this.registry, this.data, this.own);
    return this.compiledKept;
  }

  search(search: SearchModel): SearchModel {
    if (search.native) {
      this.requireIndex(indexOfSearch(this.own, search));
      return search;
    }
    const known = this.searches.get(search);
    if (known !== undefined) return known;
    const { indexPartition, name, itemOf, index } = search;
    const type = indexPartition.slice(0, indexPartition.indexOf('.'));
    const { definition, kept } = this.requireReady(
      searchName(type, itemOf),
      INDEX_NAMES.indexOf(index),
      searchName(type, name),
    );
    const stored = searchesInGeneration(definition, kept).find((one) => one.name === name)!;
    this.searches.set(search, stored);
    return stored;
  }

  order(edge: EdgeModel, order: InboundOrder): { inbound: InboundModel; order: InboundOrder } {
    if (edge.inbound!.native) {
      this.requireIndex(indexOfOrder(this.own, order));
      return { inbound: edge.inbound!, order };
    }
    const { definition, kept } = this.requireReady(
      order.isNamed ? orderName(edge.type, order.name) : inboundName(edge.type),
    );
    const settings = { ...edge.inbound!, ...definition.settings };
    return { inbound: settings, order: orderInGeneration(edge.type, order, settings, kept) };
  }

  part(type: string, { name, view }: PartModel): PartView | undefined {
    const found = view && this.lookUp(partName(type, name));
    // rule: part-is-read-itself-until-its-view-is-ready
    return found && partInGeneration(found.definition.part, found.kept);
  }

  checkReverseItems(edge: EdgeModel): void {
    for (const type of edge.from) {
      const ready = this.readyViews.get(type);
      if (ready === undefined || !copiesAlong(this.data.get(ready.definition), edge.type))
        throw viewsNotReadyError(type, edge);
    }
  }

  count(edge: EdgeModel): CountPlaces | undefined {
    const found = edge.count && this.lookUp(inboundName(edge.type));
    return found && countInGeneration(edge.type, found.kept).places;
  }

  total({ type }: EdgeModel, direction: 'inbound' | 'outgoing'): CounterPlaces {
    const { kept } = this.requireReady(inboundName(type));
    // rule: total-is-read-in-its-generation
    return (direction === 'inbound' ? totalInGeneration(type, kept) : countInGeneration(type, kept)).places;
  }

  usesView(id: string, view: Item | undefined): boolean {
    const type = parseNodeId(id)?.type ?? '';
    const ready = this.readyViews.get(type);
    if (ready === undefined) return false;
    // rule: reader-uses-views-of-its-own-definition
    if (ready.definition !== this.mine.get(viewName(type))?.fingerprint) return false;
    // rule: reader-uses-views-of-the-generation
    return view === undefined || stringOf(view[MODEL]) === stampText(ready.id);
  }

  private parts(): Set<LayerPart> {
    return new Set(
      [...this.mine.values()].flatMap(({ name, definition, meanings }): LayerPart[] => {
        // Includes views that aren't ready, because readers derive them from the base items.
        if (definition.kind === 'view') return [{ definition, kept: {} }];
        return meanings.flatMap((_, place) => this.lookUp(name, place) ?? []);
      }),
    );
  }

  private lookUp<Kind extends DefinitionKind>(name: ProjectionName<Kind>, place = 0): LayerPart<Kind> | undefined {
    const meaning = this.mine.get(name)?.meanings[place];
    return meaning === undefined ? undefined : (this.usable.get(meaning) as LayerPart<Kind> | undefined);
  }

  private requireReady<Kind extends DefinitionKind>(
    name: ProjectionName<Kind>,
    place = 0,
    asked: string = name,
  ): LayerPart<Kind> {
    const found = this.lookUp(name, place);
    if (found === undefined) throw notReadyError(this.registry, name, this.mine.get(name), asked);
    return found;
  }

  private requireIndex({ name }: NativeIndex): void {
    // rule: native-list-is-read-while-its-index-is-ready
    this.requireReady(indexName(name));
  }
}

function readyViewsIn(registry: Registry): ReadonlyMap<string, ProjectionInForce> {
  const views = new Map<string, ProjectionInForce>();
  for (const one of projectionsInForce(registry)) {
    const type = typeOfView(one.name);
    // rule: reader-uses-views-that-are-ready
    const isUsed = one.state === 'ready';
    if (type !== undefined && isUsed) views.set(type, one);
  }
  return views;
}

function copiesAlong(definition: Data | undefined, edgeType: string): boolean {
  const { edges = [] } = (definition ?? {}) as { edges?: readonly { type: string; copy?: Data }[] };
  return edges.some(({ type, copy }) => type === edgeType && copy !== undefined);
}

function viewsNotReadyError(type: string, edge: EdgeModel): EdgeloomError {
  return new EdgeloomError(
    'projection-not-ready',
    `The table keeps no ${viewName(type)} that are ready and copy along ${edge.type}: not every edge has its reverse item.`,
    'Run edgeloom migrate with this model, or wait until it is done.',
  );
}

const CANNOT_COMPILE: ReadonlySet<string> = new Set([
  'projection-code-missing',
  'unknown-registry',
  'registry-incomplete',
]);

function modelOfKept(registry: Registry, data: DefinitionData, own: CompiledModel): CompiledModel | undefined {
  try {
    return effectiveModel(registry, data, own);
  } catch (error) {
    if (error instanceof EdgeloomError && CANNOT_COMPILE.has(error.code)) return undefined;
    throw error;
  }
}

function usableGenerations(registry: Registry, data: DefinitionData, own: CompiledModel): Map<string, LayerPart> {
  const inForce = projectionsInForce(registry);
  const supersededIn = supersededBy(inForce, data);
  const expected = new Set([...definitionsOf(own).values()].flatMap(({ meanings }) => meanings));
  const found = new Map<string, LayerPart & { sinceMs: number }>();
  for (const one of inForce) {
    const { name, id, definition, state, since = 0 } = one;
    const stored = data.get(definition);
    // rule: reader-uses-what-is-ready
    if (state !== 'ready' || stored === undefined || !hasNamesFor(own.table, stored)) continue;
    // rule: reader-uses-its-own-meaning
    const usable = meaningsOf(stored).filter(
      (meaning) => expected.has(meaning) && (found.get(meaning)?.sinceMs ?? 0) <= since,
    );
    if (usable.length === 0) continue;
    const revived = reviveDefinition(name, definition, data, own);
    const part = { definition: revived, kept: keptOf(id, supersededIn(one)), sinceMs: since };
    for (const meaning of usable) found.set(meaning, part);
  }
  return found;
}

/** A model with its own index names knows only those indexes, and a definition may need more. */
function hasNamesFor(table: TableNames, stored: Data): boolean {
  return hasUsualIndexNames(table) || searchesIn(stored).length <= table.indexes.length;
}

function notReadyError(registry: Registry, name: string, mine: Defined | undefined, asked: string): EdgeloomError {
  const isBuilding = liveGenerations(registry, name).some(
    ({ definition, state }) => definition === mine?.fingerprint && state === 'building',
  );
  const [, type] = /^list:(\w+)$/.exec(name) ?? [];
  const subject = type === undefined ? asked : `list of ${type} nodes`;
  return new EdgeloomError(
    'projection-not-ready',
    isBuilding
      ? `The ${subject} is being built and not ready yet.`
      : `The table has no ${subject} as this model defines it.`,
    isBuilding ? 'Wait until edgeloom migrate is done.' : 'Run edgeloom migrate with this model.',
  );
}
