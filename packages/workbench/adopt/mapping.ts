import { INDEX_KEYS } from '../../../src/core/items/derived-item.ts';
import { isDerivedKey } from '../../../src/core/items/keys.ts';
import { numberTextOf, toPlainItem } from '../../../src/core/items/plain.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import { type MappedItem, mappedEdge, mappedNode } from '../../../src/sources/items.ts';
import { fromElectroDB } from '../../../src/sources/layouts/electrodb.ts';
import { type EntityOptions, joined, type Layout } from '../../../src/sources/layouts/layout.ts';
import { fromOneTable } from '../../../src/sources/layouts/onetable.ts';
import { fromToolbox } from '../../../src/sources/layouts/toolbox.ts';
import { mapped } from '../../../src/sources/mapped.ts';
import { type SourceItem, sourceTable } from '../../../src/sources/source.ts';
import type { Field } from './kinds.ts';
import type { LeftOut, Proposal, ProposedKind, Reference } from './propose.ts';
import { OF_LIBRARIES } from './sampled-item.ts';

/** A proposal as a mapping that runs: it is tried on the sample before it is written. */

/** Names that items of the graph cannot have as attributes. */
export const RESERVED: ReadonlySet<string> = new Set([
  ...['source', 'target', 'expiresAt', '__proto__'],
  ...Object.values(INDEX_KEYS).flatMap(({ partition, sort }) => [partition, sort]),
]);
type Mapping = ((item: SourceItem) => readonly MappedItem[]) & Partial<Pick<Layout, 'unplaced'>>;

/** The most attributes that a proposal names for one kind. */
const MOST_ATTRIBUTES = 200;

/** Edge types of a proposal, by name. */
export function edgeTypes({ kinds }: Proposal): Map<string, { from: string; to: string }> {
  const all = kinds.flatMap(({ edges }) => edges);
  return new Map(all.map(({ type, from, to }) => [type, { from: from.type, to: to.type }]));
}

/** The attributes of a kind's items that nodes and edges can have, most frequent first. */
export function attributesOf({ items }: ProposedKind): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { names } of items) for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map([...counts].sort(([, a], [, b]) => b - a));
}

/** The arguments of the function that makes a mapping of a library's table. */
export function layoutArguments(proposal: Proposal, indexKeys: ReadonlySet<string>): unknown[] {
  const { library, kinds, keys } = proposal;
  const entities = kinds.map((kind) => ({ ...ownArguments(proposal, kind), ...roleOf(proposal, kind) }));
  if (library === '__edb_e__') return [entities];
  if (library === '_et') {
    const hidden = [...keys.filter((key) => key !== undefined), ...indexKeys];
    return [entities, { hidden }];
  }
  const [hash, sort] = keys;
  const models = Object.fromEntries(kinds.map((kind) => [kind.mark!.value, fieldsOf(kind)]));
  return [{ indexes: { primary: { hash, ...(sort !== undefined && { sort }) } }, models }, entities];
}

/** The part of an entity that names it. */
function ownArguments({ library }: Proposal, kind: ProposedKind): object {
  const { mark, version, key } = kind;
  if (library === '_type') return { model: mark!.value };
  if (library === '_et') return { entity: mark!.value };
  const composite = key.map(({ name }) => name);
  return {
    schema: {
      model: { entity: mark!.value, version: version ?? '' },
      attributes: fieldsOf(kind),
      indexes: { primary: { pk: { composite } } },
    },
  };
}

/** The attributes of an entity, as its schema names them. */
function fieldsOf(kind: ProposedKind): Record<string, object> {
  const names = [...namesOf(kind), ...kind.key, ...kind.edges.flatMap(({ from, to }) => [...from.id, ...to.id])];
  return Object.fromEntries(names.map((one) => [typeof one === 'string' ? one : one.name, {}]));
}

function namesOf(kind: ProposedKind): string[] {
  return [...attributesOf(kind).keys()].filter(isShown).slice(0, MOST_ATTRIBUTES);
}

/** The part of an entity that says what it is in the graph. */
function roleOf({ library }: Proposal, kind: ProposedKind): EntityOptions {
  const { node, edges, key } = kind;
  const named = ({ type, id }: Reference) => ({ type, id: id.map(({ name }) => name) });
  const isClash = [...attributesOf(kind).keys(), ...key.map(({ name }) => name)].some(isReserved);
  return {
    ...(node && {
      node: node.type,
      ...(library !== '__edb_e__' && { id: key.map(({ name }) => name) }),
      ...(isClash && { attributes: namesOf(kind) }),
    }),
    ...(edges.length > 0 && {
      edges: edges.map(({ type, from, to, isWhole }) => ({
        type,
        ...(isWhole && { from: named(from) }),
        to: named(to),
        ...(isWhole && { attributes: namesOf(kind) }),
      })),
    }),
  };
}

