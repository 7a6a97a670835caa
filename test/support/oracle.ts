import { createHash } from 'node:crypto';
import { type AttributeValue, attributeOf, canonicalText, type Item } from '../../src/core/items/attribute-value.ts';
import { encodeElement } from '../../src/core/items/element.ts';
import { encodePath, encodeValue, indexSortKey } from '../../src/core/items/encoding.ts';
import { EncodingError } from '../../src/core/items/encoding-error.ts';
import { hashedSortKey } from '../../src/core/items/hashed-key.ts';
import { edgeIndexKey, reverseKey, searchKey, searchValueKey } from '../../src/core/items/key-forms.ts';
import { toPlainItem } from '../../src/core/items/plain.ts';
import { shardOf } from '../../src/core/items/shard.ts';
import { AS_WRITTEN, type TextForm } from '../../src/core/items/text-form.ts';
import type {
  AttributeOrder,
  CompiledModel,
  DeriveModel,
  EdgeModel,
  EdgeOrderModel,
  InboundModel,
  NodeModel,
  Projection,
  SearchModel,
  SearchOrder,
  TotalSettings,
} from '../../src/core/model/compiled.ts';
import { textFormOf } from '../../src/core/model/options/option-tables.ts';

/**
 * What should be derived from base items, computed from the model in the plainest way and apart from the planner: no
 * images, no records, no units. Keys, encodings and elements are those of `src/core/model`, which have tests of their own.
 */

/** Derived items that should be there, by `derivedName`: their elements, attributes and index fields, nothing else. */
export type Wanted = Map<string, Item>;

/** How a derived item is named in `Wanted`. */
export function derivedName(source: string, sortKey: string): string {
  return JSON.stringify([source, sortKey]);
}

/** The derived items of a table. Parts that cannot be derived are absent. */
export function expectedItems(graph: CompiledModel, baseItems: Iterable<Item>): Wanted {
  const expected: Wanted = new Map();
  const views = new Map<string, { attributes?: Item; elements: string[]; copies: Item }>();
  const items = [...baseItems].filter((item) => !isDeleted(graph, item));
  const nodeItems = new Map(
    items
      .filter((item) => text(item[graph.table.partitionKey]) === text(item[graph.table.sortKey]))
      .map((item) => [text(item[graph.table.partitionKey])!, item]),
  );
  for (const item of items) {
    const source = text(item[graph.table.partitionKey])!;
    const sortKey = text(item[graph.table.sortKey])!;
    const view = views.get(source) ?? { elements: [], copies: {} };
    views.set(source, view);
    const node = graph.nodes.get(source.split('-')[0]!);
    const edge = graph.edges.get(sortKey.split('-')[0]!);
    const base: Base = { graph, source, sortKey, item, type: '', target: source };
    if (source === sortKey && node !== undefined) {
      if (node.hasView) view.attributes = projected(base, node.view);
      for (const search of node.searches.values()) {
        if (search.part === undefined && !search.native) addSearch(expected, { ...base, type: node.type }, search);
      }
      addTargetItems(expected, base, node, graph.edges.values());
    } else if (node?.parts.get(sortKey)?.view !== undefined) {
      const { view: shown } = node.parts.get(sortKey)!.view!;
      expected.set(derivedName(source, `~view/${sortKey}`), { attributes: { M: projected(base, shown) } });
      for (const search of node.searches.values()) {
        if (search.part === sortKey) addSearch(expected, { ...base, type: node.type }, search);
      }
    } else if (source !== sortKey && node !== undefined && edge !== undefined) {
      const target = edgeTarget(edge, sortKey, item);
      if (target === undefined || !edge.from.has(node.type) || !edge.to.has(target.split('-')[0]!)) continue;
      const listed = view.elements.length;
      const nodeItem = nodeItems.get(source) && { ...nodeItems.get(source), ...partAttributes(node, items, base) };
      const ofSource = nodeItem && { ...base, item: nodeItem, type: node.type, target: source };
      const ofEdge = { ...base, type: edge.type, target, isHashed: edge.keys === 'hashed' };
      addEdge(expected, view.elements, ofEdge, ofSource, edge);
      if (edge.copy === undefined) continue;
      expected.set(derivedName(target, reverseKey(edge.type, source)), { child: { S: source } });
      const copied = nodeItems.get(target);
      if (copied === undefined || view.elements.length === listed) continue;
      const { partitionKey, sortKey: sortName } = graph.table;
      const names = edge.copy.filter(
        (name) => name !== partitionKey && name !== sortName && copied[name] !== undefined,
      );
      const end = endOf(graph.nodes.get(target.split('-')[0]!), copied);
      view.copies[sortKey] = { M: { ...Object.fromEntries(names.map((name) => [name, copied[name]!])), ...end } };
    }
  }
  for (const [source, { attributes, elements, copies }] of views) {
    const view: Item = {
      ...(attributes && { attributes: { M: attributes } }),
      ...(elements.length > 0 && { edgeSet: { SS: elements } }),
      ...(Object.keys(copies).length > 0 && { copies: { M: copies } }),
    };
    if (Object.keys(view).length > 0) expected.set(derivedName(source, '~view'), view);
  }
  return expected;
}

