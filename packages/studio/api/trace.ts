import * as z from 'zod';
import { nativeItemsOf } from '../../../src/client/read/lists/native-list.ts';
import { type Item, itemSizeBytes, sameItem, sameValue } from '../../../src/core/items/attribute-value.ts';
import { WRITE_UNIT_BYTES } from '../../../src/core/items/capacity.ts';
import {
  ATTRIBUTES,
  COPIES,
  INDEX_KEYS,
  INDEX_NAMES,
  isTombstone,
  MODEL,
  REVISION,
  shownInIndex,
} from '../../../src/core/items/derived-item.ts';
import { parseDerivedKey } from '../../../src/core/items/derived-key.ts';
import { isDerivedKey, textOfKey } from '../../../src/core/items/keys.ts';
import { toPlain } from '../../../src/core/items/plain.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { nativeIndexes } from '../../../src/core/model/native-indexes.ts';
import { losslessNumber } from '../../../src/foundation/exact-json.ts';
import { lagOfStream } from '../../../src/trust/explain/position.ts';
import { readPrices } from '../../cost/prices.ts';
import type { RequestContext } from '../base/context.ts';
import type { TappedWrite } from '../base/projector-tap.ts';
import { input, route } from '../base/route.ts';
import { type ChangeName, changeName, type RecentWrite, type SeenChange } from '../base/seen-changes.ts';

/** An attribute before and after a write; null is nothing. */
export interface AttributeChange {
  name: string;
  before: unknown;
  after: unknown;
}

/** A change of one item that belongs to the write. */
export interface TraceStep {
  source: string;
  target: string;
  change: ChangeName;
  changes: AttributeChange[];
  /** Milliseconds after the write was sent; null: the stream tells whole seconds alone. */
  afterMs: number | null;
  wcu: number;
  /** True: DynamoDB counted the units. False: the sizes of the images give them. */
  isCounted: boolean;
}

/** A derived item that the write has changed. */
export interface DerivedStep extends TraceStep {
  /** The kind of the item: `view`, `index-item`. */
  kind: string;
  /** The edge type, or the search, and the order that it is of; empty: none. */
  of: string;
}

/** How far one write has come. */
export interface TraceAnswer {
  /** Null: the stream has not shown it, or does not any more. */
  write: (TraceStep & { rev: string; atMs: number }) | null;
  /** The batch that took it; null: another process has projected it. */
  batch: { beganMs: number; endedMs: number; records: number } | null;
  derived: DerivedStep[];
  /** The native lists in which it moves or shows its item: they have it when their index does, whoever projects. */
  native: string[];
  /** True: every derived item of the write is written, and readers see the write. Null: the studio does not know. */
  isProjected: boolean | null;
  /** How far the consumers are, where the batch is not known. */
  lag: string | null;
  /** Write units, those of the derived items included, and US dollars that a million such writes cost on demand. */
  price: { wcu: number; millionUsd: number };
}

/** The newest writes of base items. */
export interface WritesAnswer {
  hasStream: boolean;
  writes: RecentWrite[];
}

/** One write, from the base item to readers. */
export const TRACE_ROUTES = [
  route('GET /api/writes', z.object({}), async ({ flow }): Promise<WritesAnswer> => {
    await flow.look();
    return { hasStream: flow.hasStream, writes: flow.changes.recent() };
  }),
  route(
    'GET /api/trace',
    z.object({
      source: input.id,
      target: input.id,
      rev: z.string().optional(),
      after: z.coerce.number().int().min(0).optional(),
    }),
    traceWrite,
  ),
];

