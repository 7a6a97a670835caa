import { checkNativeIndexes } from '../../src/core/model/compile/check-native.ts';
import { dueList } from '../../src/core/model/compile/due-list.ts';
import { compileInbound } from '../../src/core/model/compile/inbound.ts';
import { Mistakes } from '../../src/core/model/compile/mistakes.ts';
import type {
  CompiledModel,
  EdgeModel,
  InboundModel,
  InboundSettings,
  OrderSettings,
} from '../../src/core/model/compiled.ts';
import { indexesInUse } from '../../src/core/model/compiled.ts';
import { NODE_LIST } from '../../src/core/model/node-list.ts';
import { shardCount } from '../../src/core/model/options/checks.ts';
import { INBOUND_OPTIONS, SEARCH_OPTIONS } from '../../src/core/model/options/option-tables.ts';
import { packsOf, searchesOfPack } from '../../src/core/model/projection/search-pack.ts';
import { date, number } from '../../src/core/model/schema.ts';
import { EdgeloomError, ModelError } from '../../src/foundation/errors.ts';
import {
  type Definition,
  definitionsOf,
  type FamilyDefinition,
  inboundName,
  type OrderDefinition,
  orderName,
  typingOf,
} from '../../src/registry/definition.ts';
import { compileLayers } from '../../src/registry/layer.ts';

export type ModelChange =
  | { kind: 'count'; edge: string; isCounted: boolean }
  | { kind: 'order'; edge: string; name: string; by: AddedOrder }
  | { kind: 'edge-shards'; edge: string; shards: number }
  | { kind: 'search-shards'; node: string; search: string; shards: number };

export interface AddedOrder {
  attribute: string;
  type: 'string' | 'number' | 'date';
}

export function changedModel(graph: CompiledModel, changes: readonly ModelChange[]): CompiledModel {
  return changes.reduce(withChange, graph);
}

function withChange(graph: CompiledModel, change: ModelChange): CompiledModel {
  if (change.kind === 'search-shards') return withSearchShards(graph, change);
  const edge = graph.edges.get(change.edge);
  if (edge === undefined) throw unknown('edge type', change.edge, [...graph.edges.keys()]);
  if (change.kind === 'count') return withEdge(graph, withCount(edge, change.isCounted), ownParts(graph, edge));
  if (edge.inbound?.native === true) return withNative(graph, edge, edge.inbound, change);
  if (change.kind === 'order') return withEdge(graph, edge, partsWithOrder(graph, edge, change));
  return withEdge(graph, edge, partsInShards(graph, edge, change.shards));
}

function withNative(
  graph: CompiledModel,
  edge: EdgeModel,
  inbound: InboundModel,
  change: Extract<ModelChange, { kind: 'order' | 'edge-shards' }>,
): CompiledModel {
  const path = `edges.${edge.type}.inbound`;
  if (change.kind === 'edge-shards') {
    throw new ModelError([{ path: `${path}.shards`, message: 'are of derived keys, and the orders are native' }]);
  }
  const mistakes = new Mistakes();
  checkNewOrder(edge, change.name);
  const input = { native: true, orders: { [change.name]: orderBy(change.by) } };
  const added = compileInbound(edge.type, input, graph.table, mistakes.at(path));
  if (mistakes.areAny || added === undefined) throw new ModelError(mistakes.all);
  const changed = {
    ...inbound,
    orders: new Map([...inbound.orders, ...added.orders]),
    items: [...inbound.items, ...added.items],
  };
  const model = withEdge(graph, { ...edge, inbound: changed }, ownParts(graph, edge));
  checkNativeIndexes(model, mistakes);
  mistakes.throwAny();
  return model;
}

function orderBy({ attribute, type }: AddedOrder): unknown {
  return type === 'string' ? attribute : { date, number }[type](attribute);
}

function checkNewOrder({ type, inbound }: EdgeModel, name: string): void {
  if (inbound?.orders.has(name) !== true) return;
  const path = `edges.${type}.inbound.orders.${name}`;
  throw new ModelError([{ path, message: 'is there already: give another name' }]);
}

