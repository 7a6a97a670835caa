import pMap from 'p-map';
import { type Item, itemSizeBytes } from '../../core/items/attribute-value.ts';
import { BEGINNINGS, parseDerivedKey } from '../../core/items/derived-key.ts';
import { isServicePartition, typePrefix } from '../../core/items/keys.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type { ScanSource, Store } from '../../core/store-port.ts';
import { type WalkedItem, walkedItem } from '../../store/table-walk.ts';

export interface SampledItem extends WalkedItem {
  share: number;
}

export interface TableSample {
  items: readonly SampledItem[];
  partitionShare: number;
  itemCount: number;
  bytes: number;
  isWhole: boolean;
}

export interface SampledTable {
  graph: CompiledModel;
  store: ScanSource & Pick<Store, 'query'>;
  itemCount: number;
  sizeBytes?: number | undefined;
}

const WHOLE_ITEMS = 10_000;
const WHOLE_BYTES = 8 * 1024 * 1024;
const WHOLE_SEGMENTS = 4;
const WHOLE_PAGE_ITEMS = 1_000;

/**
 * Number of parts to read of a larger table. They are spread over the table, because a scan returns a partition's items
 * together.
 */
const PARTS = 40;
const AT_ONCE = 8;
/** Maximum items to read per segment. Segments are sized for half as many, so that most are read whole. */
const PART_ITEMS = 250;
const FEWEST_PART_ITEMS = 10;
const MOST_SEGMENTS = 1_000_000;
const STEP = 8;

/** Maximum items of each kind to read and to count in a partition that a page has cut off. */
const KIND_ITEMS = 50;
const COUNTED_ITEMS = 1_000;
/** Maximum kinds to read in a partition that a page has cut off. Each edge type, order and generation is a kind. */
const MOST_KINDS = 60;
const LAST_CHARACTER = '\u{10ffff}';

/**
 * Reads some items of each kind in a partition that a page has cut off: edges sort before derived items, so the first
 * items alone would look as if nothing were derived. Attributes the table's remaining items to kinds with more items
 * than are counted.
 */
export async function sampleTable(table: SampledTable): Promise<TableSample> {
  const whole = table.itemCount > WHOLE_ITEMS ? undefined : await readWhole(table);
  if (whole !== undefined) return { ...sampleOf([{ items: whole, share: 1 }], 1), isWhole: true };
  const { partitionShare, read, kinds } = await readParts(table);
  const counted = kinds.filter(({ isAll }) => isAll);
  const known = knownItems({ partitionShare, read, kinds });
  const open = kinds.filter(({ isAll }) => !isAll);
  // `itemCount` may be outdated, so it isn't used if the sample indicates over twice as many items.
  const count = table.itemCount < known / 2 ? known : table.itemCount;
  const least = open.length * COUNTED_ITEMS * partitionShare;
  const ofEach = open.length === 0 ? 0 : Math.max(count - known, least) / open.length;
  const small = read.length * partitionShare;
  const scale = open.length > 0 || known === 0 ? 1 : count / known;
  // Attributes the whole difference from `itemCount` to large partitions: they are few, so a sample contains them only
  // by chance.
  const isOfLarge = open.length === 0 && counted.length > 0 && count > small;
  const share = isOfLarge ? partitionShare : partitionShare * scale;
  const largeShare = isOfLarge ? (partitionShare * (count - small)) / (known - small) : share;
  return sampleOf(
    [
      { items: read, share },
      ...counted.map(({ items, count: all }) => ({ items, share: (largeShare * all) / items.length })),
      ...open.map(({ items }) => ({ items, share: ofEach / items.length })),
    ],
    share,
  );
}

function sampleOf(
  groups: readonly { items: readonly WalkedItem[]; share: number }[],
  partitionShare: number,
): TableSample {
  const items = groups.flatMap(({ items, share }) => items.map((item) => ({ ...item, share })));
  return {
    items,
    partitionShare,
    itemCount: Math.round(items.reduce((sum, { share }) => sum + share, 0)),
    bytes: items.reduce((sum, { item, share }) => sum + share * itemSizeBytes(item), 0),
    isWhole: false,
  };
}

async function readWhole({ graph, store }: SampledTable): Promise<WalkedItem[] | undefined> {
  const found: WalkedItem[] = [];
  let bytes = 0;
  const isWithin = (): boolean => found.length <= WHOLE_ITEMS && bytes <= WHOLE_BYTES;
  const readSegment = async (segment: number): Promise<void> => {
    for (let startKey: Item | undefined; isWithin(); ) {
      const page = await store.scan({ segment, segments: WHOLE_SEGMENTS, limit: WHOLE_PAGE_ITEMS, startKey });
      const items = itemsOf(graph, page.items);
      found.push(...items);
      bytes += items.reduce((sum, { item }) => sum + itemSizeBytes(item), 0);
      if (page.lastKey === undefined) return;
      startKey = page.lastKey;
    }
  };
  await Promise.all(Array.from({ length: WHOLE_SEGMENTS }, (_, segment) => readSegment(segment)));
  return isWithin() ? found : undefined;
}

