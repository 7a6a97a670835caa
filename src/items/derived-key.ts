import { splitGeneration } from './generation.ts';
import {
  CONTINUATION_PREFIX,
  DEGREE_PREFIX,
  INDEX_PREFIX,
  isDerivedKey,
  isOwnerKey,
  QUARANTINE_PREFIX,
  REVERSE_PREFIX,
  SOURCE_CONTINUATION_PREFIX,
  typePrefix,
  VIEW_KEY,
} from './keys.ts';

/** The kinds of derived items, by what their sort keys say. */
export type DerivedKind =
  | 'view'
  | 'index-item'
  | 'owner-item'
  | 'reverse-item'
  | 'count'
  | 'continuation'
  | 'source-continuation'
  | 'quarantine-entry'
  | 'unknown-item';

/** What the sort key of a derived item says. */
export interface DerivedKey {
  kind: DerivedKind;
  /** The edge type that the key names; empty where the kind has none, or an index item's key may name many things. */
  edgeType: string;
  /** The generation of the projection that it belongs to. */
  generation: number;
}

const VIEW: DerivedKey = { kind: 'view', edgeType: '', generation: 1 };
const QUARANTINE_ENTRY: DerivedKey = { kind: 'quarantine-entry', edgeType: '', generation: 1 };
const UNKNOWN_ITEM: DerivedKey = { kind: 'unknown-item', edgeType: '', generation: 1 };

/** Kinds whose keys name an edge type; of a reverse item the edge's source stands behind it. */
const NAMED: readonly [kind: DerivedKind, prefix: string][] = [
  ['reverse-item', REVERSE_PREFIX],
  ['count', DEGREE_PREFIX],
  ['source-continuation', SOURCE_CONTINUATION_PREFIX],
  ['continuation', CONTINUATION_PREFIX],
];

/** Tells which kind of derived item a sort key belongs to; undefined for a base item's. The only place that knows. */
export function classifyDerivedKey(sortKey: string): DerivedKey | undefined {
  if (!isDerivedKey(sortKey)) return undefined;
  if (sortKey === VIEW_KEY) return VIEW;
  if (sortKey.startsWith(QUARANTINE_PREFIX)) return QUARANTINE_ENTRY;
  const { generation, plain } = splitGeneration(sortKey);
  if (plain.startsWith(INDEX_PREFIX)) {
    return { kind: isOwnerKey(plain) ? 'owner-item' : 'index-item', edgeType: '', generation };
  }
  for (const [kind, prefix] of NAMED) {
    if (!plain.startsWith(prefix)) continue;
    const edgeType = kind === 'reverse-item' ? typePrefix(plain.slice(prefix.length)) : plain.slice(prefix.length);
    return edgeType === undefined ? UNKNOWN_ITEM : { kind, edgeType, generation };
  }
  return UNKNOWN_ITEM;
}
