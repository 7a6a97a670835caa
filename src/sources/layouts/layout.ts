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

/**
 * Mappings of tables that other libraries lay out: which entity is a node of which type, and which of its attributes are edges. An item
 * names its entity, and a library's schema tells which attributes make its key, so that little is left to say.
 */

/** A node by attributes of an item: the type, and the attributes whose values make the id. */
export interface NodeReference {
  /** The node type: `REPO`. */
  type: string;
  /** The attributes whose values make the id, joined by dots: `['repoOwner', 'repoName']`. One within another: `address.zip`. */
  id: readonly string[];
}

/** An edge that an entity's items make. It is left out where an item lacks an attribute that names one of its nodes. */
export interface EntityEdge {
  /** The edge type: `IN_REPO`. */
  type: string;
  /** The node that it leaves. Default: the node of the item. */
  from?: NodeReference;
  /** The node that it enters. */
  to: NodeReference;
  /** The attributes that the edge has; `'ALL'` where the items are the edges. Default: none. */
  attributes?: readonly string[] | 'ALL';
}

/** The role of an entity's items in the graph: a node, edges, or both. */
export interface EntityOptions {
  /** The type of the node that an item is. Default: it is none. */
  node?: string;
  /** The attributes whose values make the node's id, joined by dots. Default: those of the entity's key. */
  id?: readonly string[];
  /**
   * The attributes of the node. Default: all that an item has, without those that only make keys, also such as the entity's schema does not
   * name.
   */
  attributes?: readonly string[];
  /** The edges that an item makes. Default: none. Where two are of one type between the same nodes, the first counts. */
  edges?: readonly EntityEdge[];
}

/** A mapping, which also says what it does not place. */
export interface Layout {
  /**
   * The nodes and edges that an item makes; none for one that is not of the graph. Throws `invalid-attribute`, or `invalid-mapping` for an
   * attribute with the name of a key.
   */
  (item: SourceItem): readonly MappedItem[];
  /** The reason why an item is not of the graph; undefined: it is. */
  unplaced(item: SourceItem): string | undefined;
}

/** An entity as its library knows it. */
export interface Entity extends EntityOptions {
  name: string;
  /** Where items have the entity's attributes: a name, and names within it. */
  fields: ReadonlyMap<string, readonly string[]>;
  /** True if `fields` are those of a schema: a name that is none of them is a mistake. */
  hasSchema: boolean;
  /** The attributes of its key; of one that holds others, `address.zip`. */
  key: readonly string[];
  /** Attributes that only make keys or name the entity, by the names that items have. */
  hidden: ReadonlySet<string>;
}

/** How a library's declarations become entities, and how its items name them. */
export interface Library<Declared extends object> {
  /** The function that makes the mapping: `fromToolbox`. */
  what: string;
  /** The word for what is declared: `entities`. */
  of: string;
  /** The options that an entity has besides `EntityOptions`. */
  own: Shapes;
  entityOf(declared: Declared): Entity;
  /** The name of an item's entity, or the reason why it has none that is known. */
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

/** Refuses what is declared otherwise than its shape. Throws `invalid-option`. */
export function requireShape(what: string, shape: Shape<unknown>, given: unknown): void {
  shape(given, (path, message) => {
    throw mistake(`${[what, ...path].join('.')} ${message}.`, 'Declare it as the example of the function does.');
  });
}

/** Makes the mapping of a library's table. Throws `invalid-option`. */
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

/** An error about what is declared. */
export function mistake(message: string, remedy: string): EdgeloomError {
  return new EdgeloomError('invalid-option', message, remedy);
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

/** The names of an entity's attributes that are not hidden. */
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

/** What an item has and the entity does not name: whole attributes, and what an attribute holds beside values that are named. */
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

/** The value of an attribute: under its own name, or where its schema says. */
function storedValue(entity: Entity, item: SourceItem, name: string): unknown {
  let value: unknown = item;
  for (const part of pathOf(entity, name) ?? [name]) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

/** Where items have an attribute, or a value within one: `address.zip`. Undefined: the schema has none of the name. */
function pathOf({ fields }: Entity, name: string): readonly string[] | undefined {
  const [first, ...rest] = name.split('.');
  const outer = rest.length === 0 ? undefined : fields.get(first!);
  return fields.get(name) ?? (outer && [...outer, ...rest]);
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** The id of a node that an item names; undefined where it lacks one of the attributes. */
function idOf(entity: Entity, { type, id }: NodeReference, item: SourceItem): string | undefined {
  const texts: string[] = [];
  for (const name of id) {
    const value = storedValue(entity, item, name);
    if (isMissing(value)) return undefined;
    const text = ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : numberTextOf(value);
    if (text === undefined) throw attributeError(entity, name, 'is no text and no number, and makes an id');
    texts.push(text);
  }
  return `${type}-${joined(texts, '.')}`;
}

/** The parts of an id. In several, a separator inside is written otherwise, so that no two items have one id. */
export function joined(texts: readonly string[], separator: string): string {
  if (texts.length === 1) return texts[0]!;
  return texts.map((text) => text.replaceAll('%', '%25').replaceAll(separator, escapeOf(separator))).join(separator);
}

/** How a separator is written within a part of an id: each is a character of ASCII. */
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
