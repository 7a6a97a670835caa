import { attributeOf, type Item, numberOf, stringOf } from '../core/items/attribute-value.ts';
import { SERVICE_PARTITION } from '../core/items/keys.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import { queriedItems, type ReadStats } from '../core/store-pages.ts';
import type { Store } from '../core/store-port.ts';
import type { RawRecord } from '../stream/raw-record.ts';
import { heads } from './head.ts';
import { type Conflict, conflictsNow, type Refused, refusedNow } from './notes.ts';

/** How far the consumers of sources have come, and what of the sources needs a person. */

const PREFIX = 'source-progress/';
/** The shortest time between two notes of one process, in milliseconds. */
const INTERVAL_MS = 10_000;

/** The state of one source. */
export interface SourceStatus {
  /** The name of the source. */
  source: string;
  /** The version of its mapping that is in force; null: none is. */
  version: string | null;
  /** When its consumer has touched a batch last, ISO 8601; null: none has. */
  seen: string | null;
  /** The age of the oldest record of that batch when it was touched, in seconds. */
  lagSeconds: number | null;
  /** Source items that the mapping does not take. */
  refused: number;
}

/** The state of all sources of a table. */
export interface SourcesStatus {
  sources: SourceStatus[];
  conflicts: Conflict[];
  /** There may be more conflicts than one look finds. */
  hasMore: boolean;
}

/** Leaves in the table how far a consumer of a source is: one write in ten seconds at most. */
export class SourceProgress {
  private writtenAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly graph: CompiledModel,
    private readonly store: Pick<Store, 'change'>,
    private readonly source: string,
  ) {}

  /** Notes a batch that is touched. */
  async note(lagSeconds: number | undefined, nowMs: number): Promise<void> {
    if (nowMs - this.writtenAtMs < INTERVAL_MS) return;
    this.writtenAtMs = nowMs;
    const key = { source: SERVICE_PARTITION, target: PREFIX + this.source };
    const item: Item = {
      [this.graph.table.partitionKey]: { S: key.source },
      [this.graph.table.sortKey]: { S: key.target },
      seen: { N: String(nowMs) },
      ...(lagSeconds !== undefined && { lag: { N: String(lagSeconds) } }),
    };
    await this.store.change({ kind: 'put', key, item });
  }
}

/** The age of the oldest record of a batch, in seconds; undefined where none has a time. */
export function lagOf(records: readonly RawRecord[], nowMs: number): number | undefined {
  const times = records.map(({ dynamodb }) => createdMs(dynamodb?.ApproximateCreationDateTime)).filter(Number.isFinite);
  return times.length === 0 ? undefined : Math.max(0, nowMs - Math.min(...times)) / 1000;
}

function createdMs(created: unknown): number {
  return created instanceof Date ? created.getTime() : Number(created ?? Number.NaN) * 1000;
}

/**
 * The state of all sources that a table knows, and of those that are named.
 *
 * @param options `prunes`: the table, if notes of what has ended are to be deleted. `remainingMs`: the time for notes.
 */
export async function sourcesStatus(
  graph: CompiledModel,
  store: Pick<Store, 'get' | 'query'>,
  { names = [], prunes, remainingMs, onRefused, stats = { rcu: 0 } }: SourcesStatusOptions = {},
): Promise<SourcesStatus> {
  const found = new Map<string, SourceStatus>();
  const empty = (source: string): SourceStatus => ({ source, version: null, seen: null, lagSeconds: null, refused: 0 });
  for (const name of names) found.set(name, empty(name));
  for (const [name, { version, isRetired }] of await heads(graph, store, stats)) {
    if (!isRetired) found.set(name, { ...empty(name), version });
    else if (!names.includes(name)) found.delete(name);
  }
  const request = { partition: SERVICE_PARTITION, sortKey: { beginsWith: PREFIX }, consistent: true };
  for await (const item of queriedItems(store, request, stats)) {
    const source = (stringOf(attributeOf(item, graph.table.sortKey)) ?? '').slice(PREFIX.length);
    const status = found.get(source);
    const lag = numberOf(attributeOf(item, 'lag'));
    if (status === undefined) continue;
    status.seen = new Date(Number(numberOf(attributeOf(item, 'seen')) ?? 0)).toISOString();
    status.lagSeconds = lag === undefined ? null : Number(lag);
  }
  for (const status of found.values()) {
    const refused = await refusedNow({ graph, store, stats, remainingMs }, status.source, prunes);
    status.refused = refused.found.length;
    for (const one of refused.found) onRefused?.(status.source, one);
  }
  const sources = [...found.values()].sort((left, right) => (left.source < right.source ? -1 : 1));
  const { found: conflicts, hasMore } = await conflictsNow({ graph, store, stats, remainingMs }, prunes);
  return { sources, conflicts, hasMore };
}

interface SourcesStatusOptions {
  names?: readonly string[] | undefined;
  prunes?: Pick<Store, 'change'> | undefined;
  stats?: ReadStats | undefined;
  remainingMs?: (() => number) | undefined;
  onRefused?: ((source: string, refused: Refused) => void) | undefined;
}
