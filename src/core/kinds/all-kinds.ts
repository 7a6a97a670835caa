import { type DerivedKey, type DerivedKind, parseDerivedKey } from '../items/derived-key.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { continuation, sourceContinuation } from './continuation.ts';
import { count, total } from './count.ts';
import { KINDS_OF_TARGETS } from './in-target.ts';
import { indexItem } from './index-item.ts';
import type { ItemKind } from './kind.ts';
import { partView } from './part-view.ts';
import { quarantineEntry } from './quarantine-entry.ts';
import { targetItem } from './target-item.ts';
import { unknownItem } from './unknown-item.ts';
import { view } from './view.ts';

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

const UNKNOWN = unknownItem as ItemKind;

/** Ignores whether the model maintains such items. Returns undefined for a base item's sort key. */
export function kindOfDerivedKey(sortKey: string): { key: DerivedKey; kind: ItemKind } | undefined {
  const key = parseDerivedKey(sortKey);
  return key && { key, kind: ITEMS[key.kind] as ItemKind };
}

/** Returns `unknown-item` for a base item's key, and for an item that the model doesn't maintain (`isKept`). */
export function itemKindOf(graph: CompiledModel, sortKey: string): ItemKind {
  const { key, kind } = kindOfDerivedKey(sortKey) ?? { kind: UNKNOWN };
  return key !== undefined && kind.isKept?.(graph, key, sortKey) === false ? UNKNOWN : kind;
}

export function isMaintained(graph: CompiledModel, sortKey: string): boolean {
  return itemKindOf(graph, sortKey) !== UNKNOWN;
}
