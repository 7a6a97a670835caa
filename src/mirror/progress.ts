import { attributeOf, type Item, numberOf } from '../core/items/attribute-value.ts';
import { SERVICE_PARTITION } from '../core/items/keys.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import { queriedItems, type ReadStats } from '../core/store-pages.ts';
import type { Store } from '../core/store-port.ts';
import type { RawRecord } from '../stream/raw-record.ts';
import { createdMs } from './batch.ts';
import { conflictsNow, type FoundConflicts } from './conflicts.ts';
import { type Poisoned, poisonedItems } from './poison.ts';

/** How far the consumers of sources have come, and what of the sources needs a person. */

const PREFIX = 'mirror-progress/';
/** The shortest time between two notes of one process, in milliseconds. */
const INTERVAL_MS = 10_000;

/** The state of one source. */
export interface SourceStatus {
  /** The source table. */
  source: string;
  /** When its consumer applied a batch last, ISO 8601; null: none has. */
  seen: string | null;
  /** The age of the oldest record of that batch when it was applied, in seconds. */
  lagSeconds: number | null;
  /** Source items that the mapping does not take. */
  poisoned: number;
}

/** The state of all sources of a table. */
export interface MirrorStatus extends FoundConflicts {
  sources: SourceStatus[];
}

/** Leaves in the table how far a consumer of a source is: one write in ten seconds at most. */
export class MirrorProgress {
  private writtenAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly graph: CompiledModel,
    private readonly store: Pick<Store, 'change'>,
    private readonly table: string,
  ) {}

  /** Notes a batch that is applied. */
  async note(lagSeconds: number | undefined, nowMs: number): Promise<void> {
    if (nowMs - this.writtenAtMs < INTERVAL_MS) return;
    this.writtenAtMs = nowMs;
    const key = { source: SERVICE_PARTITION, target: PREFIX + this.table };
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
  const times = records.map(createdMs).filter(Number.isFinite);
  return times.length === 0 ? undefined : Math.max(0, nowMs - Math.min(...times)) / 1000;
}

/**
 * The state of all sources whose consumers have worked on a table, or of those that are named.
 *
 * @param options `prunes`: the table, if notes of conflicts that have ended are to be deleted.
 */
export async function mirrorStatus(
  graph: CompiledModel,
  store: Pick<Store, 'get' | 'query'>,
  { tables = [], prunes, onPoisoned, stats = { rcu: 0 } }: MirrorStatusOptions = {},
): Promise<MirrorStatus> {
  const found = new Map<string, SourceStatus>();
  for (const source of tables) found.set(source, { source, seen: null, lagSeconds: null, poisoned: 0 });
  const request = { partition: SERVICE_PARTITION, sortKey: { beginsWith: PREFIX }, consistent: true };
  for await (const item of queriedItems(store, request, stats)) {
    const source = targetOf(graph, item).slice(PREFIX.length);
    const lag = numberOf(attributeOf(item, 'lag'));
    found.set(source, {
      source,
      seen: new Date(Number(numberOf(attributeOf(item, 'seen')) ?? 0)).toISOString(),
      lagSeconds: lag === undefined ? null : Number(lag),
      poisoned: 0,
    });
  }
  for (const status of found.values()) {
    for await (const entry of poisonedItems(store, { table: status.source }, stats)) {
      status.poisoned += 1;
      onPoisoned?.(entry);
    }
  }
  const sources = [...found.values()].sort((left, right) => (left.source < right.source ? -1 : 1));
  return { sources, ...(await conflictsNow(graph, { store, stats }, prunes)) };
}

interface MirrorStatusOptions {
  tables?: readonly string[] | undefined;
  prunes?: Pick<Store, 'change'> | undefined;
  stats?: ReadStats | undefined;
  onPoisoned?: ((entry: Poisoned) => void) | undefined;
}

function targetOf({ table }: CompiledModel, item: Item): string {
  const target = attributeOf(item, table.sortKey);
  return target !== undefined && 'S' in target ? target.S : '';
}