/** Whether an item is soft-deleted, or says that it is gone. */
function isDeleted({ table, nodes, edges }: CompiledModel, item: Item): boolean {
  const [source, sortKey] = [text(item[table.partitionKey])!, text(item[table.sortKey])!];
  const type = source === sortKey ? nodes.get(source.split('-')[0]!) : edges.get(sortKey.split('-')[0]!);
  const value = type?.deletedWhen === undefined ? undefined : item[type.deletedWhen];
  return (
    item['~gone'] !== undefined || (value !== undefined && !('NULL' in value) && Object.values(value)[0] !== false)
  );
}

/** The attributes of a node's parts, behind the parts' names. */
function partAttributes({ parts }: NodeModel, items: readonly Item[], { graph, source }: Base): Item {
  const { partitionKey, sortKey } = graph.table;
  const own = items.filter((item) => text(item[partitionKey]) === source && parts.has(text(item[sortKey])!));
  return Object.fromEntries(
    own.flatMap((item) =>
      Object.entries(item)
        .filter(([name]) => name !== partitionKey && name !== sortKey)
        .map(([name, value]) => [`${text(item[sortKey])}.${name}`, value]),
    ),
  );
}

/** The id of the node that an edge enters; undefined for an edge that names none, or another than its key is made of. */
function edgeTarget(edge: EdgeModel, sortKey: string, item: Item): string | undefined {
  const name = sortKey.slice(edge.type.length + 1);
  if (edge.keys === 'plain') return name;
  const target = text(item['targetId']);
  const digest = target && createHash('sha256').update(target).digest('hex');
  return name === `#${digest?.slice(0, 32)}` ? target : undefined;
}

/** The derived items that a table holds, in the same form: without what serves the protocol, tombstones left out. */
export function storedItems(graph: CompiledModel, items: Iterable<Item>): Wanted {
  const stored: Wanted = new Map();
  for (const item of items) {
    const sortKey = text(item[graph.table.sortKey])!;
    if (!/^~(view($|\/)|ix\/|degree\/|rev\/|in\/|total\/)/.test(sortKey)) continue;
    const { w: _w, r: _r, model: _model, fence: _fence, ...rest } = item;
    // Which values a count has met is of no meaning, and a number that has come down to nothing is as good as none.
    for (const [name, value] of Object.entries(rest)) {
      const isNothing = /^(sum|by)\/|^problems$/.test(name) && canonicalText(value) === canonicalText({ N: '0' });
      if (isNothing || name.startsWith('keys/')) delete rest[name];
    }
    if (canonicalText(rest['count'] ?? { N: '1' }) === canonicalText({ N: '0' })) continue;
    for (const name of [graph.table.partitionKey, graph.table.sortKey, graph.table.ttl]) delete rest[name];
    if (Object.keys(rest).length > 0) stored.set(derivedName(text(item[graph.table.partitionKey])!, sortKey), rest);
  }
  return stored;
}

/** Items as texts that are the same where the items are, whatever the order of sets and attributes. */
export function comparable(items: Wanted): Record<string, string> {
  return Object.fromEntries([...items].map(([name, item]) => [name, canonicalText({ M: item })]).sort());
}

/** A base item on its way. */
interface Base {
  graph: CompiledModel;
  source: string;
  sortKey: string;
  item: Item;
  type: string;
  target: string;
  /** Whether the target stands in an attribute. */
  isHashed?: boolean;
}

/** A part that cannot be derived. */
class Underivable extends Error {}

function text(value: AttributeValue | undefined): string | undefined {
  return value !== undefined && 'S' in value ? value.S : undefined;
}

function projected(base: Base, projection: Projection): Item {
  return { ...shownOf(base, projection), ...endOfBase(base) };
}

