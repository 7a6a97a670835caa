import * as z from 'zod';
import { type AttributeValue, type Item, itemSizeBytes, sameValue } from '../../../src/core/items/attribute-value.ts';
import { WRITE_UNIT_BYTES } from '../../../src/core/items/capacity.ts';
import { ATTRIBUTES, COPIES, INDEX_KEYS, isTombstone, MODEL, REVISION } from '../../../src/core/items/derived-item.ts';
import { parseDerivedKey } from '../../../src/core/items/derived-key.ts';
import { isDerivedKey, textOfKey } from '../../../src/core/items/keys.ts';
import { toPlain } from '../../../src/core/items/plain.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { nativeIndexes } from '../../../src/core/model/native-indexes.ts';
import { losslessNumber, toJson } from '../../../src/foundation/exact-json.ts';
import { lagOfStream } from '../../../src/trust/explain/position.ts';
import { readPrices } from '../../cost/prices.ts';
import type { RequestContext } from '../base/context.ts';
import type { ProjectorTap, TappedBatch, TappedWrite } from '../base/projector-tap.ts';
import { input, route } from '../base/route.ts';
import { type ChangeName, changeName, type RecentWrite, type SeenChange } from '../base/seen-changes.ts';

/** A side is absent if the attribute has no value there. For sets, each side has only the elements that the other lacks. */
export interface AttributeChange {
  name: string;
  before?: unknown;
  after?: unknown;
}

export interface TraceStep {
  source: string;
  target: string;
  change: ChangeName;
  changes: AttributeChange[];
  /**
   * Milliseconds since the base item's write was sent or, if another process sent that write, since its batch began.
   * Null if another process made this change.
   */
  afterMs: number | null;
  wcu: number;
  /** False if `wcu` is estimated from the sizes of the images. */
  isCounted: boolean;
}

export interface DerivedStep extends TraceStep {
  kind: string;
  /** The edge type and order, the search or the part. Empty for other items. */
  of: string;
}

export interface TraceAnswer {
  /** Null if the studio hasn't read this write from the stream. */
  write: (TraceStep & { rev: string; atMs: number }) | null;
  /** Null unless this process projected the write. */
  batch: { beganMs: number; endedMs: number; records: number } | null;
  derived: DerivedStep[];
  /** True once all derived items are written; null if unknown. */
  isProjected: boolean | null;
  /** The consumers' position. Null if the batch is known or the write unknown. */
  lag: string | null;
  /** WCU including derived items; US dollars per million such writes on demand. */
  price: { wcu: number; millionUsd: number };
}

export interface WritesAnswer {
  hasStream: boolean;
  writes: RecentWrite[];
}

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

const UNSEEN: TraceAnswer = {
  ...{ write: null, batch: null, derived: [], isProjected: null, lag: null },
  price: { wcu: 0, millionUsd: 0 },
};

async function traceWrite(
  context: RequestContext,
  { source, target, ...at }: { source: string; target: string; rev?: string | undefined; after?: number | undefined },
): Promise<TraceAnswer> {
  const { graph, flow, tap } = context;
  await flow.look();
  const write = flow.changes.writeOf({ source, target }, at);
  if (write === undefined) return UNSEEN;
  const isKnown = tap.batchOf(write) !== undefined;
  const lag = isKnown ? undefined : await lagOfStream(await context.position.find());
  // The batch may have ended while the position was read.
  const batch = tap.batchOf(write);
  // Once a batch has ended, the stream has the records of its writes.
  if (batch !== undefined || lag?.isApplied === true) await flow.look();
  const sent = sentWriteOf(tap, write, batch);
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
    derived: derived.sort((left, right) => (left.afterMs ?? 0) - (right.afterMs ?? 0)),
    isProjected: batch === undefined ? (lag?.isApplied ?? null) : true,
    lag: lag?.text ?? null,
    price: { wcu, millionUsd: wcu * readPrices(undefined, undefined).dynamodb.millionWriteUnits },
  };
}

