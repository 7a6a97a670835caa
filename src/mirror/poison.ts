import { attributeOf, type Item, numberOf, stringOf } from '../core/items/attribute-value.ts';
import { REVISION, TOMBSTONE_HOURS } from '../core/items/derived-item.ts';
import { hash128, SERVICE_PARTITION } from '../core/items/keys.ts';
import { queriedItems, type ReadStats } from '../core/store-pages.ts';
import type { BaseCondition, ItemKey, Store } from '../core/store-port.ts';
import { EdgeloomError } from '../foundation/errors.ts';
import type { MirrorContext } from './context.ts';
import { mapped } from './mapped.ts';
import { BEFORE_ALL } from './position.ts';
import { keyOfMaker, type SourceTable } from './source.ts';

/**
 * Source items that the mapping does not take. An entry of our table names each by its own key; the base items that it made before stay
 * as they are, and are named in the entry until the item is mapped again.
 */

/** An entry of a source item that the mapping does not take. */
export interface Poisoned {
  maker: string;
  code: string;
  reason: string;
  /** The time of the first record that was not taken, in seconds since 1970. */
  since: number;
  position: string;
  /** The base items that it may have made before, by the texts of their keys. */
  keys: readonly string[];
}

const RESOLVED = 'resolved';

/**
 * Notes that the mapping does not take a source item, unless a later word about it is known.
 *
 * @param isStill asks the source item itself, for a caller without a position. The entry is read before it.
 */
export async function quarantine(
  context: MirrorContext,
  maker: string,
  found: { position: string; error: EdgeloomError; keys: readonly string[] },
  isStill: () => Promise<boolean> = async () => true,
): Promise<void> {
  await changeEntry(context, maker, async (entry, isResolved) => {
    if (!(await isStill())) return undefined;
    // A walk has asked the source item itself, and has no position.
    const isOfWalk = found.position === BEFORE_ALL;
    if (entry !== undefined && isResolved && !isOfWalk && entry.position >= found.position) return undefined;
    const since = entry !== undefined && !isResolved ? entry.since : Math.floor(context.now() / 1000);
    // rule: mirror-poison-keeps-what-was-made
    const keys = [...new Set([...(isResolved ? [] : (entry?.keys ?? [])), ...found.keys])];
    if (entry !== undefined && !isResolved && keys.length === entry.keys.length && entry.position >= found.position) {
      return undefined;
    }
    const position = entry !== undefined && entry.position > found.position ? entry.position : found.position;
    return { maker, ...reasonOf(found.error), since, position, keys };
  });
}

/** How an entry gives an error. */
export function reasonOf({ code, message, hint }: EdgeloomError): Pick<Poisoned, 'code' | 'reason'> {
  return { code, reason: `${message} ${hint}`.trim() };
}

/** The entry of a source item that is not taken; undefined: there is none, or it is resolved. */
export async function poisonedEntry(context: MirrorContext, maker: string): Promise<Poisoned | undefined> {
  const { item } = await context.store.get(keyOf(context.source, maker), { consistent: true });
  return item === undefined || isResolvedEntry(item) ? undefined : entryOf(item);
}

/** Tells whether the mapping takes a source item as it is now. */
export async function isTaken({ graph, source, sourceStore }: MirrorContext, maker: string): Promise<boolean> {
  const image = await sourceStore.get(keyOfMaker(source, maker));
  try {
    mapped(graph, source, image);
    return true;
  } catch (error) {
    if (error instanceof EdgeloomError && error.code === 'invalid-mapping') return false;
    throw error;
  }
}

/**
 * Notes that a source item is mapped again, if its entry is still as it was seen; also where there was none: a record from before may still
 * be on its way to one. The note stays for a while, so that an old record does not bring the entry back. False: the entry is another one.
 */
export async function resolve(
  context: MirrorContext,
  maker: string,
  { seen, position }: { seen: Poisoned | undefined; position: string },
): Promise<boolean> {
  const since = Math.floor(context.now() / 1000);
  let isAsSeen = true;
  await changeEntry(
    context,
    maker,
    (entry, isResolved) => {
      isAsSeen = true;
      if (entry === undefined) return { maker, code: '', reason: '', since, position, keys: [] };
      if (isResolved) return entry.position >= position ? undefined : { ...entry, position };
      isAsSeen = entry.position === seen?.position && entry.keys.length === seen.keys.length;
      if (!isAsSeen) return undefined;
      return { ...entry, position: position > entry.position ? position : entry.position, keys: [] };
    },
    RESOLVED,
  );
  return isAsSeen;
}

/** The source items that the mapping does not take now. */
export async function* poisonedItems(
  store: Pick<Store, 'query'>,
  { table }: Pick<SourceTable, 'table'>,
  stats?: ReadStats,
): AsyncGenerator<Poisoned, void> {
  const request = { partition: SERVICE_PARTITION, sortKey: { beginsWith: prefixOf(table) }, consistent: true };
  for await (const item of queriedItems(store, request, stats)) if (!isResolvedEntry(item)) yield entryOf(item);
}

async function changeEntry(
  { graph, store, source, now }: MirrorContext,
  maker: string,
  next: (entry: Poisoned | undefined, isResolved: boolean) => Promise<Poisoned | undefined> | Poisoned | undefined,
  as?: typeof RESOLVED,
): Promise<void> {
  const key = keyOf(source, maker);
  for (;;) {
    const { item: seen } = await store.get(key, { consistent: true });
    const entry = await next(seen && entryOf(seen), seen !== undefined && isResolvedEntry(seen));
    if (entry === undefined) return;
    const revision = seen && attributeOf(seen, REVISION);
    const condition: BaseCondition =
      revision === undefined ? { absent: [REVISION] } : { equal: { [REVISION]: revision } };
    const item: Item = {
      [graph.table.partitionKey]: { S: key.source },
      [graph.table.sortKey]: { S: key.target },
      maker: { S: entry.maker },
      code: { S: entry.code },
      reason: { S: entry.reason },
      // A text, as in entries of the quarantine: a native index may have it as its key.
      since: { S: new Date(entry.since * 1000).toISOString() },
      p: { S: entry.position },
      keys: { L: entry.keys.map((text) => ({ S: text })) },
      [REVISION]: { N: String(Number(numberOf(revision) ?? 0) + 1) },
      ...(as === RESOLVED && {
        [RESOLVED]: { BOOL: true },
        [graph.table.ttl]: { N: String(Math.floor(now() / 1000) + TOMBSTONE_HOURS * 3600) },
      }),
    };
    const result = await store.change({ kind: 'put', key, item, condition });
    if (result.applied) return;
  }
}

function entryOf(item: Item): Poisoned {
  const text = (name: string): string => stringOf(attributeOf(item, name)) ?? '';
  const keys = attributeOf(item, 'keys');
  return {
    maker: text('maker'),
    code: text('code'),
    reason: text('reason'),
    since: Math.floor(Date.parse(text('since')) / 1000),
    position: text('p'),
    keys: keys !== undefined && 'L' in keys ? keys.L.flatMap((value) => stringOf(value) ?? []) : [],
  };
}

function isResolvedEntry(item: Item): boolean {
  return attributeOf(item, RESOLVED) !== undefined;
}

function keyOf({ table }: SourceTable, maker: string): ItemKey {
  return { source: SERVICE_PARTITION, target: `${prefixOf(table)}${hash128(maker)}` };
}

function prefixOf(table: string): string {
  return `mirror-poison/${table}/`;
}
