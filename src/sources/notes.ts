import pMap from 'p-map';
import { hash128 } from '../core/items/keys.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import type { ReadStats } from '../core/store-pages.ts';
import type { ItemKey, Store } from '../core/store-port.ts';
import { claimsOf, liveMakers } from './claims.ts';
import { type Refusal, readLedger } from './ledger.ts';
import { itemKeyOf } from './mapped.ts';
import { type PutRecord, putOf, recordsUnder, serviceKey } from './record.ts';

/**
 * Notes of what needs attention, so that a status doesn't have to read all ledgers and items: source items that are not mapped, and base
 * items that several source items make. A note is left after the write that it is about. It may outlive its reason, so readers look again.
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

/** The notes that a status reads: it has to end within one call of a function. */
const MOST_NOTES = 1_000;
const CONCURRENCY = 16;

/** What notes are about: conflicts, or refused items of a source. */
export type NotesOf = 'source-conflict/' | `source-refused/${string}/`;

export const CONFLICTS = 'source-conflict/';

interface Note {
  /** The key of the base item or the source item, as a text. */
  text: string;
  /** Differs with each write, so that a newer note isn't deleted. */
  mark: string;
}

/** The write of a note. */
export function noteOf(graph: CompiledModel, about: NotesOf, note: Note): PutRecord {
  return putOf(graph, keyOfNote(about, note), note);
}

function keyOfNote(about: NotesOf, { text }: Pick<Note, 'text'>): ItemKey {
  return serviceKey(about + hash128(text));
}

/** What the first 1,000 notes are about, and still holds. */
export interface Noted<Of> {
  found: Of[];
  /** There are more notes, so there may be more. */
  hasMore: boolean;
}

interface Ours {
  graph: CompiledModel;
  store: Pick<Store, 'get' | 'query'>;
  stats?: ReadStats | undefined;
  /** Milliseconds left for the notes. */
  remainingMs?: (() => number) | undefined;
}

/** The base items that several source items make. @param prunes the table, to delete notes that no longer hold. */
export function conflictsNow(ours: Ours, prunes?: Pick<Store, 'change'>): Promise<Noted<Conflict>> {
  return look(ours, CONFLICTS, prunes, async (text) => {
    const key = itemKeyOf(text);
    const { item } = await ours.store.get(key, { consistent: true });
    const claims = claimsOf(ours.graph, item);
    const makers = claims === undefined ? [] : liveMakers(claims).sort();
    return makers.length > 1 ? { ...key, shown: claims!.shown, makers } : undefined;
  });
}

/** The items of a source that are not mapped. @param prunes the table, to delete notes that no longer hold. */
export function refusedNow(ours: Ours, source: string, prunes?: Pick<Store, 'change'>): Promise<Noted<Refused>> {
  return look(ours, `source-refused/${source}/`, prunes, async (key) => {
    const { refusal } = await readLedger(ours.store, source, key, true);
    return refusal && { key, ...refusal };
  });
}

async function look<Of>(
  { graph, store, stats, remainingMs }: Ours,
  about: NotesOf,
  prunes: Pick<Store, 'change'> | undefined,
  ask: (text: string) => Promise<Of | undefined>,
): Promise<Noted<Of>> {
  const notes: Note[] = [];
  for await (const note of recordsUnder<Note>(graph, store, { prefix: about, limit: MOST_NOTES + 1 }, stats)) {
    notes.push(note as Note);
    if (notes.length > MOST_NOTES) break;
  }
  let hasMore = notes.length > MOST_NOTES;
  // Single reads: the caller may lack the right to read batches.
  const asked = await pMap(
    notes.slice(0, MOST_NOTES),
    async (note, i) => {
      // Some are asked in any case: notes that no longer hold go, so that the next status comes to others.
      if (i >= CONCURRENCY && (remainingMs?.() ?? 1) <= 0) {
        hasMore = true;
        return undefined;
      }
      if (stats !== undefined) stats.rcu += 1;
      const of = await ask(note.text);
      const condition = { equal: { mark: { S: note.mark } } };
      if (of === undefined) await prunes?.change({ kind: 'delete', key: keyOfNote(about, note), condition });
      return of;
    },
    { concurrency: CONCURRENCY },
  );
  return { found: asked.filter((of) => of !== undefined), hasMore };
}
