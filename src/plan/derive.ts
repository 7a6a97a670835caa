import {
  type AttributeValue,
  attributeOf,
  type Item,
  itemSizeBytes,
  setOwn,
  typeOf,
  withBytes,
} from '../model/attribute-value.ts';
import { classify } from '../model/base-item.ts';
import type {
  EdgeModel,
  InboundModel,
  LabelModel,
  NodeModel,
  OrderModel,
  Projection,
  SearchModel,
} from '../model/compile.ts';
import { ATTRIBUTES, INDEX_KEYS, VALUE } from '../model/derived-item.ts';
import { encodeLabel, escapedEdge, LabelError } from '../model/element.ts';
import { EncodingError, encodeValue, indexSortKey, isWellFormed, typeName } from '../model/encoding.ts';
import type { AnyGraph, IndexName } from '../model/graph.ts';
import { inboundPartition, searchPartition } from '../model/index-partition.ts';
import { edgeIndexKey, isWithinBytes, SORT_KEY_BYTES, searchKey, searchValueKey } from '../model/keys.ts';
import { toPlainItem } from '../model/plain.ts';
import type { DeriveContext } from '../model/schema.ts';

/**
 * The planner: what one base item wants derived from it. Stream, check, repair and `waitForProjection` share it.
 *
 * It is a total function of the image: a part that cannot be derived (an attribute of the wrong type, a key that is too
 * long) is wanted absent and reported as a problem. So a bad image never hides the good parts beside it, and a record
 * that mends it finds the same old state whatever happened before.
 */

/** What is derived from one base item image. */
export interface Derived {
  /** The edge's element in its source's view; absent where the type is left out of the set. */
  element?: string;
  /** The node's projected attributes; present exactly when the node is. */
  attributes?: Item;
  /** Wanted fields of index items, by sort key. */
  indexItems: ReadonlyMap<string, Item>;
  /** What could not be derived, and why. */
  problems: readonly Problem[];
}

/** Why a part of a base item could not be derived. */
export interface Problem {
  code: 'misfit' | 'wrong-type' | 'undeclared-label' | 'derive-failed' | 'key-too-long' | 'item-too-large';
  /** The base item's attribute, where one is to blame. */
  attribute?: string;
  /** One sentence that names the attribute and the index or label it was needed for. */
  message: string;
}

const NO_ITEMS: ReadonlyMap<string, Item> = new Map();
const NOTHING: Derived = { indexItems: NO_ITEMS, problems: [] };
/** DynamoDB's limit on an item, in bytes, less what an index item carries besides its fields. */
const ITEM_BYTES = 400 * 1024 - 4096;

/** Derives everything that a base item image wants; an undefined image (the item is absent) wants nothing. */
export function derive(graph: AnyGraph, source: string, sortKey: string, image: Item | undefined): Derived {
  return image === undefined ? NOTHING : deriver(graph, source, sortKey)(image);
}

/** `derive` for many images of one base item: what its keys say is worked out once. */
export function deriver(graph: AnyGraph, source: string, sortKey: string): (image: Item | undefined) => Derived {
  const kind = classify(graph, source, sortKey);
  let wantedBy: (image: Item) => Derived = () => NOTHING;
  if (kind.kind === 'node') {
    wantedBy = (image) => deriveNode(graph, kind.node, source, image);
  } else if (kind.kind === 'edge') {
    const keys = edgeKeys(kind.edge, source, sortKey, kind.target);
    wantedBy = (image) => deriveEdge(graph, kind.edge, keys, image);
  } else if (kind.kind === 'misfit') {
    const misfit: Derived = { indexItems: NO_ITEMS, problems: [{ code: 'misfit', message: kind.reason }] };
    wantedBy = () => misfit;
  }
  return (image) => (image === undefined ? NOTHING : wantedBy(image));
}

/** A part that cannot be derived; caught at the part's border. */
class PartError extends Error {
  readonly problem: Problem;
  constructor(code: Problem['code'], message: string, attribute?: string) {
    super(message);
    this.problem = { code, message, attribute };
  }
}

/** One image with what its parts share: keys, and the plain form for `derive` functions, made once and only if asked. */
class Subject {
  private plain: Record<string, unknown> | undefined;
  constructor(
    readonly graph: AnyGraph,
    readonly context: DeriveContext,
    readonly image: Item,
  ) {}

  get source(): string {
    return this.context.source;
  }

  attribute(name: string): AttributeValue | undefined {
    const value = attributeOf(this.image, name);
    return value === undefined ? undefined : withBytes(value);
  }

  compute(
    compute: (attributes: Record<string, unknown>, context: DeriveContext) => string | undefined,
    purpose: string,
  ) {
    this.plain ??= toPlainItem(this.project({ kind: 'ALL' }));
    let text: unknown;
    try {
      text = compute(this.plain, this.context);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new PartError('derive-failed', `derive for ${purpose} threw: ${reason}`);
    }
    if (text === undefined || typeof text === 'string') return text;
    throw new PartError('derive-failed', `derive for ${purpose} gave ${typeof text} instead of a string`);
  }