function withSearchShards(
  graph: CompiledModel,
  { node: type, search: name, shards }: Extract<ModelChange, { kind: 'search-shards' }>,
): CompiledModel {
  const node = graph.nodes.get(type);
  if (node === undefined) throw unknown('node type', type, [...graph.nodes.keys()]);
  const search = node.searches.get(name);
  const names = [...node.searches.keys()].filter((one) => one !== NODE_LIST);
  if (search === undefined || name === NODE_LIST) throw unknown(`search of ${type}`, name, names);
  if (search.shards === 'value') {
    throw new EdgeloomError(
      'invalid-argument',
      `The search ${type}.${name} has a partition for each value, so it has no number of shards.`,
      'Ask what another search would cost with other shards.',
    );
  }
  checkShards(`nodes.${type}.search.${name}.shards`, shards);
  const pack = packsOf(node.searches.values()).find((others) => others.includes(search))!;
  const changed = searchesOfPack(pack.map((one) => (one === search ? { ...one, shards } : one)));
  const searches = new Map([...node.searches, ...changed.map((one) => [one.name, one] as const)]);
  return { ...graph, nodes: new Map(graph.nodes).set(type, { ...node, searches }) };
}

interface EdgeParts {
  family: FamilyDefinition;
  named: readonly OrderDefinition[];
}

function ownParts(graph: CompiledModel, edge: EdgeModel): EdgeParts {
  const projections = definitionsOf(graph);
  const known = projections.get(inboundName(edge.type))?.definition;
  const family: FamilyDefinition =
    known?.kind === 'inbound' ? known : { kind: 'inbound', edge: typingOf(edge), degree: false, orders: [] };
  // Skips `DUE_ORDER`, which the compiler adds.
  const named = [...(edge.inbound?.orders.keys() ?? [])].flatMap((name): OrderDefinition[] => {
    const definition = projections.get(orderName(edge.type, name))?.definition;
    return definition?.kind === 'order' ? [definition] : [];
  });
  return { family, named };
}

function withCount(edge: EdgeModel, isCounted: boolean): EdgeModel {
  if (!isCounted && edge.count?.totals !== undefined) {
    throw new EdgeloomError(
      'invalid-argument',
      `The count of ${edge.type} has sums or groups, which need it.`,
      `Take total and groupBy of edges.${edge.type} away first.`,
    );
  }
  const { count, ...rest } = edge;
  return isCounted ? { ...rest, count: count ?? UNPLACED } : rest;
}

/** Placeholder for a counted edge until `compileLayers` fills in the places. */
const UNPLACED = {} as NonNullable<EdgeModel['count']>;

function partsWithOrder(
  graph: CompiledModel,
  edge: EdgeModel,
  { name, by }: Extract<ModelChange, { kind: 'order' }>,
): EdgeParts {
  const { family, named } = ownParts(graph, edge);
  const present = [...(edge.inbound?.orders.keys() ?? [])];
  checkNewOrder(edge, name);
  const mistakes = new Mistakes();
  // An order's place depends only on the number and names of the orders before it, so any attribute will do.
  const before = present.map((one) => [one, by.attribute]);
  const input = { orders: { ...Object.fromEntries(before), [name]: orderBy(by) } };
  const compiled = compileInbound(edge.type, input, graph.table, mistakes.at(`edges.${edge.type}.inbound`));
  if (mistakes.areAny || compiled === undefined) throw new ModelError(mistakes.all);
  const { places: _, ...order } = compiled.orders.get(name)!;
  const { orders: __, items: ___, ...defaults } = compiled;
  const known = family.settings ?? named[0]?.settings;
  const settings: InboundSettings = known ?? defaults;
  const owners = family.owners ?? named[0]?.owners;
  const ofList = { settings, ...(owners && { owners }) };
  if (!order.isNamed)
    return { family: { ...family, ...ofList, orders: [...family.orders, order as OrderSettings] }, named };
  return { family, named: [...named, { kind: 'order', edge: family.edge, order: order as OrderSettings, ...ofList }] };
}

function partsInShards(graph: CompiledModel, edge: EdgeModel, shards: number): EdgeParts {
  const path = `edges.${edge.type}.inbound.shards`;
  if (edge.inbound === undefined) {
    throw new EdgeloomError(
      'invalid-argument',
      `The edge type ${edge.type} has no order, so it has no shards.`,
      `Add an order of ${edge.type} first.`,
    );
  }
  checkShards(path, shards);
  if (edge.inbound.includeTarget && shards !== 1)
    throw new ModelError([{ path, message: 'has to be 1 with includeTarget: the target is in one partition' }]);
  const { family, named } = ownParts(graph, edge);
  const inShards = (settings: InboundSettings): InboundSettings => ({ ...settings, shards });
  return {
    family: { ...family, ...(family.settings && { settings: inShards(family.settings) }) },
    named: named.map((one) => ({ ...one, settings: inShards(one.settings) })),
  };
}

