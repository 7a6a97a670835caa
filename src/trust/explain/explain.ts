import { type Item, itemSizeBytes, numberOf, stringOf } from '../../core/items/attribute-value.ts';
import { WRITE_UNIT_BYTES } from '../../core/items/capacity.ts';
import { QUARANTINE_FIELDS, REVISION } from '../../core/items/derived-item.ts';
import { BEGINNINGS } from '../../core/items/derived-key.ts';
import { isDerivedKey, parseNodeId, typePrefix } from '../../core/items/keys.ts';
import { itemKindOf, kindOfDerivedKey } from '../../core/kinds/all-kinds.ts';
import { joinedPrefixes } from '../../core/kinds/joined.ts';
import { classifyKey } from '../../core/model/base-item.ts';
import type { CompiledModel, OfGraph } from '../../core/model/compiled.ts';
import { endingOf, endOf, hasCome } from '../../core/model/ends.ts';
import { deletionText, isItemThere } from '../../core/model/gone.ts';
import { isPartOfSource, joinedTypesFrom } from '../../core/model/joined.ts';
import { queriedItems, queryPages } from '../../core/store-pages.ts';
import type { ItemKey, Store } from '../../core/store-port.ts';
import { countText } from '../../foundation/figure.ts';
import { checkStoreOptions } from '../../foundation/options.ts';
import type { Abortable } from '../../foundation/runtime.ts';
import { modelToCheck } from '../../registry/checked.ts';
import { claimsOf, liveMakers } from '../../sources/claims.ts';
import { readAbortable } from '../../store/abortable.ts';
import { nearestOf, unknownTypeOf } from '../check/unknown-types.ts';
import { type ExplainedPart, explainBaseItem, type LagKnowledge } from './base-item.ts';
import { explainNative } from './native.ts';

/** Options of `explain`. */
export interface ExplainOptions extends Abortable {
  /** The item's keys; for a node, its id twice. */
  key: ItemKey;
  /** The table to read. */
  store: Pick<Store, 'get' | 'getMany' | 'query'>;
  /** Tells how far the consumers have come. Called only if something differs. Default: unknown. */
  lag?: (() => Promise<LagKnowledge>) | undefined;
  /** The time, in milliseconds since 1970. Default: the system's clock. @internal */
  now?: (() => number) | undefined;
}

/** The result of `explain`. */
export interface Explanation {
  /** The item's keys, its kind, and whether it exists. */
  item: ItemKey & { exists: boolean; kind: string };
  /** For a base item: every place that shows it or could, and each native list. For a derived item: its base items. */
  parts: ExplainedPart[];
  /** Sentences about the item as a whole. */
  notes: string[];
}

const UNKNOWN_LAG: LagKnowledge = { isApplied: undefined, text: 'How far the consumers have come is not known' };

/**
 * Explains the state of an item. A base item gets every derived item that shows it or could, with its state and the
 * reason. A derived item gets its base items with the lines of the model that ask for it, its revision, and the cost of
 * writing it.
 */
export async function explain(graph: CompiledModel, options: ExplainOptions): Promise<Explanation> {
  checkStoreOptions('explain', options, { key: true, store: true, lag: 'function', now: 'internal', signal: true });
  return await readAbortable(options.store, options.signal, (store) => explainItem({ ...options, graph, store }));
}

async function explainItem(options: OfGraph<ExplainOptions>): Promise<Explanation> {
  const { key, store, lag = async () => UNKNOWN_LAG, now = Date.now } = options;
  // Readers use the registry's ready projections, which may differ from the model that was passed in.
  const graph = await modelToCheck(options.graph, store).current();
  const { item } = await store.get(key, { consistent: true });
  if (isDerivedKey(key.target)) return explainDerivedItem(graph, key, item);
  const kind = classifyKey(graph, key.source, key.target);
  const notes: string[] = [];
  if (item === undefined) notes.push('There is no such item: nothing is derived from it.');
  const gone = item === undefined || isItemThere(graph, key, item) ? undefined : goneText(graph, key, item);
  if (gone !== undefined) notes.push(`${gone}: nothing is derived from it.`);
  if (item !== undefined) notes.push(...endTexts(graph, key, item, now()), ...mirrorTexts(graph, item));
  if (kind.kind === 'unknown') notes.push(undeclaredText(options.graph, key));
  const entries = await quarantineEntriesOf(graph, store, key);
  notes.push(
    ...entries.map((entry) => `A record of it is in quarantine: ${stringOf(entry[QUARANTINE_FIELDS.reason]) ?? ''}`),
  );
  if (kind.kind === 'node' || isPartOfSource(graph, key.source, key.target)) {
    notes.push(...(await costNotesOfChange(graph, store, key.source)));
  }
  const context = { graph, store };
  const derived = item === undefined ? [] : await explainBaseItem(context, key, item, lag);
  const parts = item === undefined ? [] : [...derived, ...explainNative(options.graph, key, item, gone)];
  const isCorrected = entries.length > 0 && parts.every(({ state }) => state !== 'quarantined');
  if (isCorrected) notes.push('The item is fit by now: edgeloom redrive reconciles it, and clears the quarantine.');
  const name = kind.kind === 'node' || kind.kind === 'part' ? kind.kind : 'edge';
  return { item: { ...key, exists: item !== undefined, kind: name }, parts, notes };
}

