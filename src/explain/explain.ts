import { nearestOf } from '../check/unknown-types.ts';
import { type Item, itemSizeBytes, numberOf, stringOf, WRITE_UNIT_BYTES } from '../items/attribute-value.ts';
import { COUNT, QUARANTINE_FIELDS, REVISION, WATERMARK } from '../items/derived-item.ts';
import { BEGINNINGS, baseKeyOfIndexItem, parseDerivedKey } from '../items/derived-key.ts';
import { isDerivedKey, parseNodeId, typePrefix } from '../items/keys.ts';
import { classifyKey } from '../model/base-item.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { joinedTypesFrom } from '../model/joined.ts';
import { joinedPrefixes } from '../plan/joined.ts';
import { modelToCheck } from '../registry/checked.ts';
import { itemKindOf } from '../repair/kinds.ts';
import type { Abortable } from '../runtime.ts';
import { readAbortable } from '../store/abortable.ts';
import { pages, queriedItems } from '../store/pages.ts';
import type { ItemKey, Store } from '../store/port.ts';
import { StreamLabel } from '../stream/stream-label.ts';
import { type ExplainedPart, explainBaseItem, type LagKnowledge } from './base-item.ts';

/** What `explain` needs. */
export interface ExplainOptions extends Abortable {
  graph: CompiledModel;
  /** The table. */
  store: Pick<Store, 'get' | 'getMany' | 'query'>;
  /** How far the consumers have come; asked only where something differs. Default: unknown. */
  lag?: (() => Promise<LagKnowledge>) | undefined;
}

/** What `explain` gives. */
export interface Explanation {
  /** The item's keys, and whether there is such an item. */
  item: ItemKey & { exists: boolean; kind: string };
  /** Of a base item every place that it should be in; of a derived item what it comes from. */
  parts: ExplainedPart[];
  /** Sentences on the item as a whole. */
  notes: string[];
}

const UNKNOWN_LAG: LagKnowledge = { isApplied: undefined, text: 'How far the consumers have come is not known' };

/**
 * Says why an item is as it is. Of a base item: everything that it should be in, whether it is, and if not why. Of a derived
 * item: from which base items and which lines of the model it comes, its watermark in words, what a write of it costs.
 *
 * @param key of the item; of a node its id stands twice.
 */
export async function explain(key: ItemKey, options: ExplainOptions): Promise<Explanation> {
  return await readAbortable(options.store, options.signal, (store) => explainItem(key, { ...options, store }));
}

async function explainItem(key: ItemKey, options: ExplainOptions): Promise<Explanation> {
  const { store, lag = async () => UNKNOWN_LAG } = options;
  // What readers use lies where the registry says, whatever the own model would make of it.
  const graph = await modelToCheck(options.graph, store).current();
  const { item } = await store.get(key, { consistent: true });
  if (isDerivedKey(key.target)) return explainDerivedItem(graph, key, item);
  const kind = classifyKey(graph, key.source, key.target);
  const notes: string[] = [];
  if (item === undefined) notes.push('There is no such item: nothing is derived from it.');
  if (kind.kind === 'unknown') notes.push(undeclared(graph, key));
  const entries = await quarantineOf(graph, store, key);
  notes.push(
    ...entries.map((entry) => `A record of it is in quarantine: ${stringOf(entry[QUARANTINE_FIELDS.reason]) ?? ''}`),
  );
  if (kind.kind === 'node') notes.push(...(await changeNotes(graph, store, key.source)));
  const context = { graph, store, stream: new StreamLabel(undefined) };
  const parts = item === undefined ? [] : await explainBaseItem(context, key, item, lag);
  return { item: { ...key, exists: item !== undefined, kind: kind.kind === 'node' ? 'node' : 'edge' }, parts, notes };
}

function undeclared(graph: CompiledModel, { source, target }: ItemKey): string {
  const nodeType = typePrefix(source) ?? source;
  const isNode = source === target || !graph.nodes.has(nodeType);
  const type = isNode ? nodeType : (typePrefix(target) ?? target);
  const nearest = nearestOf(type, (isNode ? graph.nodes : graph.edges).keys());
  const hint = nearest === null ? '' : ` The nearest type is ${nearest}.`;
  return `The model declares no ${isNode ? 'node' : 'edge'} type ${type}, so nothing is derived from the item.${hint}`;
}

/** Edges of one type beyond which a node is called a hub. */
const HUB_EDGES = 1_000;

/** What a change of a node costs whose edges' index items use it: a count of its edges, at the price of reading them. */
async function changeNotes(graph: CompiledModel, store: Pick<Store, 'query'>, source: string): Promise<string[]> {
  const notes: string[] = [];
  for (const type of joinedTypesFrom(graph, parseNodeId(source)?.type ?? '')) {
    let edges = 0;
    const request = { partition: source, sortKey: { beginsWith: `${type}-` }, countOnly: true };
    for await (const { count } of pages(store, request)) edges += count;
    const items = joinedPrefixes(graph, type).length;
    const isHub = edges > HUB_EDGES ? ' It is a hub: its lists are behind for as long as that takes.' : '';
    notes.push(
      `A change of what ${type} uses of the node writes ${items * edges} index items of ${edges} edges.${isHub}`,
    );
  }
  return notes;
}

