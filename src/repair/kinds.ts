import { type DerivedKind, parseDerivedKey } from '../items/derived-key.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { continuation, continuationPart } from './parts/continuation.ts';
import { count, countPart } from './parts/count.ts';
import { expiry } from './parts/expiry.ts';
import { form } from './parts/form.ts';
import { indexItem, indexItemPart } from './parts/index-item.ts';
import type { ItemKind, Part, PartKind } from './parts/kind.ts';
import { quarantineEntry } from './parts/quarantine-entry.ts';
import { reverseItem, reverseItemPart } from './parts/reverse-item.ts';
import { misplaced, retired, unknownItem, unknownItemPart, unregistered } from './parts/unknown-item.ts';
import { VIEW_PARTS, view } from './parts/view.ts';
import { watermark } from './parts/watermark.ts';

/** The table of kinds, which check and repair use. */

const ITEMS: { readonly [Kind in DerivedKind]: ItemKind } = {
  view,
  'index-item': indexItem,
  // The item of a node among its edges is compared and repaired as any other index item.
  'owner-item': indexItem,
  'reverse-item': reverseItem,
  count,
  continuation,
  'source-continuation': continuation,
  'quarantine-entry': quarantineEntry,
  'unknown-item': unknownItem,
};

const PARTS: { readonly [Kind in Part['kind']]: PartKind<Extract<Part, { kind: Kind }>> } = {
  ...VIEW_PARTS,
  'index-item': indexItemPart,
  'reverse-item': reverseItemPart,
  count: countPart,
  continuation: continuationPart,
  'unknown-item': unknownItemPart,
  retired,
  misplaced,
  unregistered,
  watermark,
  expiry,
  form,
};

/** Returns the kind of a derived item, by its sort key. A key that the model does not maintain is of the kind `unknown-item`. */
export function itemKindOf(graph: CompiledModel, sortKey: string): ItemKind {
  const key = parseDerivedKey(sortKey);
  if (key === undefined) return unknownItem;
  const kind = ITEMS[key.kind];
  return kind.isKept?.(graph, key, sortKey) === false ? unknownItem : kind;
}

/** Returns the kind of a part of a derived item. */
export function partKindOf({ kind }: Part): PartKind {
  return PARTS[kind] as PartKind;
}