  /** The attributes that a projection names, keys left out. */
  project(projection: Projection): Item {
    const copy: Item = {};
    if (projection.kind === 'KEYS_ONLY') return copy;
    const { partitionKey, sortKey } = this.graph.table;
    const names = projection.kind === 'ALL' ? Object.keys(this.image) : projection.attributes;
    for (const name of names) {
      if (name === partitionKey || name === sortKey) continue;
      const value = this.attribute(name);
      if (value !== undefined) setOwn(copy, name, value);
    }
    return copy;
  }
}

/** Runs one part; its failure is noted and the part is absent. */
function part<T>(problems: Problem[], run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof PartError)) throw error;
    problems.push(error.problem);
    return undefined;
  }
}

function deriveNode(graph: AnyGraph, node: NodeModel, id: string, image: Item): Derived {
  const subject = new Subject(graph, { source: id, type: node.type, target: id }, image);
  const indexItems = new Map<string, Item>();
  const problems: Problem[] = [];
  for (const search of node.searches.values()) {
    // All values of an attribute or none: a list that is half right is a mistake to be seen, not half an answer.
    for (const [key, item] of part(problems, () => searchItems(search, subject)) ?? []) indexItems.set(key, item);
  }
  return { attributes: subject.project(node.view), indexItems, problems };
}

/** What all images of an edge share. */
interface EdgeKeys {
  context: DeriveContext;
  sortKey: string;
  /** What the edge's element begins with. */
  element: string;
  /** Sort key of its index item; undefined where its type is not indexed. */
  indexItem?: string;
}

function edgeKeys(edge: EdgeModel, source: string, sortKey: string, target: string): EdgeKeys {
  return {
    context: { source, type: edge.type, target },
    sortKey,
    element: escapedEdge(sortKey),
    indexItem: edge.inbound && edgeIndexKey(sortKey),
  };
}

function deriveEdge(graph: AnyGraph, edge: EdgeModel, keys: EdgeKeys, image: Item): Derived {
  const subject = new Subject(graph, keys.context, image);
  const problems: Problem[] = [];
  const { labels, inbound } = edge;
  const element =
    labels && part(problems, () => labels.reduce((text, label) => text + labelText(label, subject), keys.element));
  const item = inbound && inboundItem(inbound, subject, keys.sortKey, problems);
  const indexItems = item === undefined ? NO_ITEMS : new Map([[keys.indexItem!, item]]);
  return { element, indexItems, problems };
}

/** A label as it stands in the element; empty where the edge has none. */
function labelText(label: LabelModel, subject: Subject): string {
  const purpose = `label ${label.name} of the edge set`;
  if (label.from.kind === 'derive') {
    const text = subject.compute(label.from.compute, purpose);
    if (text === undefined) return '';
    // It would be stored as another text and differ from what is wanted forever.
    if (!isWellFormed(text)) throw new PartError('derive-failed', `derive for ${purpose} gave a lone surrogate`);
    return encodeLabel(label.name, { S: text });
  }
  const { attribute } = label.from;
  const value = subject.attribute(attribute);
  if (value === undefined) return '';
  try {
    return encodeLabel(label.name, value);
  } catch (error) {
    if (!(error instanceof LabelError)) throw error;
    throw new PartError('wrong-type', `attribute ${attribute}, needed for ${purpose}, ${error.message}`, attribute);
  }
}

/** The index item of an edge with the keys of every order that applies; undefined where none does. */
function inboundItem(inbound: InboundModel, subject: Subject, sortKey: string, problems: Problem[]): Item | undefined {
  const item: Item = {};
  let indexed = false;
  for (const [index, order] of inbound.orders) {
    if (part(problems, () => addOrderKeys(item, index, order, inbound, subject, sortKey)) === true) indexed = true;
  }
  if (!indexed) return undefined;
  return part(problems, () => withProjection(item, inbound.project, subject));
}

/** Adds an order's two keys; says whether the order applies. */
function addOrderKeys(
  item: Item,
  index: IndexName,
  order: OrderModel,
  inbound: InboundModel,
  subject: Subject,
  sortKey: string,
): boolean {
  const purpose = `order ${index} of ${subject.context.type}`;
  const encoded = encodeOrder(order, subject, false, purpose);
  if (encoded === undefined) return false;
  const partition = inboundPartition(inbound, sortKey, encoded.text, subject.source);
  addIndexKeys(item, index, partition, encoded, subject.source, purpose);
  return true;
}

/** An order's encoded text, the value it came from, and the attribute to name in errors. */
interface Encoded {
  text: string;
  value: AttributeValue;
  attribute?: string;
}

