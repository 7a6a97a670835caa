import { createHash } from 'node:crypto';
import type { AttributeValue, Item } from '../../../../src/core/items/attribute-value.ts';
import { type Exact, exactOf, isSummable, plus, textOf } from '../../kernel/decimal.ts';
import { compareBytes, text } from '../../kernel/values.ts';
import type { EdgeSpec, Ledger, Spec } from './spec.ts';

/**
 * The oracle: what the base items say, worked out with nothing of the product. Written from the user's pages and from the rules alone.
 */

/** A base edge. */
export interface Edge {
  spec: EdgeSpec;
  source: string;
  target: string;
  sortKey: string;
  item: Item;
}

/** The base items of a table, sorted out. */
export interface Truth {
  nodes: ReadonlyMap<string, Item>;
  /** Parts by their node's id and their name. */
  parts: ReadonlyMap<string, ReadonlyMap<string, Item>>;
  edges: readonly Edge[];
  /** Base items that belong in quarantine: partition and sort key. */
  bad: readonly string[];
}

/** A total as the reader should give it. */
export interface Total {
  count: number;
  problems: number;
  sums: Record<string, string>;
  groups: Record<string, Record<string, number>>;
}

/** The direction in which a total counts edges. */
export type Direction = 'inbound' | 'outgoing';

const GROUP_BYTES = 256;

/** Sorts out the base items. */
export function truthOf(spec: Spec, items: readonly Item[]): Truth {
  const nodes = new Map<string, Item>();
  const parts = new Map<string, Map<string, Item>>();
  const edges: Edge[] = [];
  const bad: string[] = [];
  for (const item of items) {
    const [source, sortKey] = [text(item[spec.names.partitionKey])!, text(item[spec.names.sortKey])!];
    const type = source.split('-', 1)[0]!;
    if (sortKey.startsWith('~') || spec.nodes[type] === undefined) continue;
    const part = spec.nodes[type].parts[sortKey];
    const edge = spec.edges.find((one) => sortKey.startsWith(`${one.type}-`));
    if (source === sortKey) nodes.set(source, item);
    else if (part !== undefined) {
      parts.set(source, (parts.get(source) ?? new Map()).set(sortKey, item));
      if (part.searches.some((name) => item[name] !== undefined && text(item[name]) === undefined))
        bad.push(nameOf(source, sortKey));
    } else if (edge !== undefined) {
      const target = targetOf(edge, sortKey, item);
      // An edge to a node of a type that the model does not have is of no concern, as its node is.
      const targetType = /^([A-Z][A-Z0-9_]*)-./s.exec(target ?? '')?.[1];
      if (targetType !== undefined && spec.nodes[targetType] === undefined) continue;
      const fits =
        target !== undefined && edge.from.includes(type) && targetType !== undefined && edge.to.includes(targetType);
      if (fits) edges.push({ spec: edge, source, target, sortKey, item });
      if (!fits || isBad(edge, item)) bad.push(nameOf(source, sortKey));
    }
  }
  return { nodes, parts, edges, bad: bad.sort() };
}

/** A base item in one text. */
export function nameOf(source: string, sortKey: string): string {
  return `${source} > ${sortKey}`;
}

/** The sort key of an edge. */
export function sortKeyOf({ type, hashed }: EdgeSpec, target: string): string {
  return hashed ? `${type}-#${createHash('sha256').update(target).digest('hex').slice(0, 32)}` : `${type}-${target}`;
}

function targetOf(spec: EdgeSpec, sortKey: string, item: Item): string | undefined {
  if (!spec.hashed) return sortKey.slice(spec.type.length + 1);
  const target = text(item['targetId']);
  return target !== undefined && sortKeyOf(spec, target) === sortKey ? target : undefined;
}

function isBad(spec: EdgeSpec, item: Item): boolean {
  if (spec.byDate && item['date'] !== undefined && text(item['date']) === undefined) return true;
  return [spec.inbound, spec.outgoing].some((ledger) => ledger !== undefined && problemsOf(ledger, item) > 0);
}

/** The values of an edge that a total cannot take. */
export function problemsOf({ total, by }: Ledger, item: Item): number {
  const sums = Object.values(total).filter((name) => item[name] !== undefined && summand(item[name]) === undefined);
  const groups = Object.values(by).filter((name) => item[name] !== undefined && group(item[name]) === undefined);
  return sums.length + groups.length;
}

function summand(value: AttributeValue): Exact | undefined {
  const number = 'N' in value ? exactOf(value.N) : undefined;
  return number !== undefined && isSummable(number) ? number : undefined;
}

