import { type DerivedKey, type DerivedKind, parseDerivedKey } from '../items/derived-key.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { continuation, continuationPart, sourceContinuation } from './continuation.ts';
import { count, countPart, roomPart, total } from './count.ts';
import { expiry } from './expiry.ts';
import { form } from './form.ts';
import { inTargetPart, KINDS_OF_TARGETS } from './in-target.ts';
import { indexItem, indexItemPart } from './index-item.ts';
import type { ItemKind } from './kind.ts';
import type { Part, PartKind } from './part.ts';
import { partView } from './part-view.ts';
import { quarantineEntry } from './quarantine-entry.ts';
import { targetItem } from './target-item.ts';
import { misplaced, retired, unknownItem, unknownItemPart, unregistered } from './unknown-item.ts';
import { VIEW_PARTS, view } from './view.ts';

/** The table of the kinds of derived items, and of the parts of one that can be wrong. A kind without a line does not compile. */

const ITEMS: { readonly [Kind in DerivedKind]: ItemKind<Kind> } = {
  ...KINDS_OF_TARGETS,
  view,
  'index-item': indexItem,
  'target-item': targetItem,
  'part-view': partView,
  count,
  total,
  continuation,
  'source-continuation': sourceContinuation,
  'quarantine-entry': quarantineEntry,
  'unknown-item': unknownItem,
};

/** The table of the parts of derived items that can be wrong by themselves. */
export const PARTS: { readonly [Kind in Part['kind']]: PartKind<Extract<Part, { kind: Kind }>> } = {
  ...VIEW_PARTS,
  'index-item': indexItemPart,
  'reverse-item': inTargetPart,
  count: countPart,
  room: roomPart,
  continuation: continuationPart,
  'unknown-item': unknownItemPart,
  retired,
  misplaced,
  unregistered,
  expiry,
  form,
};

const UNKNOWN = unknownItem as ItemKind;

/** A derived sort key: its parts, and its kind. */
export interface KindOfDerivedKey {
  key: DerivedKey;
  kind: ItemKind;
}

/**
 * Returns the kind of a derived item by its sort key, whether the model maintains such items or not; undefined for the sort key of a
 * base item.
 */
export function kindOfDerivedKey(sortKey: string): KindOfDerivedKey | undefined {
  const key = parseDerivedKey(sortKey);
  return key && { key, kind: ITEMS[key.kind] as ItemKind };
}

/** Returns the kind of a derived item, by its sort key. A key that the model does not maintain is of the kind `unknown-item`. */
export function itemKindOf(graph: CompiledModel, sortKey: string): ItemKind {
  const { key, kind } = kindOfDerivedKey(sortKey) ?? { kind: UNKNOWN };
  return key !== undefined && kind.isKept?.(graph, key, sortKey) === false ? UNKNOWN : kind;
}

/** Tells whether the model maintains items with this derived sort key. */
export function isMaintained(graph: CompiledModel, sortKey: string): boolean {
  return itemKindOf(graph, sortKey) !== UNKNOWN;
}

/** Returns the kind of a part of a derived item. */
export function partKindOf({ kind }: Part): PartKind {
  return PARTS[kind] as PartKind;
}
