import type { CompiledModel } from '../core/model/compiled.ts';
import type { ReadStats } from '../core/store-pages.ts';
import type { Store } from '../core/store-port.ts';
import { secondsOf } from '../stream/decode.ts';
import type { RawRecord } from '../stream/raw-record.ts';
import { heads } from './head.ts';
import { type Conflict, conflictsNow, type Refused, refusedNow } from './notes.ts';
import { putOf, recordsUnder, serviceKey } from './record.ts';

const PREFIX = 'source-progress/';
/** A process writes its progress at most this often. */
const INTERVAL_MS = 10_000;

/** The state of one source. */
export interface SourceStatus {
  /** The name of the source. */
  source: string;
  /** The version of its mapping that is in force; null: none is. */
  version: string | null;
  /** When its consumer has last touched a batch, ISO 8601; null: never. */
  seen: string | null;
  /** The age of the oldest record of that batch when it was touched, in seconds. */
  lagSeconds: number | null;
  /** Source items that the mapping refuses. */
  refused: number;
}

/** The state of all sources of a table. */
export interface SourcesStatus {
  sources: SourceStatus[];
  conflicts: Conflict[];
  /** There may be more conflicts than one look finds. */
  hasMore: boolean;
}

interface Progress {
  /** Milliseconds since 1970. */
  seen: number;
  lag?: number | undefined;
}

/** Records in the table how far a source's consumer has come, at most once in ten seconds. */
export class SourceProgress {
  private writtenAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly graph: CompiledModel,
    private readonly store: Pick<Store, 'change'>,
    private readonly source: string,
  ) {}

  async note(lag: number | undefined, nowMs: number): Promise<void> {
    if (nowMs - this.writtenAtMs < INTERVAL_MS) return;
    this.writtenAtMs = nowMs;
    const progress: Progress = { seen: nowMs, lag };
    await this.store.change(putOf(this.graph, serviceKey(PREFIX + this.source), progress));
  }
}

/** The age of the oldest record of a batch, in seconds; undefined if none has a time. */
export function lagOf(records: readonly RawRecord[], nowMs: number): number | undefined {
  const times = records.flatMap(({ dynamodb }) => secondsOf(dynamodb?.ApproximateCreationDateTime) ?? []);
  return times.length === 0 ? undefined : Math.max(0, nowMs / 1000 - Math.min(...times));
}

/** What a status asks besides. */
interface SourcesStatusOptions {
  /** Sources to name, also if the table doesn't know them yet. */
  names?: readonly string[];
  /** The table, to delete notes that no longer hold. */
  prunes?: Pick<Store, 'change'>;
  stats?: ReadStats;
  /** Milliseconds left for the notes. */
  remainingMs?: () => number;
  onRefused?: (source: string, refused: Refused) => void;
}

/** The state of all sources that a table knows, and of those that are named. */
export async function sourcesStatus(
  graph: CompiledModel,
  store: Pick<Store, 'get' | 'query'>,
  { names = [], prunes, onRefused, remainingMs, stats = { rcu: 0 } }: SourcesStatusOptions = {},
): Promise<SourcesStatus> {
  const known = await heads(graph, store, stats);
  const progress = new Map<string, Partial<Progress>>();
  for await (const one of recordsUnder<Progress>(graph, store, { prefix: PREFIX }, stats)) progress.set(one.name, one);
  const sources: SourceStatus[] = [];
  for (const source of [...new Set([...names, ...known.keys()])].sort()) {
    const head = known.get(source);
    if (head?.retired && !names.includes(source)) continue;
    const { found } = await refusedNow({ graph, store, stats, remainingMs }, source, prunes);
    for (const one of found) onRefused?.(source, one);
    const { seen, lag = null } = progress.get(source) ?? {};
    sources.push({
      source,
      version: head === undefined || head.retired ? null : head.version,
      seen: seen === undefined ? null : new Date(seen).toISOString(),
      lagSeconds: lag,
      refused: found.length,
    });
  }
  const { found: conflicts, hasMore } = await conflictsNow({ graph, store, stats, remainingMs }, prunes);
  return { sources, conflicts, hasMore };
}
