import type { AttributeValue, Item } from '../../src/core/items/attribute-value.ts';
import type { ModelInput, Options } from './model.ts';

/** What producers have written, without a word of the product's: its keys and values are read here again. */

/** Attributes as plain values. */
export type Attributes = Readonly<Record<string, unknown>>;

/** A base edge. */
export interface EdgeFact {
  source: string;
  type: string;
  target: string;
  /** Its sort key. */
  key: string;
  attributes: Attributes;
}

/** The base items of a table. */
export interface Facts {
  /** By id. */
  nodes: ReadonlyMap<string, Attributes>;
  edges: readonly EdgeFact[];
  /** Parts of nodes, by the node's id and the part's name. */
  parts: ReadonlyMap<string, ReadonlyMap<string, Attributes>>;
  /** The time at which readers ask; absent: the machine's. */
  nowMs?: number | undefined;
  /** Whether edges that are over and counted are deleted: then counts and totals are right. */
  isSwept?: boolean;
}

/** The names of the table's keys. */
export function keyNames({ table }: ModelInput): { partition: string; sort: string } {
  return { partition: String(table['partitionKey'] ?? 'source'), sort: String(table['sortKey'] ?? 'target') };
}

/** Reads the base items among the items of a table. */
export function factsOf(model: ModelInput, items: Iterable<Item>): Facts {
  const { partition, sort } = keyNames(model);
  const nodes = new Map<string, Attributes>();
  const edges: EdgeFact[] = [];
  const parts = new Map<string, Map<string, Attributes>>();
  for (const item of items) {
    const { [partition]: source, [sort]: key, ...rest } = item;
    const [id, sortKey] = [textOf(source), textOf(key)];
    if (id.startsWith('~') || sortKey.startsWith('~')) continue;
    const type = sortKey.slice(0, sortKey.indexOf('-'));
    if (id === sortKey) nodes.set(id, plainItem(rest));
    else if (!sortKey.includes('-')) parts.set(id, new Map(parts.get(id)).set(sortKey, plainItem(rest)));
    else if (model.edges[type]?.['keys'] === 'hashed') {
      const { targetId, ...own } = rest;
      edges.push({ source: id, type, target: textOf(targetId), key: sortKey, attributes: plainItem(own) });
    } else {
      const target = sortKey.slice(type.length + 1);
      edges.push({ source: id, type, target, key: sortKey, attributes: plainItem(rest) });
    }
  }
  return { nodes, edges, parts };
}

/** The facts without what has ended: those that reads are of, of base items too. */
export function presentFacts(model: ModelInput, facts: Facts): Facts {
  const nowSeconds = (facts.nowMs ?? Date.now()) / 1000;
  return factsThat(model, facts, (type, attributes) => !(Number(attributes[String(type?.['expires'])]) <= nowSeconds));
}

/** The facts without what is soft-deleted: those that counts and totals are of. */
export function storedFacts(model: ModelInput, facts: Facts): Facts {
  return factsThat(model, facts, (type, attributes) =>
    [undefined, null, false].includes(attributes[String(type?.['deletedWhen'])] as undefined),
  );
}

/** The facts without what is soft-deleted and without what has ended: those that reads of projections are of. */
export function liveFacts(model: ModelInput, facts: Facts): Facts {
  return presentFacts(model, storedFacts(model, facts));
}

function factsThat(
  { nodes: types, edges: edgeTypes }: ModelInput,
  { nodes, edges, ...rest }: Facts,
  isThere: (type: Options | undefined, attributes: Attributes) => boolean,
): Facts {
  return {
    nodes: new Map([...nodes].filter(([id, own]) => isThere(types[id.slice(0, id.indexOf('-'))], own))),
    edges: edges.filter(({ type, attributes }) => isThere(edgeTypes[type], attributes)),
    ...rest,
  };
}

function textOf(value: AttributeValue | undefined): string {
  return value !== undefined && 'S' in value ? value.S : '';
}

function plainItem(item: Item): Attributes {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, plain(value)]));
}

function plain(value: AttributeValue): unknown {
  if ('S' in value) return value.S;
  if ('N' in value) return Number(value.N);
  if ('BOOL' in value) return value.BOOL;
  if ('L' in value) return value.L.map(plain);
  if ('M' in value) return plainItem(value.M);
  throw new Error(`The matrix has no values such as ${JSON.stringify(value)}.`);
}

/** Plain values as DynamoDB has them. */
export function toItem(attributes: Options): Item {
  const entries = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [name, toValue(value)]));
}

function toValue(value: unknown): AttributeValue {
  if (Array.isArray(value)) return { L: value.map(toValue) };
  return typeof value === 'number' ? { N: String(value) } : { S: String(value) };
}