async function traceWrite(
  context: RequestContext,
  { source, target, ...at }: { source: string; target: string; rev?: string | undefined; after?: number | undefined },
): Promise<TraceAnswer> {
  const { graph, flow, tap } = context;
  await flow.look();
  const write = flow.changes.writeOf({ source, target }, at);
  if (write === undefined) {
    const price = { wcu: 0, millionUsd: 0 };
    return { write: null, batch: null, derived: [], native: [], isProjected: null, lag: null, price };
  }
  const isKnown = tap.batchOf(write) !== undefined;
  const lag = isKnown ? undefined : await lagOfStream(await context.position.find());
  // It may have ended while the position was looked at.
  const batch = tap.batchOf(write);
  // When a batch has ended, the records of its writes are there.
  if (batch !== undefined || lag?.isApplied === true) await flow.look();
  const own = tap.writeOf(write, batch?.beganMs ?? write.atMs + CLOCK_MS);
  // A write that another process has made, or an earlier one of the item: the record's second is all that is known.
  const sent = own !== undefined && Math.abs(own.sentMs - write.atMs) < CLOCK_MS ? own : undefined;
  const beganMs = sent?.sentMs;
  const wrote = new Set(batch?.records === 1 ? batch.writes.keys() : []);
  const derived = flow.changes.derivedOf(graph, write, wrote).map((change): DerivedStep => {
    const key = parseDerivedKey(change.target);
    return {
      ...stepOf(graph, change, batch?.writes.get(textOfKey(change)), beganMs ?? batch?.beganMs),
      kind: key?.kind ?? 'item',
      of: nameOf(key),
    };
  });
  const since = (ms: number): number => ms - (beganMs ?? batch!.beganMs);
  const base = stepOf(graph, write, sent, beganMs);
  const wcu = derived.reduce((sum, step) => sum + step.wcu, base.wcu);
  return {
    write: { ...base, rev: write.sequenceNumber, atMs: sent?.sentMs ?? write.atMs },
    batch:
      batch === undefined
        ? null
        : { beganMs: since(batch.beganMs), endedMs: since(batch.endedMs), records: batch.records },
    native: nativeListsOf(graph, write),
    derived: derived.sort((left, right) => (left.afterMs ?? 0) - (right.afterMs ?? 0)),
    isProjected: batch === undefined ? (lag?.isApplied ?? null) : true,
    lag: lag?.text ?? null,
    price: { wcu, millionUsd: wcu * readPrices(undefined, undefined).dynamodb.millionWriteUnits },
  };
}

/** The names of the native lists in which a write moves or shows its item. */
function nativeListsOf(graph: CompiledModel, { oldImage, newImage }: SeenChange): string[] {
  const [before, after] = [oldImage, newImage].map((image) => image && nativeItemsOf(graph, image));
  const keys = new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])]);
  const isSame = (left: Item | undefined, right: Item | undefined): boolean =>
    left !== undefined && right !== undefined && sameItem(left, right);
  return [...keys]
    .filter((key) => !isSame(before?.get(key), after?.get(key)))
    .map((key) => nameOf(parseDerivedKey(key)));
}

/** How far the second of a record may be from the moment of its write. */
const CLOCK_MS = 2_000;

function stepOf(
  graph: CompiledModel,
  { source, target, oldImage, newImage }: SeenChange,
  tapped: TappedWrite | undefined,
  beganMs: number | undefined,
): TraceStep {
  const isLive = (image: Item | undefined): image is Item => image !== undefined && !isTombstone(image, graph.table);
  const images = {
    oldImage: isLive(oldImage) ? oldImage : undefined,
    newImage: isLive(newImage) ? newImage : undefined,
  };
  return {
    source,
    target,
    change: changeName(images),
    changes: changesOf(graph, target, images.oldImage ?? {}, images.newImage ?? {}),
    afterMs: tapped === undefined || beganMs === undefined ? null : tapped.answeredMs - beganMs,
    wcu: tapped?.wcu ?? estimatedWcu(graph, oldImage, newImage),
    isCounted: tapped !== undefined,
  };
}

/** Units of a write as its images have them: of the item, and of each index that has to show something else for it. */
function estimatedWcu(graph: CompiledModel, before: Item | undefined, after: Item | undefined): number {
  return indexesOf(graph).reduce(
    (sum, { partition, sort, shown }) => {
      const [left, right] = [before, after].map((image) =>
        image?.[partition] === undefined || image[sort] === undefined ? undefined : shown(image),
      );
      if (left === undefined || right === undefined) return sum + unitsOf(left, right);
      if (sameItem(left, right)) return sum;
      const isMoved = [partition, sort].some((name) => !sameValue(left[name], right[name]));
      return sum + (isMoved ? unitsOf(left) + unitsOf(right) : unitsOf(left, right));
    },
    unitsOf(before, after),
  );
}