/** The value of a group with its type; undefined: the group takes none such. */
export function group(value: AttributeValue): { type: 'text' | 'number' | 'truth'; text: string } | undefined {
  if ('S' in value) return Buffer.byteLength(value.S) > GROUP_BYTES ? undefined : { type: 'text', text: value.S };
  if ('BOOL' in value) return { type: 'truth', text: String(value.BOOL) };
  const number = summand(value);
  return number && { type: 'number', text: textOf(number) };
}

/** The total of a node's edges of a type. */
export function totalOf({ edges }: Truth, spec: EdgeSpec, direction: Direction, id: string): Total {
  const ledger = spec[direction]!;
  const end = direction === 'inbound' ? 'target' : 'source';
  const counted = edges.filter((edge) => edge.spec === spec && edge[end] === id);
  const total: Total = { count: counted.length, problems: 0, sums: {}, groups: {} };
  for (const { item } of counted) total.problems += problemsOf(ledger, item);
  for (const [name, attribute] of Object.entries(ledger.total)) {
    const values = counted.flatMap(({ item }) => (item[attribute] && summand(item[attribute])) ?? []);
    total.sums[name] = textOf(values.reduce(plus, { units: 0n, exponent: 0 }));
  }
  for (const [name, attribute] of Object.entries(ledger.by)) {
    const values = counted.flatMap(({ item }) => (item[attribute] && group(item[attribute])) ?? []);
    total.groups[name] = {};
    for (const { type, text } of values) {
      const isAmbiguous = type === 'text' && values.some((other) => other.type !== 'text' && other.text === text);
      const key = isAmbiguous ? JSON.stringify(text) : text;
      const groups = total.groups[name];
      Object.defineProperty(groups, key, {
        value: (Object.hasOwn(groups, key) ? groups[key]! : 0) + 1,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
  }
  return total;
}

/** What `get` shows of a node. */
export interface Shown {
  attributes: Record<string, unknown> | null;
  edgeSet: { type: string; target: string; copy?: Record<string, unknown> }[];
}

/** The node as `get` should show it. */
export function shownOf(spec: Spec, { nodes, parts, edges }: Truth, id: string): Shown {
  const model = spec.nodes[id.split('-', 1)[0]!]!;
  const node = nodes.get(id);
  let attributes: Shown['attributes'] = null;
  if (node !== undefined) {
    attributes = attributesOf(spec, node, model.view);
    for (const [name, item] of parts.get(id) ?? [])
      attributes[name] = attributesOf(spec, item, model.parts[name]!.view);
  }
  const edgeSet = edges
    .filter((edge) => edge.source === id && edge.spec.listed)
    .map(({ spec: edge, target }) => {
      const parent = edge.copies ? nodes.get(target) : undefined;
      return { type: edge.type, target, ...(parent && { copy: attributesOf(spec, parent, ['name']) }) };
    })
    .sort((left, right) => compareBytes(left.type, right.type) || compareBytes(left.target, right.target));
  return { attributes, edgeSet };
}

function attributesOf(spec: Spec, item: Item, view: 'ALL' | readonly string[]): Record<string, unknown> {
  const { partitionKey, sortKey, ttl } = spec.names;
  const names =
    view === 'ALL' ? Object.keys(item).filter((name) => ![partitionKey, sortKey, ttl].includes(name)) : view;
  return Object.fromEntries(names.flatMap((name) => (item[name] === undefined ? [] : [[name, plain(item[name])]])));
}

function plain(value: AttributeValue): unknown {
  if ('S' in value) return value.S;
  if ('BOOL' in value) return value.BOOL;
  if ('N' in value) return Number(value.N);
  throw new Error(`No node of the attack has such a value: ${JSON.stringify(value)}`);
}

/** The nodes that a search by a part's attribute finds, by id. */
export function foundBy({ parts }: Truth, type: string, part: string, attribute: string, value: string): string[] {
  return [...parts]
    .filter(([id, own]) => id.startsWith(`${type}-`) && text(own.get(part)?.[attribute]) === value)
    .map(([id]) => id)
    .sort(compareBytes);
}

/** The sources of a target's edges in an order, by id. A part of a node that does not exist orders nothing. */
export function orderedIn(truth: Truth, spec: EdgeSpec, order: 'gsi0' | 'byState', target: string): string[] {
  return truth.edges
    .filter((edge) => edge.spec === spec && edge.target === target)
    .filter(({ source, item }) => {
      if (order === 'gsi0') return text(item['date']) !== undefined;
      return truth.nodes.has(source) && text(truth.parts.get(source)?.get('STATE')?.['status']) !== undefined;
    })
    .map(({ source }) => source)
    .sort(compareBytes);
}
