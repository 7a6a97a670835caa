import { generationPrefix, splitGeneration } from './generation.ts';
import {
  CONTINUATION_PREFIX,
  DEGREE_PREFIX,
  edgeIndexPrefix,
  fittingKey,
  IN_TARGET_PREFIXES,
  INDEX_PREFIX,
  inTargetPrefix,
  type KindInTarget,
  ORDER_KEY,
  PART_SEARCH_KEY,
  PART_VIEW_PREFIX,
  partSearchPrefix,
  partViewKey,
  QUARANTINE_PREFIX,
  quarantineKey,
  SOURCE_CONTINUATION_PREFIX,
  searchKey,
  searchValuePrefix,
  TARGET_ITEM_PREFIX,
  TOTAL_PREFIX,
  unescapeSearchName,
} from './key-forms.ts';
import { type DerivedSortKey, isDerivedKey, isTypeName, typePrefix, VIEW_KEY } from './keys.ts';

export type { KindInTarget } from './key-forms.ts';

export type KeyEnd =
  | { readonly text: string; readonly hash?: undefined }
  | { readonly hash: string; readonly text?: undefined };

type NamedKind = 'count' | 'total' | 'continuation' | 'source-continuation';

export type DerivedKey =
  | { kind: 'view'; edgeType: ''; generation: 1 }
  | { kind: 'unknown-item'; edgeType: ''; generation: 1 }
  | { kind: 'quarantine-entry'; edgeType: ''; generation: 1; target: KeyEnd }
  /** If `edge` is a hash, `edgeType` is empty. */
  | { kind: 'index-item'; of: 'edge'; edgeType: string; generation: number; order?: string; edge: KeyEnd }
  | { kind: 'part-view'; edgeType: ''; generation: number; part: string }
  /**
   * For a part's search, `search` begins with `part`, as in `STATE.status`. `value` is only set if the search has an
   * item for each value.
   */
  | {
      kind: 'index-item';
      of: 'search';
      edgeType: '';
      generation: number;
      search: string;
      part?: string;
      value?: KeyEnd;
    }
  | { kind: 'index-item'; of: 'nothing'; edgeType: ''; generation: number }
  /** `name` is the edge type or, for a named order, the edge type, `/` and the order's name. */
  | { kind: 'target-item'; edgeType: string; generation: number; order?: string; name: KeyEnd }
  | { [Kind in KindInTarget]: { kind: Kind; edgeType: string; generation: number; source: KeyEnd } }[KindInTarget]
  | { [Kind in NamedKind]: { kind: Kind; edgeType: string; generation: number } }[NamedKind];

export type DerivedKind = DerivedKey['kind'];

export const BEGINNINGS = {
  ...IN_TARGET_PREFIXES,
  'index-item': INDEX_PREFIX,
  continuation: CONTINUATION_PREFIX,
  count: DEGREE_PREFIX,
  total: TOTAL_PREFIX,
  'quarantine-entry': QUARANTINE_PREFIX,
} as const satisfies { readonly [Kind in DerivedKind]?: string };

export const KINDS_IN_TARGET = Object.keys(IN_TARGET_PREFIXES) as KindInTarget[];

const VIEW: DerivedKey = { kind: 'view', edgeType: '', generation: 1 };
const UNKNOWN_ITEM: DerivedKey = { kind: 'unknown-item', edgeType: '', generation: 1 };

/** The longer prefix comes first: `SOURCE_CONTINUATION_PREFIX` begins with `CONTINUATION_PREFIX`. */
const NAMED: readonly [kind: NamedKind, prefix: string][] = [
  ['count', DEGREE_PREFIX],
  ['total', TOTAL_PREFIX],
  ['source-continuation', SOURCE_CONTINUATION_PREFIX],
  ['continuation', CONTINUATION_PREFIX],
];

export function parseDerivedKey(sortKey: string): DerivedKey | undefined {
  if (!isDerivedKey(sortKey)) return undefined;
  if (sortKey === VIEW_KEY) return VIEW;
  if (sortKey.startsWith(QUARANTINE_PREFIX)) return parseQuarantineKey(sortKey);
  const { generation, plain } = splitGeneration(sortKey);
  if (plain.startsWith(TARGET_ITEM_PREFIX))
    return parseTargetItemKey(plain.slice(TARGET_ITEM_PREFIX.length), generation);
  if (plain.startsWith(INDEX_PREFIX)) return parseIndexKey(plain, generation);
  if (plain.startsWith(PART_VIEW_PREFIX)) return parsePartViewKey(plain.slice(PART_VIEW_PREFIX.length), generation);
  for (const kind of KINDS_IN_TARGET) {
    const prefix = IN_TARGET_PREFIXES[kind];
    if (plain.startsWith(prefix)) return parseKeyWithSource(kind, plain.slice(prefix.length), generation);
  }
  for (const [kind, prefix] of NAMED) {
    if (plain.startsWith(prefix)) return { kind, edgeType: plain.slice(prefix.length), generation };
  }
  return UNKNOWN_ITEM;
}

