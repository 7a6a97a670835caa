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

/** All kinds of derived items, and of their parts that can be wrong. A missing kind doesn't compile. */

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

export interface KindOfDerivedKey {
  key: DerivedKey;
  kind: ItemKind;
}

/** Whether or not the model maintains such items; undefined for a base item's sort key. */
export function kindOfDerivedKey(sortKey: string): KindOfDerivedKey | undefined {
  const key = parseDerivedKey(sortKey);
  return key && { key, kind: ITEMS[key.kind] as ItemKind };
}

/** `unknown-item` for a key that the model doesn't maintain. */
export function itemKindOf(graph: CompiledModel, sortKey: string): ItemKind {
  const { key, kind } = kindOfDerivedKey(sortKey) ?? { kind: UNKNOWN };
  return key !== undefined && kind.isKept?.(graph, key, sortKey) === false ? UNKNOWN : kind;
}

export function isMaintained(graph: CompiledModel, sortKey: string): boolean {
  return itemKindOf(graph, sortKey) !== UNKNOWN;
}

export function partKindOf({ kind }: Part): PartKind {
  return PARTS[kind] as PartKind;
}
