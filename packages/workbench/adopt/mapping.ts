import { type AttributeValue, attributeOf } from '../../../src/core/items/attribute-value.ts';
import { INDEX_KEYS } from '../../../src/core/items/derived-item.ts';
import { isDerivedKey } from '../../../src/core/items/keys.ts';
import { numberTextOf, toPlainItem } from '../../../src/core/items/plain.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import { messageOf } from '../../../src/foundation/errors.ts';
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
import { tally } from './texts.ts';

export const RESERVED: ReadonlySet<string> = new Set([
  ...['source', 'target', '__proto__'],
  ...Object.values(INDEX_KEYS).flatMap(({ partition, sort }) => [partition, sort]),
]);
type Mapping = ((item: SourceItem) => readonly MappedItem[]) & Partial<Pick<Layout, 'unplaced'>>;

/** Source items are unlikely to have an attribute with this name, which would be mistaken for a TTL. */
export const TTL = 'edgeloomExpiresAt';
const [DELETED, ENDS] = [/^_?(is_?)?deleted(_?(at|on))?$/i, /^_?ttl$/i];
/** Range of seconds since 1970. Other numbers are durations or milliseconds. */
const [LEAST_SECONDS, MOST_SECONDS] = [1e9, 1e11];

export function edgeTypes({ kinds }: Proposal): Map<string, { from: string; to: string }> {
  const all = kinds.flatMap(({ edges }) => edges);
  return new Map(all.map(({ type, from, to }) => [type, { from: from.type, to: to.type }]));
}

export function attributesOf({ items }: ProposedKind): Map<string, number> {
  const counts = tally(items.flatMap(({ names }) => names));
  return new Map([...counts].sort(([, a], [, b]) => b - a));
}

export function endsOfKind(kind: ProposedKind, ttl: string | undefined): { deletedWhen?: string; expires?: string } {
  const names = [...attributesOf(kind).keys()].filter(isShown).sort();
  const find = (isMeant: (name: string) => boolean, isTaken: (value: AttributeValue) => boolean): string | undefined =>
    names.find(
      (name) => isMeant(name) && kind.items.every(({ item }) => isTaken(attributeOf(item, name) ?? { NULL: true })),
    );
  const deletedWhen = find(
    (name) => DELETED.test(name),
    (value) => !('N' in value && Number(value.N) === 0) && !('S' in value && /^(|0|no|false)$/i.test(value.S)),
  );
  const expires = find(
    (name) => name === ttl || ENDS.test(name),
    (value) => 'NULL' in value || ('N' in value && Number(value.N) > LEAST_SECONDS && Number(value.N) < MOST_SECONDS),
  );
  return { ...(deletedWhen !== undefined && { deletedWhen }), ...(expires !== undefined && { expires }) };
}

export function layoutArguments(proposal: Proposal, indexKeys: ReadonlySet<string>): unknown[] {
  const { library, kinds, keys } = proposal;
  const entities = kinds.map((of) => ({ ...ownArguments(proposal, of, indexKeys), ...entityOptionsOf(proposal, of) }));
  if (library === '__edb_e__') return [entities];
  if (library === '_et') return [entities, { hidden: [...keys, ...indexKeys] }];
  const [hash, sort] = keys;
  const models = Object.fromEntries(kinds.map((kind) => [kind.mark!.value, fieldsOf(kind, 'map')]));
  const others = Object.fromEntries([...indexKeys].map((name) => [name, { hash: name }]));
  return [{ indexes: { primary: { hash, ...(sort !== undefined && { sort }) }, ...others }, models }, entities];
}

function ownArguments({ library, keys }: Proposal, kind: ProposedKind, indexKeys: ReadonlySet<string>): object {
  const { mark, version, key } = kind;
  if (library === '_type') return { model: mark!.value };
  if (library === '_et') {
    const savedAs = Object.fromEntries(renamed(kind).map((name) => [shownName(name), name]));
    return { entity: mark!.value, ...(Object.keys(savedAs).length > 0 && { savedAs }) };
  }
  const [pk, sk] = keys;
  const primary = {
    pk: { field: pk, composite: key.map(({ name }) => shownName(name)) },
    ...(sk && { sk: { field: sk } }),
  };
  const others = Object.fromEntries([...indexKeys].map((name) => [name, { index: name, pk: { field: name } }]));
  return {
    schema: {
      model: { entity: mark!.value, version: version ?? '' },
      attributes: fieldsOf(kind, 'field'),
      indexes: { primary, ...others },
    },
  };
}

/** Returns the attributes that a schema must name: ids, and those that are renamed in the graph. */
function fieldsOf(kind: ProposedKind, renames: 'field' | 'map'): Record<string, object> {
  const ids = [...kind.key, ...kind.edges.flatMap(({ from, to }) => [...from.id, ...to.id])].map(({ name }) => name);
  const names = [...new Set([...ids, ...renamed(kind)])].sort();
  return Object.fromEntries(names.map((name) => [shownName(name), isReserved(name) ? { [renames]: name } : {}]));
}

function renamed(kind: ProposedKind): string[] {
  return [...attributesOf(kind).keys()].filter(isReserved).sort();
}

function shownName(name: string): string {
  return isReserved(name) ? `${name.replace(/^~/, '')}_` : name;
}

/** An entity of ElectroDB needs no `id`, because the key attributes of its schema form it. */
function entityOptionsOf({ library }: Proposal, { node, edges, key }: ProposedKind): EntityOptions {
  const names = (id: readonly Field[]): string[] => id.map(({ name }) => shownName(name));
  const named = ({ type, id }: Reference) => ({ type, id: names(id) });
  return {
    ...(node && { node: node.type, ...(library !== '__edb_e__' && { id: names(key) }) }),
    ...(edges.length > 0 && {
      edges: edges.map(({ type, from, to, isWhole }) => ({
        type,
        ...(isWhole && { from: named(from) }),
        to: named(to),
        ...(isWhole && { attributes: 'ALL' as const }),
      })),
    }),
  };
}

export function isShown(name: string): boolean {
  return !isReserved(name) && !OF_LIBRARIES.has(name);
}

function isReserved(name: string): boolean {
  return RESERVED.has(name) || isDerivedKey(name);
}

/** A library's mapping can also tell why it doesn't place an item. */
export function mappingOf(proposal: Proposal, indexKeys: ReadonlySet<string>): Mapping {
  const { library } = proposal;
  if (library === undefined) return (item) => mapByKeys(proposal, indexKeys, item);
  const make = { __edb_e__: fromElectroDB, _type: fromOneTable, _et: fromToolbox }[library];
  return (make as (...given: unknown[]) => Layout)(...layoutArguments(proposal, indexKeys));
}

/** Must do the same as the cases that `casesText` generates. */
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

function textOfAttribute(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : (numberTextOf(value) ?? '');
}

export function graphOf(proposal: Proposal, table: string): CompiledModel {
  const edges = edgeTypes(proposal);
  return defineGraph({
    table: { name: table, ttl: TTL },
    nodes: Object.fromEntries(proposal.nodes.map((type) => [type, node({ view: 'ALL' })])),
    edges: Object.fromEntries([...edges].map(([type, ends]) => [type, edge(ends)])),
    mirrored: [...proposal.nodes, ...edges.keys()],
  });
}

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
    // The message names the item; group by the rest.
    const text = messageOf(error);
    return text.replace(/^The mapping of \S*: /, '').replace(/\.$/, '');
  }
}