function shownOf({ graph, item, isHashed }: Base, projection: Projection): Item {
  const { partitionKey, sortKey } = graph.table;
  const names = projection.kind === 'LIST' ? projection.attributes : Object.keys(item);
  if (projection.kind === 'KEYS_ONLY') return {};
  return Object.fromEntries(
    names
      .filter((name) => name !== partitionKey && name !== sortKey && Object.hasOwn(item, name))
      .filter((name) => isHashed !== true || name !== 'targetId')
      .map((name) => [name, item[name]!]),
  );
}

/** The end that is derived from a base item; nothing where it has none. */
function endOfBase({ graph, item, source, sortKey }: Base): Item {
  return endOf(
    source === sortKey ? graph.nodes.get(source.split('-')[0]!) : graph.edges.get(sortKey.split('-')[0]!),
    item,
  );
}

function endOf(type: { expires?: string } | undefined, item: Item): Item {
  const value = type?.expires === undefined ? undefined : item[type.expires];
  return value !== undefined && 'N' in value ? { '~ends': value } : {};
}

function withAttributes(base: Base, projection: Projection, item: Item): Item {
  const attributes = projected(base, projection);
  const isNothing = projection.kind === 'KEYS_ONLY' && Object.keys(attributes).length === 0;
  return isNothing ? item : { ...item, attributes: { M: attributes } };
}

/** Runs a part; undefined where it cannot be derived. */
function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof Underivable || error instanceof EncodingError) return undefined;
    throw error;
  }
}

/** What an order sorts a base item by: the encoded text and the original value; undefined where it has none. */
function ordered(base: Base, order: SearchOrder, form: TextForm): { text: string; value: AttributeValue } | undefined {
  if (order.kind === 'derive') {
    const computed = compute(base, order.compute);
    if (computed === undefined) return undefined;
    return { text: encodeValue({ S: computed }, 'string', form), value: { S: computed } };
  }
  if (order.kind === 'path') return orderedPath(base, order.attributes, form);
  const value = attributeOf(base.item, order.attribute);
  if (value === undefined) return undefined;
  if (order.kind === 'attribute') return { text: encodeValue(value, order.type, form), value };
  const label = text(value);
  const weight = label === undefined ? undefined : order.weights.get(label);
  if (weight === undefined) throw new Underivable();
  return { text: `${weight}-${label}`, value };
}

/** What an order sorts an edge by: of the edge, of its source node, or of both, up to the first that is absent. */
function orderedEdge(base: Base, node: Base | undefined, order: EdgeOrderModel): string | undefined {
  const one = (part: AttributeOrder | DeriveModel, of: Base | undefined): string | undefined =>
    of && ordered(of, part, AS_WRITTEN)?.text;
  if (order.kind === 'source') return one(order.order, node);
  if (order.kind !== 'parts') return one(order, base);
  const texts: string[] = [];
  let isOver = false;
  for (const part of order.parts) {
    // A part that cannot be derived takes the whole order away, wherever it stands.
    const value = part.kind === 'source' ? one(part.order, node) : one(part, base);
    isOver ||= value === undefined;
    if (!isOver) texts.push(value!);
  }
  return texts.length === 0 ? undefined : encodePath(texts, AS_WRITTEN);
}

/** The segments up to the first that is absent. */
function orderedPath(
  base: Base,
  attributes: readonly string[],
  form: TextForm,
): { text: string; value: AttributeValue } | undefined {
  const all = attributes.map((attribute) => attributeOf(base.item, attribute));
  const hole = all.indexOf(undefined);
  const values = (hole < 0 ? all : all.slice(0, hole)) as AttributeValue[];
  const segments = values.map(text);
  if (segments.length === 0) return undefined;
  if (!segments.every((segment) => segment !== undefined)) throw new Underivable();
  return { text: encodePath(segments, form), value: { L: values } };
}

function compute(base: Base, run: DeriveModel['compute']): string | undefined {
  const { source, type, target } = base;
  try {
    return run(toPlainItem(shownOf(base, { kind: 'ALL' })), { source, type, target });
  } catch {
    throw new Underivable();
  }
}

