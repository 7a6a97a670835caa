import pMap from 'p-map';
import { attributeOf, type Item, stringOf } from '../core/items/attribute-value.ts';
import { hash128, SERVICE_PARTITION } from '../core/items/keys.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import { queriedItems, type ReadStats } from '../core/store-pages.ts';
import type { BaseChange, ItemKey, Store } from '../core/store-port.ts';
import { claimsOf, liveMakers } from './claims.ts';
import type { SourceContext } from './context.ts';
import { type Refusal, readLedger } from './ledger.ts';
import { itemKeyOf } from './mapped.ts';

/**
 * Notes of what needs a person, so that a look need not walk over all ledgers and items: source items that are not mapped, and base items that
 * several source items make. Whoever writes such a thing leaves a note behind the write. A note may outlive what it is of, so that is asked.
 */

/** A base item that several source items make. */
export interface Conflict extends ItemKey {
  /** The source item whose content it shows. */
  shown: string;
  makers: string[];
}

/** A source item that is not mapped: what it made before stays as it is. */
export interface Refused extends Refusal {
  /** The key of the source item. */
  key: string;
}

const CONFLICTS = 'source-conflict/';
/** Notes that one look takes: it has to end within a call of a function. */
const MOST_NOTES = 1_000;
/** Notes that are looked at together. */
const CONCURRENCY = 16;

type Send = (change: BaseChange & { kind: 'put' }) => Promise<unknown>;
type Ours = {
  graph: CompiledModel;
  store: Pick<Store, 'get' | 'query'>;
  stats?: ReadStats | undefined;
  /** Milliseconds left for the notes of one look. */
  remainingMs?: (() => number) | undefined;
};

/** Leaves a note of a base item that several source items make. @param mark the same never stands for two writes. */
export async function noteConflict(context: SourceContext, send: Send, text: string, mark: string): Promise<void> {
  await leave(context, send, CONFLICTS, text, mark);
}

/** Leaves a note of a source item that is not mapped. */
export async function noteRefusal(context: SourceContext, send: Send, key: string, mark: string): Promise<void> {
  await leave(context, send, refusedPrefix(context.source.name), key, mark);
}

async function leave({ graph }: SourceContext, send: Send, prefix: string, text: string, mark: string): Promise<void> {
  const key = { source: SERVICE_PARTITION, target: prefix + hash128(text) };
  const item: Item = {
    [graph.table.partitionKey]: { S: key.source },
    [graph.table.sortKey]: { S: key.target },
    text: { S: text },
    mark: { S: mark },
  };
  await send({ kind: 'put', key, item });
}

/** What a look at notes has found. */
export interface Noted<Of> {
  found: Of[];
  /** More notes are left than one look takes: there may be more. */
  hasMore: boolean;
}

/**
 * The base items that several source items make now, of the first 1,000 notes.
 *
 * @param prunes the table, if notes of what has ended are to be deleted.
 */
export function conflictsNow(ours: Ours, prunes?: Pick<Store, 'change'>): Promise<Noted<Conflict>> {
  return look(ours, CONFLICTS, prunes, async (text) => {
    const key = itemKeyOf(text);
    const { item, rcu } = await ours.store.get(key, { consistent: true });
    count(ours, rcu);
    const claims = claimsOf(ours.graph, item);
    const makers = claims === undefined ? [] : liveMakers(claims).sort();
    return makers.length > 1 ? { ...key, shown: claims!.shown, makers } : undefined;
  });
}

/** The items of a source that are not mapped now, of the first 1,000 notes. */
export function refusedNow(ours: Ours, source: string, prunes?: Pick<Store, 'change'>): Promise<Noted<Refused>> {
  return look(ours, refusedPrefix(source), prunes, async (key) => {
    const { refusal } = await readLedger(ours.store, source, key, true);
    count(ours, 1);
    return refusal && { key, ...refusal };
  });
}

async function look<Of>(
  ours: Ours,
  prefix: string,
  prunes: Pick<Store, 'change'> | undefined,
  ask: (text: string) => Promise<Of | undefined>,
): Promise<Noted<Of>> {
  const notes: { text: string; mark: string }[] = [];
  let hasMore = false;
  const request = { partition: SERVICE_PARTITION, sortKey: { beginsWith: prefix }, consistent: true };
  for await (const note of queriedItems(ours.store, { ...request, limit: MOST_NOTES + 1 }, ours.stats)) {
    const [text, mark] = ['text', 'mark'].map((name) => stringOf(attributeOf(note, name)));
    hasMore = notes.length === MOST_NOTES;
    if (hasMore) break;
    if (text !== undefined && mark !== undefined) notes.push({ text, mark });
  }
  // Single reads: whoever looks may read items, and need not have the right to read batches of them.
  const asked = await pMap(
    notes,
    async ({ text, mark }, i) => {
      // Some are asked in any case: those that are over go, and the next look comes to others.
      if (i >= CONCURRENCY && (ours.remainingMs?.() ?? 1) <= 0) {
        hasMore = true;
        return undefined;
      }
      const of = await ask(text);
      if (of !== undefined || prunes === undefined) return of;
      const key = { source: SERVICE_PARTITION, target: prefix + hash128(text) };
      // What began since has left a note with another mark.
      await prunes.change({ kind: 'delete', key, condition: { equal: { mark: { S: mark } } } });
      return undefined;
    },
    { concurrency: CONCURRENCY },
  );
  return { found: asked.filter((of) => of !== undefined), hasMore };
}

function count({ stats }: Ours, rcu: number): void {
  if (stats !== undefined) stats.rcu += rcu;
}

function refusedPrefix(source: string): string {
  return `source-refused/${source}/`;
}
