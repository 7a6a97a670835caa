import { EdgeloomError } from '../errors.ts';
import { type Item, stringOf } from '../items/attribute-value.ts';
import { MODEL } from '../items/derived-item.ts';
import { parseNodeId } from '../items/keys.ts';
import type { CompiledModel, EdgeModel, InboundModel, InboundOrder, SearchModel } from '../model/compiled.ts';
import { CountPlaces } from '../model/projection/places.ts';
import type { Data } from './data.ts';
import {
  type Defined,
  definitionsOf,
  familyName,
  type KeyedDefinition,
  meaningFingerprint,
  orderName,
  searchName,
  viewName,
} from './definition.ts';
import { effectiveModel, keptOf, newestKept } from './effective.ts';
import { compileLayers, keptOrder, keptSearch, type LayerPart } from './layer.ts';
import { type Registry, stampText } from './registry.ts';
import { type DefinitionData, reviveKeyed } from './revive.ts';

/**
 * What a reader of one model may use of what the table keeps. Of a projection any ready generation with the meaning of the
 * reader's own model will do, by its stored definition: it may lie in other shards. Of views the one shape, if it is the
 * reader's own.
 */
export interface Readable {
  /** The search as it is stored; throws `projection-not-ready`. */
  search(search: SearchModel): SearchModel;
  /** An order of an edge type as it is stored; throws `projection-not-ready`. */
  order(edge: EdgeModel, order: InboundOrder): { inbound: InboundModel; order: InboundOrder };
  /**
   * Throws `projection-not-ready` unless the table keeps a reverse item of every edge of a type: the views of all nodes that such
   * edges leave copy along it, and are ready.
   */
  checkReverseItems(edge: EdgeModel): void;
  /** An edge type's count as it is stored; undefined where the base edges have to be counted. */
  count(edge: EdgeModel): CountPlaces | undefined;
  /** All that may be used, as a model: keys and contents of the items that the reader relies on. */
  model: CompiledModel;
  /** What a view of this node has to be to be used; undefined where the base items have to be read. */
  view(id: string): UsableShape | undefined;
  /**
   * All that writers maintain, as a model: what is kept and not ready may be ready before a later answer. Undefined where this
   * reader cannot compile some of it, which none of its own answers needs.
   */
  kept: CompiledModel | undefined;
}

/** Which views may be used. */
export interface UsableShape {
  /** Stamp of the views. */
  stamp: string;
  /** Whether a missing view says that there is nothing. */
  ready: boolean;
}

/** Whether a stored view, or its absence, may be used. */
export function isUsable(shape: UsableShape | undefined, view: Item | undefined): boolean {
  if (shape === undefined) return false;
  // rule: reader-uses-views-of-the-shape
  // rule: missing-view-says-nothing-until-the-shape-is-ready
  return view === undefined ? shape.ready : stringOf(view[MODEL]) === shape.stamp;
}

/** What the registry offers a reader of a model. */
export function readableOf(registry: Registry, data: DefinitionData, own: CompiledModel): Readable {
  const mine = definitionsOf(own);
  const found = new Map<string, { definition: KeyedDefinition; generation: number } | undefined>();
  const lookUp = (name: string) => {
    if (!found.has(name)) found.set(name, usable(registry, data, own, mine.projections.get(name)));
    return found.get(name);
  };
  const ready = (name: string) => {
    const usableNow = lookUp(name);
    if (usableNow === undefined) throw notReady(registry, name, mine.projections.get(name));
    return usableNow;
  };
  const newest = newestKept(registry);
  const parts = [...mine.projections.keys()].flatMap((name): LayerPart[] => {
    const found = lookUp(name);
    if (found === undefined) return [];
    const { definition, generation } = found;
    return [{ definition, kept: keptOf(generation, generation < newest.get(name)!) }];
  });
  const views = [...mine.views.values()].map(({ definition }) => definition);
  let model: CompiledModel | undefined;
  let kept: CompiledModel | undefined;
  return {
    get model() {
      // Most reads do without it.
      model ??= compileLayers(views, parts, own, own.fingerprint);
      return model;
    },
    search(search) {
      const type = search.indexPartition.slice(0, search.indexPartition.indexOf('.'));
      const { definition, generation } = ready(searchName(type, search.name));
      return definition.kind === 'search' ? keptSearch(definition.search, { generation }) : search;
    },
    order(edge, order) {
      const { definition, generation } = ready(
        order.isNamed ? orderName(edge.type, order.name) : familyName(edge.type),
      );
      const inbound = edge.inbound!;
      if (definition.kind === 'search') return { inbound, order };
      const settings = { ...inbound, ...definition.settings };
      return { inbound: settings, order: keptOrder(edge.type, order, settings, { generation }) };
    },
    checkReverseItems(edge) {
      for (const type of edge.from) {
        const shape = registry.shapes.get(type)?.shape;
        if (shape?.ready !== true || !copiesAlong(data.get(shape.definition), edge.type))
          throw viewsNotReady(type, edge);
      }
    },
    count(edge) {
      const found = edge.count && lookUp(familyName(edge.type));
      return found && new CountPlaces(edge.type, found.generation);
    },
    view(id) {
      const type = parseNodeId(id)?.type ?? '';
      const shape = registry.shapes.get(type)?.shape;
      // rule: reader-uses-trusted-shapes
      if (shape === undefined || !shape.trusted) return undefined;
      // rule: reader-uses-shapes-of-its-own-definition
      if (shape.definition !== mine.views.get(type)?.fingerprint) return undefined;
      return { stamp: stampText(shape.id), ready: shape.ready };
    },
    get kept() {
      kept ??= modelOfKept(registry, data, own);
      return kept;
    },
  };
}