function addSearch(expected: Wanted, base: Base, search: SearchModel): void {
  const { order, part, itemOf } = search;
  // The items of a part's search have its name behind a mark.
  const keyOf = (make: (name: string) => string): string => {
    if (part === undefined) return make(itemOf);
    return `~ix/#${part}/${make(itemOf.slice(part.length + 1)).slice('~ix/'.length)}`;
  };
  const items = attempt(() => {
    const found: [string, Item][] = [];
    if (!search.multiValue) {
      const value = ordered(base, order, textFormOf(search));
      if (value !== undefined) found.push([keyOf(searchKey), searchItem(base, search, value)]);
    } else if (order.kind === 'attribute') {
      for (const value of entries(attributeOf(base.item, order.attribute))) {
        const encoded = encodeValue(value, order.type, textFormOf(search));
        found.push([
          keyOf((name) => searchValueKey(name, encoded)),
          searchItem(base, search, { text: encoded, value }),
        ]);
      }
    }
    return found;
  });
  if (search.partition !== undefined && attributeOf(base.item, search.partition) === undefined) return;
  for (const [sortKey, item] of items ?? []) {
    const name = derivedName(base.source, sortKey);
    const present = expected.get(name);
    // Searches by one value share an item, each in an index of its own.
    if (!search.multiValue) expected.set(name, { ...present, ...item });
    // Values that fold to one text share an item, which shows the first of them.
    else if (present === undefined || JSON.stringify(item['value']) < JSON.stringify(present['value']))
      expected.set(name, item);
  }
}

function entries(value: AttributeValue | undefined): AttributeValue[] {
  if (value === undefined) return [];
  if ('L' in value) return value.L;
  if ('SS' in value) return value.SS.map((S) => ({ S }));
  if ('NS' in value) return value.NS.map((N) => ({ N }));
  throw new Underivable();
}

function searchItem(
  base: Base,
  search: SearchModel,
  { text: encoded, value }: { text: string; value: AttributeValue },
): Item {
  const within = search.partition === undefined ? undefined : attributeOf(base.item, search.partition);
  if (within !== undefined && !('S' in within)) throw new Underivable();
  return withAttributes(base, search.project, {
    [`${search.index}pk`]: { S: search.inForce.places.partition(within?.S, encoded, base.source) },
    [`${search.index}sk`]: { S: indexSortKey(encoded, base.source) },
    [search.index === 'gsi0' ? 'value' : `${search.index}value`]: value,
  });
}

function addEdge(expected: Wanted, elements: string[], base: Base, node: Base | undefined, edge: EdgeModel): void {
  const { labels, inbound } = edge;
  const element = attempt(() => labels && elementOf(base, labels));
  if (element !== undefined) elements.push(element);
  // Under its key: one item for the two indexes, and one for each order beyond them.
  const items = new Map<string, Item>();
  // DynamoDB keeps native orders.
  for (const inboundOrder of inbound === undefined || inbound.native ? [] : inbound.orders.values()) {
    const { name, index, order, isNamed } = inboundOrder;
    const encoded = attempt(() => orderedEdge(base, node, order));
    const within = attempt(() => partitionOf(base, node, inbound!));
    if (encoded === undefined || (inbound?.partition !== undefined && within === undefined)) continue;
    const key = isNamed ? edgeIndexKey(base.sortKey, name) : edgeIndexKey(base.sortKey);
    items.set(key, {
      ...items.get(key),
      [`${index}pk`]: { S: inboundOrder.places.partition(base.sortKey, encoded, base.source, within) },
      [`${index}sk`]: { S: indexSortKey(encoded, base.source) },
    });
  }
  for (const [key, item] of items) {
    if (inbound === undefined) continue;
    const { project, projectSource } = inbound;
    const ofEdge = withAttributes(base, project, item);
    if (projectSource === undefined) items.set(key, ofEdge);
    else {
      const copied = node === undefined ? {} : shownOf(node, { kind: 'LIST', attributes: projectSource });
      items.set(key, { ...item, attributes: { M: { ...projected(base, project), ...copied } } });
    }
  }
  const isCounted = edge.count !== undefined || edge.incoming !== undefined;
  const { '~ends': end } = endOfBase(base);
  if (isCounted && end !== undefined && base.graph.mirrored?.has(edge.type) !== true) {
    const name = `${base.source}\0${base.sortKey}`;
    items.set(edgeIndexKey(base.sortKey, 'expires'), {
      gsi0pk: { S: `expires/${edge.type}-#${shardOf(base.source, 8, 'fnv1a')}` },
      gsi0sk: {
        S: `${encodeValue(end, 'number', AS_WRITTEN)}\0${createHash('sha256').update(name).digest('hex').slice(0, 32).toUpperCase()}`,
      },
      attributes: { M: { '~ends': end } },
    });
  }
  if (edge.count !== undefined) {
    const key = edgeIndexKey(base.sortKey);
    const ledger = ledgerOf(base, edge.count.totals);
    items.set(key, { ...items.get(key), counted: { S: edge.type }, ...ledgerField(ledger) });
    addToTotal(expected, derivedName(base.source, `~degree/${edge.type}`), ledger);
  }
  if (edge.incoming !== undefined) {
    const ledger = ledgerOf(base, edge.incoming.totals);
    const key = `~in/${edge.type}-${base.source}`;
    const fields = { counted: { S: `~total/${edge.type}` }, ...ledgerField(ledger), child: { S: base.source } };
    expected.set(derivedName(base.target, key), fields);
    addToTotal(expected, derivedName(base.target, `~total/${edge.type}`), ledger);
  }
  for (const [key, item] of items) expected.set(derivedName(base.source, key), item);
}

