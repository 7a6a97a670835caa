import { textOfKey } from '../../core/items/keys.ts';
import { numberTextOf } from '../../core/items/plain.ts';
import { attributeName as NAME, nonEmptyAttributeNames } from '../../core/model/options/checks.ts';
import { wordsThereAre } from '../../core/model/options/nearest.ts';
import {
  either,
  exactObject,
  listOf,
  oneOf,
  optional,
  type Shape,
  type Shapes,
} from '../../core/model/options/shape.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { KEYS, type MappedItem, mappedEdge, mappedNode } from '../items.ts';
import type { SourceItem } from '../source.ts';

/** Refers to a node by attributes of an item. */
export interface NodeReference {
  /** The node type, such as `REPO`. */
  type: string;
  /**
   * The attributes whose values form the id, joined by dots, such as `['repoOwner', 'repoName']`. Nested attributes are
   * written as paths: `address.zip`.
   */
  id: readonly string[];
}

/** An edge made from each item of an entity. Items that lack an attribute of one of its ids make no edge. */
export interface EntityEdge {
  /** The edge type, such as `IN_REPO`. */
  type: string;
  /** The node where the edge begins. Default: the item's node. */
  from?: NodeReference;
  /** The node where the edge ends. */
  to: NodeReference;
  /** The attributes of the edge; use `'ALL'` if the items themselves are the edges. Default: none. */
  attributes?: readonly string[] | 'ALL';
}

/** How an entity's items map to the graph: to a node, to edges, or both. */
export interface EntityOptions {
  /** The type of the node made from each item. Default: no node. */
  node?: string;
  /** The attributes whose values form the node's id, joined by dots. Default: the entity's key attributes. */
  id?: readonly string[];
  /**
   * The node's attributes. Default: all attributes of the item, even those that the schema doesn't name, except
   * attributes that only form keys.
   */
  attributes?: readonly string[];
  /** The edges that an item makes. Default: none. If two have the same type and nodes, the first is used. */
  edges?: readonly EntityEdge[];
}

/** A mapping that also explains why it leaves an item out. */
export interface Layout {
  /**
   * Returns the nodes and edges that an item makes; an item outside the graph makes none. Throws `invalid-attribute` if
   * an attribute can't form an id, or `invalid-mapping` if an attribute has the name of a key.
   */
  (item: SourceItem): readonly MappedItem[];
  /** Returns why an item belongs to no entity; undefined if it belongs to one. */
  unplaced(item: SourceItem): string | undefined;
}

export interface Entity extends EntityOptions {
  name: string;
  /** The path at which items store each attribute. */
  fields: ReadonlyMap<string, readonly string[]>;
  /** True if `fields` come from a schema; an attribute name that the schema lacks is then a mistake. */
  hasSchema: boolean;
  /** Nested attributes are paths such as `address.zip`. */
  key: readonly string[];
  /** Stored attributes that only form keys or name the entity. */
  hidden: ReadonlySet<string>;
}

export interface Library<Declared extends object> {
  /** The mapping function's name in error messages, such as `fromToolbox`. */
  what: string;
  /** The name of the declarations in error messages, such as `entities`. */
  of: string;
  /** Shapes of the options that this library adds to `EntityOptions`. */
  own: Shapes;
  entityOf(declared: Declared): Entity;
  nameOf(item: SourceItem): { entity: string } | { reason: string };
}

export const NAMES = listOf(NAME, 'should be a list of attribute names');
const REFERENCE = exactObject({ type: NAME, id: nonEmptyAttributeNames('should name an attribute') });
const ENTITY = {
  ...{ node: optional(NAME), id: optional(NAMES), attributes: optional(NAMES) },
  edges: optional(
    listOf(
      exactObject({
        ...{ type: NAME, from: optional(REFERENCE), to: REFERENCE },
        attributes: optional(either([oneOf('ALL'), NAMES], "should be 'ALL' or a list of names")),
      }),
    ),
  ),
};

export function requireShape(what: string, shape: Shape<unknown>, given: unknown): void {
  shape(given, (path, message) => {
    throw mistake(`${[what, ...path].join('.')} ${message}.`, 'Declare it as the example of the function does.');
  });
}

export function layoutOf<Declared extends object>(library: Library<Declared>, declared: readonly Declared[]): Layout {
  const { what, of, own, nameOf } = library;
  requireShape(`${what}: ${of}`, listOf(exactObject({ ...ENTITY, ...own })), declared);
  const byName = new Map<string, Entity>();
  for (const one of declared) {
    const entity = library.entityOf(one);
    if (byName.has(entity.name)) throw mistake(`${what} has the entity ${entity.name} twice.`, 'Declare it once.');
    checkEntity(`${what}: the entity ${entity.name}`, entity);
    byName.set(entity.name, entity);
  }
  const find = (item: SourceItem): Entity | string => {
    const named = nameOf(item);
    if ('reason' in named) return named.reason;
    return byName.get(named.entity) ?? `the entity ${named.entity} is not declared`;
  };
  const map = (item: SourceItem): readonly MappedItem[] => {
    const entity = find(item);
    return typeof entity === 'string' ? [] : itemsOf(entity, item);
  };
  const unplaced = (item: SourceItem): string | undefined => {
    const entity = find(item);
    return typeof entity === 'string' ? entity : undefined;
  };
  return Object.assign(map, { unplaced });
}

export function mistake(message: string, remedy: string): EdgeloomError {
  return new EdgeloomError('invalid-argument', message, remedy);
}

