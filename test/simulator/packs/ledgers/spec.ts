import type { CompiledModel } from '../../../../src/core/model/compiled.ts';
import { defineGraph, edge, node, part, source, sum } from '../../../../src/index.ts';
import { inboundOption } from '../../../support/inbound-option.ts';
import type { Random } from '../../kernel/random.ts';
import type { Names } from '../../kernel/table.ts';

/** Sums and groups of one direction: attributes of the edge by the names in results. */
export interface Ledger {
  total: Readonly<Record<string, string>>;
  by: Readonly<Record<string, string>>;
}

/** An edge type of an attacked model. */
export interface EdgeSpec {
  type: string;
  from: readonly string[];
  to: readonly string[];
  inbound?: Ledger;
  outgoing?: Ledger;
  hashed: boolean;
  /** Whether the source's view lists the edges. */
  listed: boolean;
  copies: boolean;
  /** An order of incoming edges by a text of the edge. */
  byDate: boolean;
  /** An order by an attribute of a part of the source. */
  byPart: boolean;
}

/** A part of a node type. */
export interface PartSpec {
  view: 'ALL' | readonly string[];
  searches: readonly string[];
}

/** A node type. */
export interface NodeSpec {
  view: 'ALL' | readonly string[];
  parts: Readonly<Record<string, PartSpec>>;
}

/** A model as the attack knows it: the oracle works on this, the product on `graph`. */
export interface Spec {
  names: Names;
  nodes: Readonly<Record<string, NodeSpec>>;
  edges: readonly EdgeSpec[];
  graph: CompiledModel;
}

const SUMS = { hours: 'hours', cost: 'cost', again: 'hours' };
const GROUPS = { kind: 'kind', level: 'level', hours: 'hours' };

/** Throws a model. */
export function throwSpec(dice: Random): Spec {
  const names = dice.chance(0.2)
    ? { partitionKey: 'pk', sortKey: 'sk', ttl: 'goneAt' }
    : { partitionKey: 'source', sortKey: 'target', ttl: 'expiresAt' };
  const nodes: Record<string, NodeSpec> = {
    USER: {
      view: dice.pick(['ALL', ['name']] as const),
      parts: {
        STATE: { view: ['status'], searches: dice.chance(0.7) ? ['status'] : [] },
        ...(dice.chance(0.6) && { PROFILE: { view: dice.pick(['ALL', ['about']] as const), searches: [] } }),
      },
    },
    PROJECT: { view: ['name'], parts: dice.chance(0.3) ? { STATE: { view: 'ALL', searches: [] } } : {} },
  };
  const edges = [
    edgeSpec(dice, 'WORKED_ON', ['USER'], ['PROJECT']),
    ...(dice.chance(0.6) ? [edgeSpec(dice, 'LIKES', ['USER'], ['USER', 'PROJECT'])] : []),
  ];
  return { names, nodes, edges, graph: graphOf(names, nodes, edges) };
}

function edgeSpec(dice: Random, type: string, from: readonly string[], to: readonly string[]): EdgeSpec {
  const direction = dice.weighted({ inbound: 5, outgoing: 3, both: 4 });
  const hashed = dice.chance(0.2);
  const listed = dice.chance(0.5);
  return {
    type,
    from,
    to,
    ...(direction !== 'outgoing' && { inbound: ledger(dice) }),
    ...(direction !== 'inbound' && { outgoing: ledger(dice) }),
    hashed,
    listed,
    copies: listed && !hashed && dice.chance(0.3),
    byDate: dice.chance(0.4),
    byPart: dice.chance(0.35),
  };
}

function ledger(dice: Random): Ledger {
  const some = (all: Readonly<Record<string, string>>, probability: number): Record<string, string> =>
    Object.fromEntries(Object.entries(all).filter(() => dice.chance(probability)));
  const chosen = { total: some(SUMS, 0.6), by: some(GROUPS, 0.5) };
  const isEmpty = Object.keys(chosen.total).length + Object.keys(chosen.by).length === 0;
  return isEmpty ? { total: { hours: 'hours' }, by: {} } : chosen;
}

function graphOf(
  { partitionKey, sortKey, ttl }: Names,
  nodes: Readonly<Record<string, NodeSpec>>,
  edges: readonly EdgeSpec[],
): CompiledModel {
  return defineGraph({
    table: { name: 'attacked', partitionKey, sortKey, ttl },
    nodes: Object.fromEntries(
      Object.entries(nodes).map(([type, { view, parts }]) => [type, node({ view, parts: partsOf(parts) })]),
    ),
    edges: Object.fromEntries(edges.map((spec) => [spec.type, edgeOf(spec)])),
  } as never) as CompiledModel;
}

function partsOf(parts: NodeSpec['parts']): Record<string, ReturnType<typeof part>> {
  return Object.fromEntries(
    Object.entries(parts).map(([name, { view, searches }]) => [
      name,
      part({ view, search: Object.fromEntries(searches.map((attribute) => [attribute, { shards: 2 }])) } as never),
    ]),
  );
}

function edgeOf({ from, to, inbound, outgoing, hashed, listed, copies, byDate, byPart }: EdgeSpec): unknown {
  const entries = {
    ...(inbound && ledgerOf(inbound)),
    ...(byDate && { gsi0: 'date' }),
    ...(byPart && { byState: source('STATE.status') }),
  };
  return edge({
    from,
    to,
    ...(Object.keys(entries).length > 0 && { inbound: inboundOption(entries) }),
    ...(outgoing && { outgoing: ledgerOf(outgoing) }),
    ...(hashed && { keys: 'hashed' }),
    ...(!listed && { edgeSet: false }),
    ...(copies && { copy: ['name'] }),
  } as never);
}

function ledgerOf({ total, by }: Ledger): object {
  const each = <T>(names: Readonly<Record<string, string>>, make: (attribute: string) => T): Record<string, T> =>
    Object.fromEntries(Object.entries(names).map(([name, attribute]) => [name, make(attribute)]));
  return { total: each(total, (attribute) => sum(attribute)), groupBy: Object.values(by) };
}