/** Recompiles an edge from its parts. Only `edge` tells whether edges are counted. */
function withEdge(graph: CompiledModel, edge: EdgeModel, { family, named }: EdgeParts): CompiledModel {
  const degree = edge.count !== undefined;
  const isThere = degree || family.incoming !== undefined || family.orders.length > 0;
  const definitions: Definition[] = [...(isThere ? [{ ...family, degree }] : []), ...named];
  const parts = definitions.map((definition) => ({ definition, kept: {} }));
  const derived = compileLayers(parts, graph, graph.fingerprint).edges.get(edge.type) ?? edge;
  const { count, incoming } = derived;
  const inbound = edge.inbound?.native === true ? edge.inbound : derived.inbound;
  const { due: _, count: __, incoming: ___, inbound: ____, ...rest } = edge;
  const changed = {
    ...rest,
    ...(degree && count && { count }),
    ...(incoming && { incoming }),
    ...(inbound && { inbound }),
  };
  const due = graph.mirrored?.has(edge.type) === true ? undefined : dueList(changed);
  const edges = new Map(graph.edges).set(edge.type, { ...changed, ...(due && { due }) });
  const nodes = new Map(
    [...graph.nodes].map(([type, node]) => {
      const includedBy = node.includedBy.map((one) => edges.get(one.type) ?? one);
      return [type, { ...node, includedBy }];
    }),
  );
  return { ...graph, nodes, edges, indexes: indexesInUse(nodes.values(), edges.values()) };
}

function checkShards(path: string, shards: number): void {
  const mistakes = new Mistakes(path);
  shardCount(shards, (_path, message) => mistakes.note(message));
  mistakes.throwAny();
}

function unknown(what: string, name: string, names: readonly string[]): EdgeloomError {
  const code = what.startsWith('search') ? 'unknown-name' : 'unknown-type';
  const hint = names.length === 0 ? 'There is none.' : `There are: ${names.join(', ')}.`;
  return new EdgeloomError(code, `The model has no ${what} ${JSON.stringify(name)}.`, hint);
}

/** Returns the lines that the changes add to (`+`) or remove from (`-`) the model file, each below its path. */
export function modelDiff(graph: CompiledModel, changes: readonly ModelChange[]): string[] {
  let present = graph;
  return changes.flatMap((change) => {
    const before = present;
    present = withChange(before, change);
    switch (change.kind) {
      case 'count':
        if ((before.edges.get(change.edge)?.count !== undefined) === change.isCounted) return [];
        return [`  edges.${change.edge}`, change.isCounted ? '+   degree: true' : '-   degree: true'];
      case 'order': {
        const { attribute, type } = change.by;
        const text = JSON.stringify(attribute).replaceAll('"', "'");
        return [
          `  edges.${change.edge}.inbound.orders`,
          `+   ${change.name}: ${type === 'string' ? text : `${type}(${text})`}`,
        ];
      }
      case 'edge-shards': {
        const shards = before.edges.get(change.edge)?.inbound?.shards;
        return shardLines(`  edges.${change.edge}.inbound`, INBOUND_OPTIONS, shards, change.shards);
      }
      case 'search-shards': {
        const { node, search, shards } = change;
        const found = before.nodes.get(node)?.searches.get(search)?.shards;
        return shardLines(`  nodes.${node}.search.${search}`, SEARCH_OPTIONS, found, shards);
      }
      default:
        return change satisfies never;
    }
  });
}

function shardLines(
  path: string,
  options: typeof INBOUND_OPTIONS | typeof SEARCH_OPTIONS,
  present: number | 'value' | undefined,
  shards: number,
): string[] {
  const usual = options.shards.fill(undefined);
  if (present === shards) return [];
  return [
    path,
    ...(present === undefined || present === usual ? [] : [`-   shards: ${present}`]),
    ...(shards === usual ? [] : [`+   shards: ${shards}`]),
  ];
}