interface Parts {
  partitionShare: number;
  read: readonly WalkedItem[];
  kinds: readonly Kind[];
}

interface Kind {
  items: readonly WalkedItem[];
  count: number;
  isAll: boolean;
}

function knownItems({ partitionShare, read, kinds }: Parts): number {
  const counted = kinds.filter(({ isAll }) => isAll).reduce((sum, { count }) => sum + count, 0);
  return (read.length + counted) * partitionShare;
}

/**
 * Starts with small segments. If their items account for little of the table, a few partitions hold most items, and
 * larger segments are more likely to contain them.
 */
async function readParts(table: SampledTable): Promise<Parts> {
  const { itemCount, sizeBytes = 0 } = table;
  const itemBytes = itemCount === 0 ? 0 : sizeBytes / itemCount;
  const most = itemBytes === 0 ? PART_ITEMS : Math.round(WHOLE_BYTES / PARTS / itemBytes);
  const limit = Math.min(PART_ITEMS, Math.max(FEWEST_PART_ITEMS, most));
  const segmentCount = Math.ceil((2 * Math.max(itemCount, WHOLE_ITEMS)) / limit);
  let segments = Math.min(MOST_SEGMENTS, Math.max(PARTS, segmentCount));
  let parts = await readPartsOf(table, segments, limit);
  while (parts === undefined) {
    segments *= STEP;
    parts = await readPartsOf(table, segments, limit);
  }
  while (segments > PARTS && parts.kinds.every(({ isAll }) => isAll) && knownItems(parts) < itemCount / 2) {
    segments = Math.max(PARTS, Math.floor(segments / STEP));
    const larger = await readPartsOf(table, segments, limit);
    if (larger === undefined) break;
    parts = larger;
  }
  return parts;
}

/** Returns undefined if too many segments are longer than a page and smaller ones are possible. */
async function readPartsOf(table: SampledTable, segments: number, limit: number): Promise<Parts | undefined> {
  const { graph, store } = table;
  const pages = await pMap(
    Array(PARTS).keys(),
    async (part) => {
      const page = await store.scan({ segment: Math.floor((part * segments) / PARTS), segments, limit });
      // DynamoDB stops at the limit even if nothing follows, so a full page may be the whole segment.
      return { items: itemsOf(graph, page.items), cut: page.lastKey && walkedItem(graph, page.lastKey).source };
    },
    { concurrency: AT_ONCE },
  );
  const cut = pages.flatMap((page) => page.cut ?? []);
  if (cut.length > PARTS / 2 && segments * STEP <= MOST_SEGMENTS) return undefined;
  const kinds = await pMap(cut, (partition) => readKinds(table, partition), { concurrency: AT_ONCE });
  const isUncut = ({ source }: WalkedItem): boolean => !cut.includes(source);
  return {
    partitionShare: segments / PARTS,
    read: pages.flatMap(({ items }) => items.filter(isUncut)),
    kinds: kinds.flat(),
  };
}

async function readKinds({ graph, store }: SampledTable, partition: string): Promise<Kind[]> {
  if (isServicePartition(partition)) return [];
  const kinds: Kind[] = [];
  for (let from: string | undefined; kinds.length < MOST_KINDS; ) {
    const range = from === undefined ? {} : { sortKey: { from } };
    const page = await store.query({ partition, ...range, limit: KIND_ITEMS });
    const found = itemsOf(graph, page.items);
    if (found[0] === undefined) break;
    const beginning = beginningOf(found[0].target);
    const items = found.filter(({ target }) => target.startsWith(beginning));
    if (items.length < found.length || page.lastKey === undefined) {
      kinds.push({ items, count: items.length, isAll: true });
    } else {
      const sortKey = { beginsWith: beginning };
      const { count, lastKey } = await store.query({ partition, sortKey, limit: COUNTED_ITEMS, countOnly: true });
      kinds.push({ items, count, isAll: lastKey === undefined });
    }
    from = beginning + LAST_CHARACTER;
  }
  return kinds;
}

function beginningOf(sortKey: string): string {
  const key = parseDerivedKey(sortKey);
  if (key === undefined) return typedBeginning(sortKey);
  if (key.kind === 'quarantine-entry') return BEGINNINGS['quarantine-entry'];
  const end = 'edge' in key ? key.edge : 'source' in key ? key.source : 'value' in key ? key.value : undefined;
  if (end === undefined) return sortKey;
  const text = end.text ?? `#${end.hash}`;
  const before = sortKey.slice(0, sortKey.length - text.length);
  return before + ('edge' in key ? typedBeginning(text) : '');
}

function typedBeginning(sortKey: string): string {
  const type = typePrefix(sortKey);
  return type === undefined ? sortKey : `${type}-`;
}

function itemsOf(graph: CompiledModel, page: readonly Item[]): WalkedItem[] {
  return page.map((item) => walkedItem(graph, item)).filter(({ source }) => !isServicePartition(source));
}
