import type { CompiledModel } from '../core/model/compiled.ts';
import type { Store } from '../core/store-port.ts';
import { secondsOf } from '../stream/decode.ts';
import type { RawRecord } from '../stream/raw-record.ts';
import { HEADS, type Head } from './head.ts';
import { conflictsNow, type NotesContext, type Refused, refusedNow } from './notes.ts';
import { putOf, recordsUnder, type Stored, serviceKey } from './record.ts';
import { isRetired } from './source.ts';
import { PLACES, type Place } from './sync.ts';

const PREFIX = 'source-progress/';
const INTERVAL_MS = 10_000;

/** Progress and problems of one source. */
export interface SourceStatus {
  source: string;
  /** The version in force; null if none is. */
  version: string | null;
  /** When the source's consumer last touched a batch, in ISO 8601; null if it never did. */
  seen: string | null;
  /** Age in seconds of that batch's oldest record when it was touched; null if unknown. */
  lagSeconds: number | null;
  /** Number of refused source items, at most 1,000. */
  refused: number;
  /** True if a sync or retirement of the source is under way, or was stopped before its end. */
  isUnfinished: boolean;
}

interface Progress {
  /** Milliseconds since 1970. */
  seen: number;
  lag?: number | undefined;
}

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

/** In seconds; undefined if no record has a time. */
export function lagOf(records: readonly RawRecord[], nowMs: number): number | undefined {
  const times = records.flatMap(({ dynamodb }) => secondsOf(dynamodb?.ApproximateCreationDateTime) ?? []);
  return times.length === 0 ? undefined : Math.max(0, nowMs / 1000 - Math.min(...times));
}

/** Leaves out sources whose retirement is complete, unless they are in `names`. */
export async function sourcesStatus(context: NotesContext, names: readonly string[] = []) {
  const { graph, store, stats } = context;
  const known = await recordsUnder<Head>(graph, store, { prefix: HEADS }, stats);
  const progress = await recordsUnder<Progress>(graph, store, { prefix: PREFIX }, stats);
  const places = await recordsUnder<Place>(graph, store, { prefix: PLACES }, stats);
  const sources: SourceStatus[] = [];
  const refused = new Map<string, Refused[]>();
  for (const source of [...new Set([...names, ...known.keys()])].sort()) {
    const head = known.get(source)?.state;
    const isUnfinished = needsSync(known.get(source), places.get(source)?.state);
    if (head !== undefined && isRetired(head) && !isUnfinished && !names.includes(source)) continue;
    // Retiring a source also ends its refusals.
    const found = head !== undefined && isRetired(head) ? [] : (await refusedNow(context, source)).found;
    refused.set(source, found);
    const { seen, lag = null } = progress.get(source)?.state ?? {};
    sources.push({
      source,
      version: head?.version || null,
      seen: seen === undefined ? null : new Date(seen).toISOString(),
      lagSeconds: lag,
      refused: found.length,
      isUnfinished,
    });
  }
  const { found: conflicts, hasMore } = await conflictsNow(context);
  return { sources, refused, conflicts, hasMore };
}

/** The first version (`since` is 0) needs no walk if touches bring everything that the source holds. */
function needsSync(head: Stored<Head> | undefined, place: Place | undefined): boolean {
  if (head === undefined) return false;
  if (place?.head !== head.revision) return head.state.since > 0;
  return place.isEnded !== true;
}