/** An index, and what it shows of an item. */
interface ShownIndex {
  partition: string;
  sort: string;
  shown: (image: Item) => Item;
}

/** The indexes of derived items, and the native ones. */
function indexesOf(graph: CompiledModel): ShownIndex[] {
  const { partitionKey, sortKey } = graph.table;
  const keysOf = (image: Item): Item => ({ [partitionKey]: image[partitionKey]!, [sortKey]: image[sortKey]! });
  const ofDerived = INDEX_NAMES.map((index): ShownIndex => {
    return { ...INDEX_KEYS[index], shown: (image) => ({ ...keysOf(image), ...shownInIndex(index, image) }) };
  });
  const native = nativeIndexes(graph).map(({ partition, sort, attribute, attributes }): ShownIndex => {
    const names = new Set([partitionKey, sortKey, attribute, ...(attributes ?? [])]);
    const ofIndex = (image: Item): Item =>
      attributes === undefined ? image : Object.fromEntries(Object.entries(image).filter(([name]) => names.has(name)));
    return { partition, sort, shown: ofIndex };
  });
  return [...ofDerived, ...native];
}

/** Write units of the largest of some images; none without one. */
function unitsOf(...images: readonly (Item | undefined)[]): number {
  return Math.ceil(Math.max(...images.map((image) => (image ? itemSizeBytes(image) : 0))) / WRITE_UNIT_BYTES);
}

const BOOKKEEPING = new Set([REVISION, MODEL]);
/** Maps whose entries have lines of their own. */
const MAPS: ReadonlySet<string> = new Set([ATTRIBUTES, COPIES]);
const NONE: ReadonlySet<string> = new Set();
type Entries = Map<string, unknown>;

function changesOf({ table }: CompiledModel, target: string, before: Item, after: Item): AttributeChange[] {
  // Attributes of a base item are all its producer's, whatever their names.
  const isDerived = isDerivedKey(target);
  const [left, right] = [before, after].map((item) => entriesOf(item, isDerived ? MAPS : NONE)) as [Entries, Entries];
  const own = new Set([table.partitionKey, table.sortKey, ...(isDerived ? [table.ttl, ...BOOKKEEPING] : [])]);
  return [...new Set([...left.keys(), ...right.keys()])]
    .filter((name) => !own.has(name))
    .sort()
    .map((name) => difference(name, left.get(name) ?? null, right.get(name) ?? null))
    .filter((change) => change !== undefined);
}

/** The attributes of an item, plain; those of maps by their own names. */
function entriesOf(item: Item, maps: ReadonlySet<string>): Entries {
  const entries: Entries = new Map();
  for (const [name, value] of Object.entries(item)) {
    if (maps.has(name) && 'M' in value) {
      for (const [inner, one] of Object.entries(value.M)) entries.set(`${name}.${inner}`, toPlain(one, losslessNumber));
    } else entries.set(name, toPlain(value, losslessNumber));
  }
  return entries;
}

/** The difference of two values; of two sets the elements that only one has. Undefined: they are equal. */
function difference(name: string, before: unknown, after: unknown): AttributeChange | undefined {
  if (JSON.stringify(plainSet(before)) === JSON.stringify(plainSet(after))) return undefined;
  if (!(before instanceof Set || after instanceof Set)) return { name, before, after };
  const [left, right] = [before, after].map((value) => (value instanceof Set ? [...(value as Set<unknown>)] : []));
  const lack = (all: unknown[], others: unknown[]): unknown[] | null => {
    const own = all.filter((one) => !others.includes(one));
    return own.length === 0 ? null : own;
  };
  return { name, before: lack(left!, right!), after: lack(right!, left!) };
}

function plainSet(value: unknown): unknown {
  return value instanceof Set ? [...value].sort() : value;
}

function nameOf(key: ReturnType<typeof parseDerivedKey>): string {
  if (key === undefined) return '';
  if ('search' in key) return key.search;
  if ('part' in key) return key.part ?? '';
  const order = 'order' in key && key.order !== undefined ? `.${key.order}` : '';
  return `${key.edgeType}${order}`;
}
