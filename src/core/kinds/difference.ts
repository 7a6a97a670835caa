import { hash } from 'node:crypto';
import { canonicalText, type Item } from '../items/attribute-value.ts';
import type { CompiledModel } from '../model/compiled.ts';
import type { ItemKey, Store } from '../store-port.ts';
import type { Derived } from './derived.ts';

/** A derived item that may be wrong. */
export interface Suspect {
  source: string;
  /** Sort key of the derived item. */
  sortKey: string;
  /**
   * Base items that determine it. A view is compared with their shares alone; without any, in what no base item
   * decides. Of another item the first one counts, and without it what its key or content names.
   */
  bases?: readonly ItemKey[];
  /** Evicted edge types of a view that may fit into it again. */
  returning?: readonly string[];
}

export interface DifferenceTraits {
  /** True if base items determine it. An expiry is wrong whatever they say. */
  isContent: boolean;
  /** True if no reader gets a wrong answer from it, so that observers leave it to a check. */
  isHarmless?: true;
  /** True if it is just due maintenance, and no write has failed. */
  isMaintenance?: true;
  /** True if it can't be repaired, only reported. */
  isBeyondRepair?: true;
}

const MAINTENANCE = { isHarmless: true, isMaintenance: true } as const;

/** What can be wrong in a derived item. */
export const DIFFERENCES = {
  /** The fields of an index item, of a part's view, or of an edge's item in its target's partition. */
  fields: { isContent: true },
  /** A node's attributes in its view. */
  attributes: { isContent: true },
  /** The elements of an edge in a view, or one that names no edge. */
  element: { isContent: true },
  /** An edge set that isn't a string set. */
  set: { isContent: true },
  /** A copy of an edge's target. */
  copy: { isContent: true },
  /** A mark of an evicted edge type that no edge set lists. */
  mark: { isContent: true, isHarmless: true },
  /** An evicted edge type that fits into its view again. */
  returning: { isContent: true, ...MAINTENANCE },
  /** A view whose shape isn't its type's, so that readers don't use it. */
  shape: { isContent: false, ...MAINTENANCE },
  count: { isContent: true },
  /** Group values without a name although the count has room for some. */
  room: { isContent: true, ...MAINTENANCE },
  /** A fan-out that isn't at its end: only time shows whether it is stuck. */
  continuation: { isContent: true },
  /** The expiry of a live item: TTL would delete an item that readers need. */
  expiry: { isContent: false },
  /** Attributes that the item's kind doesn't have, or a malformed revision. */
  form: { isContent: false },
  /** A derived sort key of no maintained kind. */
  'unknown-item': { isContent: true },
  /** An item of a retired generation or shape: a stalled writer wrote it late, or a migration missed it. */
  retired: { isContent: true },
  /** An item that another program wrote into an index partition whose items have other keys. */
  misplaced: { isContent: true },
  /** An item that the registry doesn't know. The registry may have lost an entry that is in use. */
  unregistered: { isContent: true, isBeyondRepair: true },
} as const satisfies Record<string, DifferenceTraits>;

/** One of the kinds of differences. */
export type DifferenceKind = keyof typeof DIFFERENCES;

/** Expected and actual content, as texts; null: nothing. */
export interface Difference {
  kind: DifferenceKind;
  /** What it is about if an item can have several of the kind: an edge's sort key, an element, an edge type. */
  about?: string;
  expected: string | null;
  stored: string | null;
  /** Changes with the base items that determine it. */
  base?: string;
  /** The fan-out that would put it right, if any. */
  fanOut?: FanOutSeen;
}

export interface FanOutSeen {
  /** Its place, if it has still to come by. */
  place: string | undefined;
  /** The revision of its continuation, if it has still to come by. */
  revision: string | undefined;
}

/** A suspect that was read, with what determines it. */
export interface Judging {
  graph: CompiledModel;
  suspect: Suspect;
  was: Item | undefined;
  decided: DecidedBy;
  /** For what no key names: a count's items, the edges of an evicted type. */
  store: Pick<Store, 'getMany' | 'query'>;
}

/** The items that decide, as they were read after the derived item. */
export interface DecidedBy {
  imageOf(key: ItemKey): Item | undefined;
  derivedOf(base: ItemKey): Derived;
  fieldsOf(base: ItemKey, derived: ItemKey): Item | undefined;
  /** Of an edge that is read beside them. */
  elementOf(base: ItemKey, image: Item): string | undefined;
}

export function traitsOf({ kind }: Pick<Difference, 'kind'>): DifferenceTraits {
  return DIFFERENCES[kind];
}

export function keyOfSuspect({ source, sortKey }: Pick<Suspect, 'source' | 'sortKey'>): ItemKey {
  return { source, target: sortKey };
}

/** Texts of all differences, for people. */
export function textsOfDifferences(differences: readonly Difference[]): Pick<Difference, 'expected' | 'stored'> {
  const joined = (pick: (difference: Difference) => string | null): string | null => {
    const texts = differences.map(pick).filter((text) => text !== null);
    return texts.length === 0 ? null : texts.join('; ');
  };
  return { expected: joined(({ expected }) => expected), stored: joined(({ stored }) => stored) };
}

export function digestOfImages(images: readonly (Item | undefined)[]): string {
  return hashOfText(images.map(imageText).join('\0'));
}

function imageText(item: Item | undefined): string {
  return item === undefined ? '' : canonicalText({ M: item });
}

export function hashOfText(text: string): string {
  return hash('sha256', text, 'base64');
}