/** The values of an edge in sums and groups. Values of tests are such as doubles add up exactly. */
function ledgerOf({ item }: Base, totals: TotalSettings = { sums: [], groups: [] }): Item {
  const ledger: Item = {};
  let problems = 0;
  for (const { name, attribute } of totals.sums) {
    const value = attributeOf(item, attribute);
    if (value !== undefined && 'N' in value && Math.abs(Number(value.N)) < 1e15) ledger[`sum/${name}`] = value;
    else if (value !== undefined) problems += 1;
  }
  for (const { name, attribute } of totals.groups) {
    const value = attributeOf(item, attribute);
    if (value === undefined) continue;
    if ('S' in value) ledger[`by/${name}`] = { S: `S${value.S}` };
    else if ('N' in value) ledger[`by/${name}`] = { S: `N${Number(value.N)}` };
    else if ('BOOL' in value) ledger[`by/${name}`] = { S: `B${value.BOOL}` };
    else problems += 1;
  }
  if (problems > 0) ledger['problems'] = { N: String(problems) };
  return ledger;
}

function ledgerField(ledger: Item): Item {
  return Object.keys(ledger).length === 0 ? {} : { ledger: { M: ledger } };
}

function addToTotal(expected: Wanted, name: string, ledger: Item): void {
  const total: Item = { ...expected.get(name) };
  const add = (attribute: string, number: number): void => {
    const before = total[attribute];
    total[attribute] = { N: String(number + (before !== undefined && 'N' in before ? Number(before.N) : 0)) };
    if (attribute !== 'count' && total[attribute].N === '0') delete total[attribute];
  };
  add('count', 1);
  for (const [attribute, value] of Object.entries(ledger)) {
    if ('N' in value) add(attribute, Number(value.N));
    else if ('S' in value) add(`${attribute}/${value.S}`, 1);
  }
  expected.set(name, total);
}

function partitionOf(base: Base, node: Base | undefined, { partition }: InboundModel): string | undefined {
  const of = partition?.of === 'source' ? node : base;
  const value = partition && of && attributeOf(of.item, partition.attribute);
  return value && encodeValue(value, 'string', AS_WRITTEN);
}

/** A node in the index partitions of the edge types that enter it and include their target. */
function addTargetItems(expected: Wanted, base: Base, node: NodeModel, edges: Iterable<EdgeModel>): void {
  for (const edge of edges) {
    const { type, to, inbound } = edge;
    // Reads show a node itself whose type declares no view.
    if (inbound?.includeTarget !== true || !to.has(node.type) || node.isShownItself === true) continue;
    const shown = withAttributes(base, node.view, {});
    const shared: Item = {};
    for (const { name, index, isNamed } of inbound.orders.values()) {
      const edgeKey = edge.keys === 'hashed' ? hashedSortKey(type, base.source) : `${type}-${base.source}`;
      const partition = isNamed ? `${name}/${edgeKey}` : edgeKey;
      const keys: Item = { [`${index}pk`]: { S: partition }, [`${index}sk`]: { S: '\u{10ffff}\u0002' } };
      if (isNamed) expected.set(derivedName(base.source, `~ix/#includeTarget/${type}/${name}`), { ...keys, ...shown });
      else Object.assign(shared, keys);
    }
    if (Object.keys(shared).length === 0) continue;
    expected.set(derivedName(base.source, `~ix/#includeTarget/${type}`), { ...shared, ...shown });
  }
}

function elementOf(base: Base, labels: NonNullable<EdgeModel['labels']>): string {
  const values: [string, AttributeValue][] = [];
  for (const { name, from } of labels) {
    if (from.kind === 'derive') {
      const computed = compute(base, from.compute);
      if (computed !== undefined) values.push([name, { S: computed }]);
      continue;
    }
    const value = attributeOf(base.item, from.attribute);
    if (value === undefined) continue;
    if (!['S', 'N', 'BOOL', 'NULL', 'B'].some((type) => type in value)) throw new Underivable();
    values.push([name, value]);
  }
  for (const [name, end] of Object.entries(endOfBase(base))) values.push([name, end]);
  return encodeElement(base.sortKey, base.isHashed ? [['target', { S: base.target }], ...values] : values);
}