function endTexts(graph: CompiledModel, { source, target }: ItemKey, item: Item, nowMs: number): string[] {
  const end = endOf(endingOf(graph, source, target), item);
  const ms = Number(numberOf(end)) * 1000;
  if (Number.isNaN(new Date(ms).getTime())) return [];
  const at = new Date(ms).toISOString();
  return hasCome(end, nowMs / 1000)
    ? [`It expired at ${at}: reads leave it out, and what is derived from it, until it is deleted.`]
    : [`It expires at ${at}.`];
}

function mirrorTexts(graph: CompiledModel, item: Item): string[] {
  const claims = claimsOf(graph, item);
  if (claims === undefined) return [];
  const made = [...claims.byMaker].map(([maker, { content }]) => {
    const does = maker === claims.shown ? 'makes it' : 'makes it too';
    return `The source item ${maker} ${content === undefined ? 'does not make it any more' : does}.`;
  });
  if (liveMakers(claims).length < 2) return made;
  return [...made, `Source items are in conflict: it shows the content of ${claims.shown}.`];
}

function goneText({ nodes, edges }: CompiledModel, { source, target }: ItemKey, item: Item): string {
  return deletionText(
    source === target ? nodes.get(typePrefix(source) ?? '') : edges.get(typePrefix(target) ?? ''),
    item,
  );
}

function undeclaredText(graph: CompiledModel, key: ItemKey): string {
  if (classifyKey(graph, key.source, key.target).kind !== 'unknown') {
    return "The table's registry does not have the item's types yet, so nothing is derived from it: run edgeloom migrate.";
  }
  const lacked = unknownTypeOf(graph, key);
  const near = nearestOf(graph, lacked);
  const hint = near === undefined ? '' : ` The nearest type is ${near}.`;
  return `The model declares no ${lacked.kind} type ${lacked.type}, so nothing is derived from the item.${hint}`;
}

const HUB_EDGES = 1_000;

/** Counts the edges, which costs as much as reading them. */
async function costNotesOfChange(graph: CompiledModel, store: Pick<Store, 'query'>, source: string): Promise<string[]> {
  const notes: string[] = [];
  for (const type of joinedTypesFrom(graph, parseNodeId(source)?.type ?? '')) {
    let edges = 0;
    const request = { partition: source, sortKey: { beginsWith: `${type}-` }, countOnly: true };
    for await (const { count } of queryPages(store, request)) edges += count;
    const items = joinedPrefixes(graph, type).length;
    const isHub = edges > HUB_EDGES ? ' It is a hub: its lists are behind for as long as that takes.' : '';
    notes.push(
      `A change of what ${type} uses of the node writes ${countText(items * edges, 'index item')} of ${countText(edges, 'edge')}.${isHub}`,
    );
  }
  return notes;
}

async function quarantineEntriesOf(
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
  const { key: parsed, kind } = kindOfDerivedKey(key.target)!;
  const isLive = itemKindOf(graph, key.target).isLive(item);
  const explained = { ...key, exists: item !== undefined, kind: kind.name };
  if (item === undefined) return { item: explained, parts: [], notes: ['There is no such item.'] };
  const notes = [
    ...(isLive ? [] : ['It is a tombstone: it holds nothing and keeps late writers out until it expires.']),
    `It has revision ${numberOf(item[REVISION]) ?? 'none'}: each write of it counts.`,
    `A write of it takes ${Math.ceil(itemSizeBytes(item) / WRITE_UNIT_BYTES)} WCU (${itemSizeBytes(item)} bytes), without those of its indexes.`,
    ...(parsed.generation > 1 ? [`It belongs to generation ${parsed.generation} of its projection.`] : []),
  ];
  return { item: explained, parts: [...kind.originsOf(graph, key, parsed, item)], notes };
}