function sentWriteOf(tap: ProjectorTap, write: SeenChange, batch: TappedBatch | undefined): TappedWrite | undefined {
  const own = tap.writeOf(write, batch?.beganMs ?? write.atMs + CLOCK_MS);
  // A write sent at a different time is another write of the same item.
  const isThis = own !== undefined && Math.abs(own.sentMs - write.atMs) < CLOCK_MS;
  return isThis ? own : undefined;
}

/** Stream records have times in whole seconds, so this allows for rounding. */
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

function estimatedWcu(graph: CompiledModel, ...images: readonly (Item | undefined)[]): number {
  const indexes = [...Object.values(INDEX_KEYS), ...nativeIndexes(graph)];
  const holding = indexes.filter(({ partition, sort }) =>
    images.some((image) => image?.[partition] !== undefined && image[sort] !== undefined),
  );
  const bytes = Math.max(...images.map((image) => (image ? itemSizeBytes(image) : 0)));
  return Math.ceil(bytes / WRITE_UNIT_BYTES) * (1 + holding.length);
}

const BOOKKEEPING = new Set([REVISION, MODEL]);
/** Maps whose entries are compared one by one. */
const MAPS: ReadonlySet<string> = new Set([ATTRIBUTES, COPIES]);
const NONE: ReadonlySet<string> = new Set();
type Entries = Map<string, AttributeValue>;

function changesOf({ table }: CompiledModel, target: string, before: Item, after: Item): AttributeChange[] {
  // A base item may have its own attributes with these names.
  const isDerived = isDerivedKey(target);
  const [left, right] = [before, after].map((item) => entriesOf(item, isDerived ? MAPS : NONE)) as [Entries, Entries];
  const own = new Set([table.partitionKey, table.sortKey, ...(isDerived ? [table.ttl, ...BOOKKEEPING] : [])]);
  return [...new Set([...left.keys(), ...right.keys()])]
    .filter((name) => !own.has(name))
    .sort()
    .map((name) => difference(name, left.get(name), right.get(name)))
    .filter((change) => change !== undefined);
}

function entriesOf(item: Item, maps: ReadonlySet<string>): Entries {
  const entries: Entries = new Map();
  for (const [name, value] of Object.entries(item)) {
    if (maps.has(name) && 'M' in value) {
      for (const [inner, one] of Object.entries(value.M)) entries.set(`${name}.${inner}`, one);
    } else entries.set(name, value);
  }
  return entries;
}

function difference(
  name: string,
  stored: AttributeValue | undefined,
  written: AttributeValue | undefined,
): AttributeChange | undefined {
  if (sameValue(stored, written)) return undefined;
  const [before, after] = [stored, written].map((value) => value && toPlain(value, losslessNumber));
  if (![before, after].every((value) => value === undefined || value instanceof Set)) return { name, before, after };
  const [left, right] = [elementsOf(before), elementsOf(after)];
  return { name, before: elementsOnlyIn(left, right), after: elementsOnlyIn(right, left) };
}

/** Numbers and binary values of a set are objects, so elements are compared by their text. */
function elementsOf(value: unknown): ReadonlyMap<string, unknown> {
  const elements = value instanceof Set ? [...(value as Set<unknown>)] : [];
  return new Map(elements.map((one) => [toJson(one), one]));
}

function elementsOnlyIn(
  all: ReadonlyMap<string, unknown>,
  others: ReadonlyMap<string, unknown>,
): unknown[] | undefined {
  const own = [...all].filter(([text]) => !others.has(text)).map(([, one]) => one);
  return own.length === 0 ? undefined : own;
}

function nameOf(key: ReturnType<typeof parseDerivedKey>): string {
  if (key === undefined) return '';
  if ('search' in key) return key.search;
  if ('part' in key) return key.part ?? '';
  const order = 'order' in key && key.order !== undefined ? `.${key.order}` : '';
  return `${key.edgeType}${order}`;
}