function encodeOrder(order: OrderModel, subject: Subject, fold: boolean, purpose: string): Encoded | undefined {
  if (order.kind === 'derive') {
    const text = subject.compute(order.compute, purpose);
    return text === undefined ? undefined : encode({ S: text }, 'string', fold, purpose);
  }
  const value = subject.attribute(order.attribute);
  if (value === undefined) return undefined;
  if (order.kind === 'attribute') return encode(value, order.type, fold, purpose, order.attribute);
  const label = encode(value, 'string', false, purpose, order.attribute);
  const weight = order.weights.get(label.text);
  if (weight === undefined) {
    const declared = [...order.weights.keys()].join(', ');
    const message = `attribute ${order.attribute}, needed for ${purpose}, is ${JSON.stringify(label.text)}, which has no declared rank (${declared})`;
    throw new PartError('undeclared-label', message, order.attribute);
  }
  return { text: `${weight}-${label.text}`, value, attribute: order.attribute };
}

function encode(
  value: AttributeValue,
  type: 'string' | 'number' | 'date',
  fold: boolean,
  purpose: string,
  attribute?: string,
): Encoded {
  try {
    return { text: encodeValue(value, type, fold), value, attribute };
  } catch (error) {
    if (!(error instanceof EncodingError)) throw error;
    const subject = attribute === undefined ? 'the derived text' : `attribute ${attribute}, needed`;
    throw new PartError('wrong-type', `${subject} for ${purpose}, ${error.message}`, attribute);
  }
}

function searchItems(search: SearchModel, subject: Subject): [string, Item][] {
  const purpose = `search ${search.indexPartition}`;
  if (!search.each) {
    const encoded = encodeOrder(search.order, subject, search.fold, purpose);
    if (encoded === undefined) return [];
    const item = searchItem(search, subject, encoded, purpose);
    return item === undefined ? [] : [[searchKey(search.name), item]];
  }
  const items = new Map<string, Item>();
  for (const encoded of eachValue(search, subject, purpose)) {
    const key = searchValueKey(search.name, encoded.text);
    const present = items.get(key);
    // Values that fold to the same text share an item; it shows the one that sorts first, in any order of the set.
    if (present !== undefined && JSON.stringify(present[VALUE]) <= JSON.stringify(encoded.value)) continue;
    const item = searchItem(search, subject, encoded, purpose);
    if (item !== undefined) items.set(key, item);
  }
  return [...items];
}

function eachValue(search: SearchModel, subject: Subject, purpose: string): Encoded[] {
  if (search.order.kind !== 'attribute') return [];
  const { attribute, type } = search.order;
  const value = subject.attribute(attribute);
  if (value === undefined) return [];
  let values: AttributeValue[];
  if ('L' in value) values = value.L;
  else if ('SS' in value) values = value.SS.map((S) => ({ S }));
  else if ('NS' in value) values = value.NS.map((N) => ({ N }));
  else {
    const message = `attribute ${attribute}, needed for ${purpose}, should be a list or a set, but is ${typeName(typeOf(value))}`;
    throw new PartError('wrong-type', message, attribute);
  }
  return values.map((entry) => encode(entry, type, search.fold, purpose, attribute));
}

function searchItem(search: SearchModel, subject: Subject, encoded: Encoded, purpose: string): Item | undefined {
  let partitionText: string | undefined;
  if (search.partition !== undefined) {
    const value = subject.attribute(search.partition);
    if (value === undefined) return undefined;
    partitionText = encode(value, 'string', false, `the partition of ${purpose}`, search.partition).text;
  }
  const partition = searchPartition(search, partitionText, encoded.text, subject.source);
  const item: Item = {};
  addIndexKeys(item, 'gsi0', partition, encoded, subject.source, purpose);
  item[VALUE] = encoded.value;
  return withProjection(item, search.project, subject);
}

function addIndexKeys(
  item: Item,
  index: IndexName,
  partition: string,
  { text, attribute }: Encoded,
  source: string,
  purpose: string,
): void {
  const sort = indexSortKey(text, source);
  for (const key of [partition, sort]) {
    if (isWithinBytes(key, SORT_KEY_BYTES)) continue;
    const cause = attribute === undefined ? 'the derived text' : `attribute ${attribute}`;
    const message = `the key that ${cause} makes for ${purpose} has ${Buffer.byteLength(key)} bytes; an index key has at most ${SORT_KEY_BYTES}`;
    throw new PartError('key-too-long', message, attribute);
  }
  const names = INDEX_KEYS[index];
  item[names.partition] = { S: partition };
  item[names.sort] = { S: sort };
}

function withProjection(item: Item, projection: Projection, subject: Subject): Item {
  if (projection.kind === 'KEYS_ONLY') return item;
  item[ATTRIBUTES] = { M: subject.project(projection) };
  const bytes = itemSizeBytes(item);
  if (bytes > ITEM_BYTES) {
    const message = `the index item of ${subject.context.type} would have ${bytes} bytes with its projected attributes; DynamoDB allows 400 KB. Project fewer attributes`;
    throw new PartError('item-too-large', message);
  }
  return item;
}