function checkEntity(place: string, entity: Entity): void {
  const { node, edges = [], id = entity.key, attributes, fields, hidden } = entity;
  if (node === undefined && edges.length === 0)
    throw mistake(`${place} is nothing in the graph.`, 'Give it node: a node type, or edges; or leave it out.');
  const loose = node === undefined && edges.find(({ from }) => from === undefined);
  if (loose)
    throw mistake(`${place} has an edge ${loose.type} that leaves no node.`, 'Give it from, or give the entity node.');
  if (node !== undefined && id.length === 0)
    throw mistake(`${place} has no attributes that make an id.`, 'Give it id: the names of attributes.');
  const ofIds = [
    ...(node === undefined ? [] : id),
    ...edges.flatMap(({ from, to }) => [...(from?.id ?? []), ...to.id]),
  ];
  const ofEdges = edges.map(({ attributes: own = [] }) => own);
  const listed = [...(attributes ?? []), ...ofEdges.flatMap((own) => (own === 'ALL' ? [] : own))];
  const unknown = [
    ...ofIds.filter((one) => pathOf(entity, one) === undefined),
    ...listed.filter((one) => !fields.has(one)),
  ];
  if (entity.hasSchema && unknown.length > 0) {
    const there = wordsThereAre(unknown[0]!, fields.keys());
    throw mistake(`${place} has no attribute ${unknown[0]}${there}.`, 'Name attributes of its schema.');
  }
  const isAll = (node !== undefined && attributes === undefined) || ofEdges.includes('ALL');
  const taken = [...listed, ...(isAll ? shownOf({ fields, hidden }) : [])].find((one) => KEYS.includes(one));
  if (taken === undefined) return;
  throw mistake(`${place} shows ${taken}, which is a key of items here.`, 'List the others in attributes.');
}

function shownOf({ fields, hidden }: Pick<Entity, 'fields' | 'hidden'>): string[] {
  return [...fields].filter(([, [stored]]) => !hidden.has(stored!)).map(([shown]) => shown);
}

function itemsOf(entity: Entity, item: SourceItem): MappedItem[] {
  const { node, id: parts = entity.key, edges = [], attributes: shown = 'ALL' } = entity;
  const id = node === undefined ? undefined : idOf(entity, { type: node, id: parts }, item);
  if (node !== undefined && id === undefined) {
    const names = parts.filter((name) => isMissing(storedValue(entity, item, name)));
    throw attributeError(entity, names.join(', '), 'is missing, and makes the id');
  }
  const made = id === undefined ? [] : [mappedNode(id, picked(entity, item, shown))];
  for (const { type, from, to, attributes = [] } of edges) {
    const source = from === undefined ? id : idOf(entity, from, item);
    const target = idOf(entity, to, item);
    if (source !== undefined && target !== undefined)
      made.push(mappedEdge(source, type, target, picked(entity, item, attributes)));
  }
  const first = new Map<string, MappedItem>();
  for (const one of made) if (!first.has(textOfKey(one))) first.set(textOfKey(one), one);
  return [...first.values()];
}

function picked(entity: Entity, item: SourceItem, shown: readonly string[] | 'ALL'): Record<string, unknown> {
  const named = shown === 'ALL' ? shownOf(entity) : shown;
  const values = named.map((one) => [one, storedValue(entity, item, one)] as const);
  const all = [...(shown === 'ALL' ? unnamed(entity, item) : []), ...values].filter(([, value]) => value !== undefined);
  return Object.fromEntries(all);
}

/**
 * Returns the parts of an item that the entity doesn't name: whole attributes, and unnamed members of attributes that
 * also have named members.
 */
function unnamed({ fields, hidden }: Entity, item: SourceItem): (readonly [string, unknown])[] {
  const paths = [...fields.values()];
  return Object.entries(item).flatMap(([stored, value]) => {
    const named = paths.filter(([outer]) => outer === stored);
    if (hidden.has(stored) || named.some((path) => path.length === 1)) return [];
    if (named.length === 0 || typeof value !== 'object' || value === null) return [[stored, value] as const];
    const rest = Object.entries(value).filter(([inner]) => !named.some((path) => path[1] === inner));
    return rest.length === 0 ? [] : [[stored, Object.fromEntries(rest)] as const];
  });
}

function storedValue(entity: Entity, item: SourceItem, name: string): unknown {
  let value: unknown = item;
  for (const part of pathOf(entity, name) ?? [name]) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

/** Returns the stored path of an attribute, or of a value inside one (`address.zip`), if the schema has it. */
function pathOf({ fields }: Entity, name: string): readonly string[] | undefined {
  const [first, ...rest] = name.split('.');
  const outer = rest.length === 0 ? undefined : fields.get(first!);
  return fields.get(name) ?? (outer && [...outer, ...rest]);
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function idOf(entity: Entity, { type, id }: NodeReference, item: SourceItem): string | undefined {
  const texts: string[] = [];
  for (const name of id) {
    const value = storedValue(entity, item, name);
    if (isMissing(value)) return undefined;
    const text = ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : numberTextOf(value);
    if (text === undefined)
      throw attributeError(entity, name, 'is part of an id, but is neither a string nor a number');
    texts.push(text);
  }
  return `${type}-${joined(texts, '.')}`;
}

/** Escapes separators inside the parts, so that different items never get the same id. */
export function joined(texts: readonly string[], separator: string): string {
  if (texts.length === 1) return texts[0]!;
  return texts.map((text) => text.replaceAll('%', '%25').replaceAll(separator, escapeOf(separator))).join(separator);
}

/** The separator must be an ASCII character. */
export function escapeOf(separator: string): string {
  return `%${separator.charCodeAt(0).toString(16).toUpperCase()}`;
}

function attributeError({ name }: Entity, attribute: string, reason: string): EdgeloomError {
  return new EdgeloomError(
    'invalid-attribute',
    `The attribute ${attribute} of an item of ${name} ${reason}.`,
    'Mend the item, or name other attributes in the mapping.',
  );
}
