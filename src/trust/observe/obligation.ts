import { textOfKey } from '../../core/items/keys.ts';
import type { Part, Suspect } from '../../core/kinds/part.ts';

/** The vocabulary of the observer: a part of a derived item that a record has touched, until it is known to be right. */

/** The shard of a touch that no record has made, but a check. */
export const NO_SHARD = '';

/** A stream record that has opened something: when it was made, and the place to read on from in order to get it again. */
export interface Touch {
  shardId: string;
  /** Sequence number of the record before it in the shard; undefined: the shard begins with it, or nothing before it was read. */
  after: string | undefined;
  /** When the record was made, in milliseconds since 1970. Streams say whole seconds. */
  stampMs: number;
  /** The latest time when the change can have been made. Default: `stampMs`. */
  newestMs?: number;
  /** The observer's own number of the record: they rise in the order in which it received them. */
  receipt: number;
}

/** A change that reaches items which only a Query can name. Each of them inherits the touches of the change. */
export interface Spread {
  /**
   * `copies`: a node changed, and views of other nodes show it. `joined`: a node changed, and the index items of its edges show it.
   * `partition`: a whole partition may be wrong.
   */
  kind: 'copies' | 'joined' | 'partition';
  /** The node whose change it is, or the partition. */
  source: string;
  /** The type of the edges; empty for a partition. */
  edgeType: string;
}

/** The parts of derived items that a record opens. */
export interface Opened {
  suspects: readonly Suspect[];
  spreads: readonly Spread[];
}

/** A difference that the observer has found, and that nothing is on its way to put right. */
export interface ObservedDrift {
  suspect: Suspect;
  /** The content that the base items ask for, and the actual one; null: nothing. */
  expected: string | null;
  stored: string | null;
  /** When the newest record was made that touched it, in milliseconds since 1970; absent if none was seen. */
  touchedMs?: number | undefined;
  /** When it was found, in milliseconds since 1970. */
  foundMs: number;
  /**
   * `given-up`: a quarantine entry names its base item, or the fan-out that has to visit it is stuck. `at-risk`: a copy whose reverse item is drift, so that no fan-out finds it; it
   * may be right still. `not-ready`: it belongs to something that readers do not use yet, or no more. It is drift once they do.
   */
  state: 'drift' | 'given-up' | 'at-risk' | 'not-ready';
  /** True if the low watermark was known. If not, the passed time alone has decided. */
  isCertain: boolean;
}

/** Tells whether readers may get a wrong answer by a difference: not by what they do not use. */
export function isOfReaders({ state }: ObservedDrift): boolean {
  return state !== 'not-ready';
}

/** The name of a part of a derived item as a text: two suspects with one name are the same obligation. */
export function nameOfSuspect({ source, sortKey, part }: Suspect): string {
  return JSON.stringify([source, sortKey, part.kind, detailOf(part)]);
}

/** The name of a spread as a text. */
export function nameOfSpread({ kind, source, edgeType }: Spread): string {
  return JSON.stringify([kind, source, edgeType]);
}

/** The name of the derived item of a suspect. */
export function itemOfSuspect({ source, sortKey }: Suspect): string {
  return textOfKey({ source, target: sortKey });
}

/** The base item of an index item, and the edge of a reverse item, are known from the item, so they are no part of the name. */
function detailOf(part: Part): string {
  switch (part.kind) {
    case 'element':
    case 'copy':
      return part.target;
    case 'garbage':
      return part.element;
    case 'mark':
      return part.edgeType;
    default:
      return '';
  }
}