/** Whether views copy along an edge type, by their definition as data. */
function copiesAlong(definition: Data | undefined, edgeType: string): boolean {
  const { edges = [] } = (definition ?? {}) as { edges?: readonly { type: string; copy?: Data }[] };
  return edges.some(({ type, copy }) => type === edgeType && copy !== undefined);
}

function viewsNotReady(type: string, edge: EdgeModel): EdgeloomError {
  return new EdgeloomError(
    'projection-not-ready',
    `The table keeps no ${viewName(type)} that are ready and copy along ${edge.type}: not every edge has its reverse item.`,
    'Run edgeloom migrate with this model, or wait until it is done.',
  );
}

/** Why a definition of another model cannot be compiled here: its functions, or newer software, are elsewhere. */
const OF_OTHERS: ReadonlySet<string> = new Set([
  'projection-code-missing',
  'unknown-definition',
  'registry-incomplete',
]);

function modelOfKept(registry: Registry, data: DefinitionData, own: CompiledModel): CompiledModel | undefined {
  try {
    return effectiveModel(registry, data, own);
  } catch (error) {
    if (error instanceof EdgeloomError && OF_OTHERS.has(error.code)) return undefined;
    throw error;
  }
}

/** The newest ready generation with the meaning of the reader's own definition. */
function usable(
  registry: Registry,
  data: DefinitionData,
  own: CompiledModel,
  mine: Defined<KeyedDefinition> | undefined,
): { definition: KeyedDefinition; generation: number } | undefined {
  if (mine === undefined) return undefined;
  const generations = [...(registry.projections.get(mine.name)?.generations ?? [])].reverse();
  for (const { id, definition, state } of generations) {
    const stored = data.get(definition);
    // rule: reader-uses-what-is-ready
    // rule: reader-uses-its-own-meaning
    if (state !== 'ready' || stored === undefined || meaningFingerprint(stored) !== mine.meaning) continue;
    return { definition: reviveKeyed(mine.name, definition, data, own), generation: id };
  }
  return undefined;
}

function notReady(registry: Registry, name: string, mine: Defined<KeyedDefinition> | undefined): EdgeloomError {
  const generations = registry.projections.get(name)?.generations ?? [];
  const built = generations.find(({ definition, state }) => definition === mine?.fingerprint && state === 'kept');
  return new EdgeloomError(
    'projection-not-ready',
    built === undefined
      ? `The table keeps no ${name} as this model defines it.`
      : `${name} is being built and not ready yet.`,
    built === undefined ? 'Run edgeloom migrate with this model.' : 'Wait until edgeloom migrate is done.',
  );
}

/** Why the reader's own views cannot be used; for `status`. */
export function viewProblem(registry: Registry, own: CompiledModel, type: string): string | undefined {
  const shape = registry.shapes.get(type)?.shape;
  const mine = definitionsOf(own).views.get(type);
  if (shape === undefined || mine === undefined) return undefined;
  if (shape.definition !== mine.fingerprint) return `${viewName(type)} is kept as another model defines it`;
  if (!shape.trusted) return `${viewName(type)} is about to change`;
  return shape.ready ? undefined : `${viewName(type)} is being built`;
}