/** Says if a node or an edge can have an attribute. */
export function isShown(name: string): boolean {
  return !isReserved(name) && !OF_LIBRARIES.has(name);
}

function isReserved(name: string): boolean {
  return RESERVED.has(name) || isDerivedKey(name);
}

/** The mapping of a proposal; that of a library's table also says why it does not place an item. */
export function mappingOf(proposal: Proposal, indexKeys: ReadonlySet<string>): Mapping {
  const { library } = proposal;
  if (library === undefined) return (item) => mapByKeys(proposal, indexKeys, item);
  const make = { __edb_e__: fromElectroDB, _type: fromOneTable, _et: fromToolbox }[library];
  return (make as (...given: unknown[]) => Layout)(...layoutArguments(proposal, indexKeys));
}

/** Does the same as the written cases. */
function mapByKeys(
  { kinds, keys, separator }: Proposal,
  indexKeys: ReadonlySet<string>,
  item: SourceItem,
): MappedItem[] {
  const texts = keys.map((name) => String(name === undefined ? '' : item[name]));
  for (const { patterns, mark, isSelf, node, edges } of kinds) {
    const found = patterns!.map((pattern, i) => pattern.exec(texts[i] ?? ''));
    if (found.includes(null) || (mark !== undefined && item[mark.attribute] !== mark.value)) continue;
    if (isSelf === true && texts[0] !== texts[1]) continue;
    const places = found.flatMap((one) => one!.slice(1));
    const textOf = ({ name, place, prefix = '' }: Field): string => {
      const text = place === undefined ? textOfAttribute(item[name]) : places[place]!;
      return text.startsWith(prefix) ? text.slice(prefix.length) : '';
    };
    const idOf = ({ type, id }: Reference): string => `${type}-${joined(id.map(textOf), separator)}`;
    const hidden = new Set([...keys, ...indexKeys]);
    const attributes = Object.fromEntries(Object.entries(item).filter(([name]) => !hidden.has(name) && isShown(name)));
    return [
      ...(node === undefined ? [] : [mappedNode(idOf(node), attributes)]),
      ...edges
        .filter(({ to }) => to.id.every((field) => textOf(field) !== ''))
        .map(({ type, from, to, isWhole }) => mappedEdge(idOf(from), type, idOf(to), isWhole ? attributes : {})),
    ];
  }
  return [];
}

/** The text of a value that can be an id, a text or a number; of others none. */
function textOfAttribute(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : (numberTextOf(value) ?? '');
}

/** The model of a proposal. */
export function graphOf(proposal: Proposal, table: string): CompiledModel {
  const edges = edgeTypes(proposal);
  return defineGraph({
    table,
    nodes: Object.fromEntries(proposal.nodes.map((type) => [type, node({ view: 'ALL' })])),
    edges: Object.fromEntries([...edges].map(([type, ends]) => [type, edge(ends)])),
    mirrored: [...proposal.nodes, ...edges.keys()],
  });
}

/** The items of the sample that the mapping does not place, by the reason; those with most items first. */
export function unplaced(proposal: Proposal, table: string, indexKeys: ReadonlySet<string>): LeftOut[] {
  const [partitionKey, sortKey] = proposal.keys;
  const groups = new Map<string, LeftOut>();
  const leave = (keys: readonly [string, string], reason: string): void => {
    const group = groups.get(reason) ?? { items: 0, example: keys, reason };
    group.items += 1;
    groups.set(reason, group);
  };
  const map = mappingOf(proposal, indexKeys);
  const known = proposal.kinds.flatMap(({ items }) => items);
  const all = new Set([...proposal.leftOut.keys(), ...known]);
  const graph = proposal.nodes.length === 0 ? undefined : graphOf(proposal, `${table}-graph`);
  const keys = sortKey === undefined ? { partitionKey } : { partitionKey, sortKey };
  const of = sourceTable(table, { map, keys });
  for (const one of all) {
    const found = graph === undefined ? NOTHING : reasonOf(() => mapped(graph, of, '', toPlainItem(one.item)).size);
    if (found === undefined) continue;
    const reason = map.unplaced?.(toPlainItem(one.item)) ?? proposal.leftOut.get(one) ?? found;
    leave(one.keys, reason);
  }
  return [...groups.values()].sort((a, b) => b.items - a.items);
}

const NOTHING = 'it makes no node and no edge';

function reasonOf(map: () => number): string | undefined {
  try {
    return map() === 0 ? NOTHING : undefined;
  } catch (error) {
    // The message names the item, which the reason is counted without.
    const text = error instanceof Error ? error.message : String(error);
    return text.replace(/^The mapping of .*?\}:? /s, '').replace(/\.$/, '');
  }
}