export function formatDerivedKey(
  key: Exclude<DerivedKey, { kind: 'unknown-item' } | { of: 'nothing' }>,
): DerivedSortKey {
  const { generation } = key;
  switch (key.kind) {
    case 'view':
      return VIEW_KEY;
    case 'quarantine-entry':
      return key.target.hash === undefined
        ? quarantineKey(key.target.text)
        : (`${QUARANTINE_PREFIX}#${key.target.hash}` as DerivedSortKey);
    case 'index-item': {
      if (key.of === 'edge') return keyWithEnd(edgeIndexPrefix(key.order, generation), key.edge);
      const { search, part, value } = key;
      return value === undefined
        ? searchKey(search, generation, part)
        : keyWithEnd(searchValuePrefix(search, generation, part), value);
    }
    case 'part-view':
      return partViewKey(key.part, generation);
    case 'target-item':
      return keyWithEnd(withGenerationMark(TARGET_ITEM_PREFIX, generation), key.name);
    default:
      if ('source' in key) return keyWithEnd(inTargetPrefix(key.kind, key.edgeType, generation), key.source);
      return (withGenerationMark(NAMED.find(([kind]) => kind === key.kind)![1], generation) +
        key.edgeType) as DerivedSortKey;
  }
}

export function isPlainKey(sortKey: string): boolean {
  return splitGeneration(sortKey).generation === 1;
}

function withGenerationMark(prefix: string, generation: number): string {
  const end = prefix.indexOf('/') + 1;
  return generationPrefix(prefix.slice(0, end), generation) + prefix.slice(end);
}

function keyWithEnd(prefix: string, { text, hash }: KeyEnd): DerivedSortKey {
  return hash === undefined ? fittingKey(prefix, text) : (`${prefix}#${hash}` as DerivedSortKey);
}

const HASH = /^#[0-9a-f]{32}$/;

/** A `#` always marks a hash, since `fittingKey` also hashes strings that begin with `#`. */
function parseKeyEnd(rest: string): KeyEnd | undefined {
  if (!rest.startsWith('#')) return { text: rest };
  return HASH.test(rest) ? { hash: rest.slice(1) } : undefined;
}

function parseIndexKey(plain: string, generation: number): DerivedKey {
  const nothing: DerivedKey = { kind: 'index-item', of: 'nothing', edgeType: '', generation };
  const part = PART_SEARCH_KEY.exec(plain)?.[1];
  if (part !== undefined) {
    return parseSearchKey(plain.slice(partSearchPrefix(part).length), generation, part) ?? nothing;
  }
  const order = ORDER_KEY.exec(plain)?.[1];
  const rest = plain.slice(order === undefined ? INDEX_PREFIX.length : INDEX_PREFIX.length + order.length + 2);
  // A `-` before any `/` shows an edge, since search names escape both characters.
  const isEdge = order !== undefined || rest.startsWith('#') || rest[rest.search(/[-/]/)] === '-';
  if (!isEdge) return parseSearchKey(rest, generation) ?? nothing;
  const edge = parseKeyEnd(rest);
  const edgeType = edge?.hash === undefined ? typePrefix(rest) : '';
  if (edge === undefined || edgeType === undefined) return nothing;
  return { kind: 'index-item', of: 'edge', edgeType, generation, ...(order !== undefined && { order }), edge };
}

function parseSearchKey(rest: string, generation: number, part?: string): DerivedKey | undefined {
  const slash = rest.indexOf('/');
  const name = unescapeSearchName(slash < 0 ? rest : rest.slice(0, slash));
  if (name === undefined) return undefined;
  const named = part === undefined ? { search: name } : { search: `${part}.${name}`, part };
  if (slash < 0) return { kind: 'index-item', of: 'search', edgeType: '', generation, ...named };
  const value = parseKeyEnd(rest.slice(slash + 1));
  return value && { kind: 'index-item', of: 'search', edgeType: '', generation, ...named, value };
}

function parsePartViewKey(part: string, generation: number): DerivedKey {
  return isTypeName(part) ? { kind: 'part-view', edgeType: '', generation, part } : UNKNOWN_ITEM;
}

function parseTargetItemKey(rest: string, generation: number): DerivedKey {
  const name = parseKeyEnd(rest);
  const slash = rest.indexOf('/');
  const edgeType = slash < 0 ? rest : rest.slice(0, slash);
  if (name === undefined || (name.text !== undefined && !isTypeName(edgeType))) {
    return { kind: 'index-item', of: 'nothing', edgeType: '', generation };
  }
  if (name.text === undefined) return { kind: 'target-item', edgeType: '', generation, name };
  return { kind: 'target-item', edgeType, generation, ...(slash >= 0 && { order: rest.slice(slash + 1) }), name };
}

function parseKeyWithSource(kind: KindInTarget, rest: string, generation: number): DerivedKey {
  const edgeType = typePrefix(rest);
  const source = edgeType === undefined ? undefined : parseKeyEnd(rest.slice(edgeType.length + 1));
  if (edgeType === undefined || source === undefined) return UNKNOWN_ITEM;
  return { kind, edgeType, generation, source };
}

function parseQuarantineKey(sortKey: string): DerivedKey {
  const text = sortKey.slice(QUARANTINE_PREFIX.length);
  return { kind: 'quarantine-entry', edgeType: '', generation: 1, target: parseKeyEnd(text) ?? { text } };
}

/**
 * Returns the sort key of the edge or part that an index item or a part's view is made from, and `source` for other
 * derived items. Undefined if the key has only the edge's hash, or if no projection makes such an index item.
 */
export function baseKeyOfIndexItem(source: string, sortKey: string): string | undefined {
  const key = parseDerivedKey(sortKey);
  if (key?.kind === 'part-view' || (key?.kind === 'index-item' && key.of === 'search' && key.part !== undefined)) {
    return key.part;
  }
  if (key?.kind !== 'index-item' || key.of === 'search') return source;
  return key.of === 'edge' ? key.edge.text : undefined;
}