/** The quarantine entries that name a base item. */
async function quarantineOf(
  graph: CompiledModel,
  store: Pick<Store, 'query'>,
  { source, target }: ItemKey,
): Promise<Item[]> {
  const found: Item[] = [];
  const request = { partition: source, sortKey: { beginsWith: BEGINNINGS['quarantine-entry'] }, consistent: true };
  for await (const entry of queriedItems(store, request)) {
    if (stringOf(entry[QUARANTINE_FIELDS.of]) === target && stringOf(entry[graph.table.partitionKey]) === source) {
      found.push(entry);
    }
  }
  return found;
}

function explainDerivedItem(graph: CompiledModel, key: ItemKey, item: Item | undefined): Explanation {
  const { kind = 'unknown-item', edgeType = '', generation = 1 } = parseDerivedKey(key.target) ?? {};
  const isLive = itemKindOf(graph, key.target).isLive(item);
  const explained = { ...key, exists: item !== undefined, kind };
  if (item === undefined) return { item: explained, parts: [], notes: ['There is no such item.'] };
  const notes = [
    ...(isLive || kind === 'quarantine-entry'
      ? []
      : ['It is a tombstone: it holds nothing and keeps older records out until it expires.']),
    watermarkText(item),
    `A write of it takes ${Math.ceil(itemSizeBytes(item) / WRITE_UNIT_BYTES)} WCU (${itemSizeBytes(item)} bytes), without those of its indexes.`,
    ...(generation > 1 ? [`It belongs to generation ${generation} of its projection.`] : []),
  ];
  const from = originOf(graph, key, kind, edgeType, item);
  return { item: explained, parts: from, notes };
}

function watermarkText(item: Item): string {
  const watermark = stringOf(item[WATERMARK]);
  const revision = numberOf(item[REVISION]) ?? 'no';
  if (watermark === undefined) return `It has no watermark, and revision ${revision}.`;
  if (watermark === '') return `It was repaired before any record of it was applied (revision ${revision}).`;
  const [label, number = ''] = [watermark.slice(0, watermark.lastIndexOf('/')), watermark.split('/').at(-1)];
  return `The newest record applied to it has the sequence number ${number.replace(/^0+/, '')} of the stream ${label} (revision ${revision}).`;
}

/** Which base items, and which lines of the model, a derived item comes from. */
function originOf(
  graph: CompiledModel,
  { source, target }: ItemKey,
  kind: string,
  edgeType: string,
  item: Item,
): ExplainedPart[] {
  const part = (from: ItemKey, name: string, reason: string): ExplainedPart => ({
    ...from,
    name,
    state: 'right',
    reason,
  });
  const node = { source, target: source };
  const nodeType = typePrefix(source) ?? '';
  if (kind === 'view') {
    return [
      part(node, `nodes.${nodeType}.view`, "The node's attributes, as its view projects them."),
      ...[...graph.edges.values()]
        .filter(({ from, labels }) => from.has(nodeType) && labels !== undefined)
        .map(({ type }) => part({ source, target: `${type}-…` }, `edges.${type}.edgeSet`, 'An element for each edge.')),
    ];
  }
  if (kind === 'count') {
    const count = numberOf(item[COUNT]) ?? 'no number';
    return [part({ source, target: `${edgeType}-…` }, `edges.${edgeType}.degree`, `It counts ${count} edges.`)];
  }
  if (kind === 'index-item') {
    const base = baseKeyOfIndexItem(source, target);
    const type = base === undefined || base === source ? undefined : typePrefix(base);
    if (type !== undefined)
      return [part({ source, target: base! }, `edges.${type}.inbound`, 'The edge that it finds.')];
    return [part(node, `nodes.${nodeType}.search`, 'The node that it finds.')];
  }
  if (kind === 'owner-item') return [part(node, 'edges.….inbound.includeOwner', 'The node, among its incoming edges.')];
  if (kind === 'reverse-item' || kind === 'continuation') {
    return [part(node, `edges.${edgeType}.copy`, 'The node whose attributes are copied.')];
  }
  if (kind === 'source-continuation') {
    return [part(node, `edges.${edgeType}.inbound`, 'The node whose attributes its edges are found by.')];
  }
  if (kind === 'quarantine-entry') {
    const of = stringOf(item[QUARANTINE_FIELDS.of]) ?? '';
    return [
      {
        source,
        target: of,
        name: 'quarantine',
        state: 'quarantined',
        reason: stringOf(item[QUARANTINE_FIELDS.reason]) ?? '',
      },
    ];
  }
  return [];
}
