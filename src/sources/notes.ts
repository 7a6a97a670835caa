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
 * Notes of what needs attention, so that a status doesn't have to read all ledgers and items: source items that are refused, and base
 * items that several source items make. A note is left after the write that it is about. It may outlive its reason, so readers look again.
 */

/** A base item that several source items make. */
export interface Conflict extends ItemKey {
  /** The source item whose content it shows. */
  shown: string;
  makers: string[];
}

/** A source item that is refused: what it made before stays as it is. */
export interface Refused extends Refusal {
  /** The key of the source item. */
  key: string;
}

/** The notes that a status reads: it has to end within one call of a function. */
const MOST_NOTES = 1_000;
const CONCURRENCY = 16;

/** What notes are about: conflicts, or refused items of a source. */
export type NotesOf = 'source-conflict/' | `source-refused/${string}/`;

export const CONFLICTS = 'source-conflict/';

interface Note {
  text: string;
  /** Differs with each write, so that a newer note isn't deleted. */
  mark: string;
}

export function noteOf(graph: CompiledModel, about: NotesOf, note: Note): PutRecord {
  return putOf(graph, serviceKey(about + hash128(note.text)), note);
}

/** What the first 1,000 notes are about, and still holds. */
export interface Noted<Of> {
  found: Of[];
  /** There are more notes, so there may be more. */
  hasMore: boolean;
}

export interface NotesContext {
  graph: CompiledModel;
  store: Pick<Store, 'get' | 'query'>;
  /** The table, to delete notes that no longer hold. */
  prunes?: Pick<Store, 'change'> | undefined;
  stats?: ReadStats | undefined;
  /** Milliseconds left for the notes. */
  remainingMs?: (() => number) | undefined;
}

export function conflictsNow(context: NotesContext): Promise<Noted<Conflict>> {
  const { graph, store } = context;
  return look(context, CONFLICTS, async (text) => {
    const key = itemKeyOf(text);
    const claims = claimsOf(graph, (await store.get(key, { consistent: true })).item);
    const makers = claims === undefined ? [] : liveMakers(claims).sort();
    return makers.length > 1 ? { ...key, shown: claims!.shown, makers } : undefined;
  });
}

export function refusedNow(context: NotesContext, source: string): Promise<Noted<Refused>> {
  return look(context, `source-refused/${source}/`, async (key) => {
    const { refusal } = await readLedger(context.store, source, key, true);
    return refusal && { key, ...refusal };
  });
}

async function look<Of>(
  { graph, store, prunes, stats, remainingMs }: NotesContext,
  about: NotesOf,
  ask: (text: string) => Promise<Of | undefined>,
): Promise<Noted<Of>> {
  const notes = [...(await recordsUnder<Note>(graph, store, { prefix: about, limit: MOST_NOTES + 1 }, stats)).values()];
  let hasMore = notes.length > MOST_NOTES;
  // Single reads: the caller may lack the right to read batches.
  const asked = await pMap(
    notes.slice(0, MOST_NOTES),
    async ({ state: note }, i) => {
      // Some are asked in any case: notes that no longer hold go, so that the next status comes to others.
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
