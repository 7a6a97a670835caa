import { hash } from 'node:crypto';
import { canonicalText, type Item } from '../items/attribute-value.ts';
import type { CompiledModel } from '../model/compiled.ts';
import type { ItemKey, Store } from '../store-port.ts';
import type { Derived } from './derived.ts';

/** A derived item that may be wrong. */
export interface Suspect {
  source: string;
  sortKey: string;
  /**
   * Base items that determine the derived item. In a view, only what they contribute is compared; without `bases`, only
   * what no base item determines, such as its form. For other items, only the first base item counts; without `bases`,
   * the item's key or content names it.
   */
  bases?: readonly ItemKey[];
  /** Evicted edge types that may fit into the view again. */
  returning?: readonly string[];
}

export interface DifferenceTraits {
  /** True if the item's content is wrong, or if the item shouldn't exist. */
  isContent: boolean;
  /** True if no reader gets a wrong answer because of the difference, so that observers leave it to a check. */
  isHarmless?: true;
  /** True if maintenance is due, but no write has failed. */
  isMaintenance?: true;
  isBeyondRepair?: true;
}

const MAINTENANCE = { isHarmless: true, isMaintenance: true } as const;

export const DIFFERENCES = {
  /** The fields of an index item, of a part's view, or of an edge's item in its target's partition. */
  fields: { isContent: true },
  attributes: { isContent: true },
  /** The elements of an edge in a view, or an element that names no edge. */
  element: { isContent: true },
  /** An edge set that isn't a string set. */
  set: { isContent: true },
  /** Attributes copied from an edge's target. */
  copy: { isContent: true },
  /** A mark of an evicted edge type that no edge set lists. */
  mark: { isContent: true, isHarmless: true },
  /** An evicted edge type that fits into its view again. */
  returning: { isContent: true, ...MAINTENANCE },
  /** A view whose shape isn't its type's current one. Readers use base items instead, which costs more. */
  shape: { isContent: false, ...MAINTENANCE },
  count: { isContent: true },
  /** Group values that the count doesn't name although it has room. */
  room: { isContent: true, ...MAINTENANCE },
  /** A fan-out that hasn't ended. Only time shows whether it is stuck. */
  continuation: { isContent: true },
  /** An expiry on a live item: TTL would delete an item that readers need. */
  expiry: { isContent: false },
  /** Attributes that the item's kind doesn't have, or a malformed revision. */
  form: { isContent: false },
  /** A derived item whose sort key doesn't belong to a maintained kind. */
  'unknown-item': { isContent: true },
  /** An item of a retired generation or shape, which a stalled writer wrote late or a migration missed. */
  retired: { isContent: true },
  /** An item that another program wrote into an index partition whose items have other keys. */
  misplaced: { isContent: true },
  /**
   * An item that the registry doesn't know. Repairs leave it alone, because the registry may have lost an entry that is
   * in use.
   */
  unregistered: { isContent: true, isBeyondRepair: true },
} as const satisfies Record<string, DifferenceTraits>;

/** A way in which a derived item can be wrong. */
export type DifferenceKind = keyof typeof DIFFERENCES;

/** `expected` and `stored` describe content; null if there is none. */
export interface Difference {
  kind: DifferenceKind;
  /** Distinguishes several differences of a kind in one item: an edge's sort key, an element or an edge type. */
  about?: string;
  expected: string | null;
  stored: string | null;
  /** A digest of base items, or a revision. It changes whenever the items that determine the content change. */
  base?: string;
  /** The fan-out that would correct the difference, if any. */
  fanOut?: FanOutSeen;
}

export interface FanOutSeen {
  /** The place of the fan-out, if the fan-out will still reach the item. */
  place: string | undefined;
  /** The revision of the fan-out's continuation, if the fan-out will still reach the item. */
  revision: string | undefined;
}

export interface Judging {
  graph: CompiledModel;
  suspect: Suspect;
  was: Item | undefined;
  decided: DecidedBy;
  /** Reads items whose keys aren't known: a count's items, and the edges of an evicted type. */
  store: Pick<Store, 'getMany' | 'query'>;
}

/** Items that determine a derived item, read after the derived item. */
export interface DecidedBy {
  imageOf(key: ItemKey): Item | undefined;
  derivedOf(base: ItemKey): Derived;
  fieldsOf(base: ItemKey, derived: ItemKey): Item | undefined;
  /** Derives the element of an edge that isn't among these items. */
  elementOf(base: ItemKey, image: Item): string | undefined;
}

export function traitsOf({ kind }: Pick<Difference, 'kind'>): DifferenceTraits {
  return DIFFERENCES[kind];
}

export function keyOfSuspect({ source, sortKey }: Pick<Suspect, 'source' | 'sortKey'>): ItemKey {
  return { source, target: sortKey };
}

export function textsOfDifferences(differences: readonly Difference[]): Pick<Difference, 'expected' | 'stored'> {
  const joined = (pick: (difference: Difference) => string | null): string | null => {
    const texts = differences.map(pick).filter((text) => text !== null);
    return texts.length === 0 ? null : texts.join('; ');
  };
  return { expected: joined(({ expected }) => expected), stored: joined(({ stored }) => stored) };
}

export function digestOfImages(images: readonly (Item | undefined)[]): string {
  return hashOfText(images.map((item) => (item === undefined ? '' : canonicalText({ M: item }))).join('\0'));
}

export function hashOfText(text: string): string {
  return hash('sha256', text, 'base64');
}
