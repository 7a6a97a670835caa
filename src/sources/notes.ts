import pMap from 'p-map';
import { hash128 } from '../core/items/keys.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import type { ReadStats } from '../core/store-pages.ts';
import type { ItemKey, Store } from '../core/store-port.ts';
import { claimsOf, liveMakers } from './claims.ts';
import { type Refusal, readLedger } from './ledger.ts';
import { itemKeyOf } from './mapped.ts';
import { asPut, type PutRecord, putOf, recordsUnder, serviceKey } from './record.ts';

/**
 * Notes list refused source items and base items with several makers, so that a status needn't read all ledgers and
 * items. A note is written after its cause and may outlive it, so readers check the cause again.
 */

/** A base item made by several source items. */
export interface Conflict extends ItemKey {
  /** The source item (`source/key`) whose content the base item shows. */
  shown: string;
  makers: string[];
}

/** A source item that is refused. Base items that it made before stay. */
export interface Refused extends Refusal {
  key: string;
}

/** Limits the notes that a status reads, so that it fits into one call of a Lambda function. */
const MOST_NOTES = 1_000;
const CONCURRENCY = 16;

export type NotesOf = 'source-conflict/' | `source-refused/${string}/`;

export const CONFLICTS = 'source-conflict/';

interface Note {
  text: string;
  /** Differs for each write, so that deleting an old note can't delete a newer one. */
  mark: string;
}

export function noteOf(graph: CompiledModel, about: NotesOf, note: Note): PutRecord {
  return putOf(graph, serviceKey(about + hash128(note.text)), note);
}

export interface Noted<Of> {
  found: Of[];
  /** True if some notes weren't checked. */
  hasMore: boolean;
}

export interface NotesContext {
  graph: CompiledModel;
  store: Pick<Store, 'get' | 'query'>;
  /** Deletes notes that no longer hold. Default: they stay. */
  prunes?: Pick<Store, 'change'> | undefined;
  stats?: ReadStats | undefined;
  remainingMs?: (() => number) | undefined;
}

export function conflictsNow(context: NotesContext): Promise<Noted<Conflict>> {
  const { graph, store } = context;
  return checkNotes(context, CONFLICTS, async (text) => {
    const key = itemKeyOf(text);
    const claims = claimsOf(graph, (await store.get(key, { consistent: true })).item);
    const makers = claims === undefined ? [] : liveMakers(claims).sort();
    return makers.length > 1 ? { ...key, shown: claims!.shown, makers } : undefined;
  });
}

export function refusedNow(context: NotesContext, source: string): Promise<Noted<Refused>> {
  return checkNotes(context, `source-refused/${source}/`, async (key) => {
    const { refusal } = await readLedger(context.store, source, key, { consistent: true });
    return refusal && { key, ...refusal };
  });
}

async function checkNotes<Of>(
  { graph, store, prunes, stats, remainingMs }: NotesContext,
  about: NotesOf,
  ask: (text: string) => Promise<Of | undefined>,
): Promise<Noted<Of>> {
  const notes = [...(await recordsUnder<Note>(graph, store, { prefix: about, limit: MOST_NOTES + 1 }, stats)).values()];
  let hasMore = notes.length > MOST_NOTES;
  // Reads one item at a time, because the mirror function may not call BatchGetItem.
  const asked = await pMap(
    notes.slice(0, MOST_NOTES),
    async ({ state: note }, i) => {
      // Checks some notes even if no time is left: deleting outdated ones lets the next status reach others.
      if (i >= CONCURRENCY && (remainingMs?.() ?? 1) <= 0) {
        hasMore = true;
        return undefined;
      }
      if (stats !== undefined) stats.rcu += 1;
      const of = await ask(note.text);
      if (of !== undefined || prunes === undefined) return of;
      const put = noteOf(graph, about, note);
      await prunes.change({ kind: 'delete', key: put.key, condition: asPut(put) });
      return undefined;
    },
    { concurrency: CONCURRENCY },
  );
  return { found: asked.filter((of) => of !== undefined), hasMore };
}
