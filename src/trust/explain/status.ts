import type { CompiledModel, OfGraph } from '../../core/model/compiled.ts';
import { QUARANTINE_PARTITION, readEntry } from '../../core/plan/quarantine-entry.ts';
import { queryPages, type ReadStats, readItem } from '../../core/store-pages.ts';
import type { Store, WayOfWriting } from '../../core/store-port.ts';
import { countText } from '../../foundation/figure.ts';
import { checkStoreOptions } from '../../foundation/options.ts';
import { type Abortable, type RuntimeOptions, runtimeOf } from '../../foundation/runtime.ts';
import { projectionsInForce, type Registry } from '../../registry/registry.ts';
import type { Conflict } from '../../sources/notes.ts';
import { type SourceStatus, sourcesStatus } from '../../sources/status.ts';
import { readAbortable } from '../../store/abortable.ts';
import type { ConsumerProgress } from '../../stream/progress/consumers.ts';
import type { ShardPosition, StreamPosition } from '../../stream/progress/stream-position.ts';
import { LAST_CHECK, type LastCheck, readLastCheck } from '../check/last-check.ts';
import type { ObservedDrift } from '../observe/drift.ts';
import { readObserverProgress, type SavedProgress } from '../observe/memory.ts';
import { MOST_SAVED_DRIFT } from '../observe/state.ts';
import { type Erasure, readErasures } from '../subject/erasure-record.ts';
import { adviceOf } from './advice.ts';
import { type IndexSampleStatus, indexSampleProblems, indexSampleStatus } from './index-sample.ts';
import { NOT_VERIFIED } from './verified-text.ts';

/** Options of `status`. */
export interface StatusOptions extends Abortable {
  /** @internal */
  now?: RuntimeOptions['now'];
  /** The table to read. */
  store: Pick<Store, 'get' | 'query'>;
  /** Reads how far the stream is applied. Leave out if the table has no stream. */
  position?: (() => Promise<StreamPosition>) | undefined;
  /** Resources that the model needs and the table lacks, one sentence each. */
  missing?: readonly string[] | undefined;
  /** The registry's projections. */
  projections?: readonly ProjectionStatus[] | undefined;
}

/** One projection of the registry. */
export interface ProjectionStatus {
  name: string;
  generation: number;
  state: string;
}

export function projectionStates(registry: Registry): ProjectionStatus[] {
  return projectionsInForce(registry).map(({ name, id, state }) => ({ name, generation: id, state }));
}

/** One shard of the stream. */
export interface ShardStatus {
  id: string;
  /** True if all of its records are applied, or if it is lost. */
  atEnd: boolean;
  /**
   * Age of the oldest unapplied record, in seconds; 0 if there is none; null if all records read so far are applied,
   * but the shard has more.
   */
  behindSeconds: number | null;
  /**
   * `gone`: the oldest unapplied record is at least a minute old, and no consumer was seen in the last minute. `lost`:
   * the shard is still listed, but its records have left the stream. `not read to its end`: this process's next look
   * reads on.
   */
  state: 'at end' | 'behind' | 'gone' | 'lost' | 'not read to its end';
}

/** A consumer of the stream that was seen in the last two days. */
export interface ConsumerStatus {
  id: string;
  kind: string;
  /** Fingerprint of its model. */
  model: string;
  /** When it was last seen, ISO 8601. */
  seen: string;
  recordsPerSecond: number;
  /**
   * How the consumer updates derived items: with PartiQL statements, 25 per call, or with one UpdateItem call per item
   * if the table or the consumer's permissions refuse statements. Null until an update of several items has shown it.
   */
  writes: WayOfWriting | null;
  isStopped: boolean;
}

/** An unfinished erasure of one subject, whose id the table doesn't store. */
export interface ErasureStatus {
  /**
   * `deleting`: the first run hasn't finished. `waiting`: it's too early for the second run. `due`: the second run can
   * begin.
   */
  state: 'deleting' | 'waiting' | 'due';
  /** When the erasure began, ISO 8601. */
  since: string;
  /** When the second run can begin, ISO 8601; null until the first run has finished. */
  next: string | null;
}

/** A derived item that is known to be wrong. */
export interface ExceptionStatus {
  /** Its partition key and sort key. */
  item: string;
  /** When the difference was found, ISO 8601. */
  found: string;
}

/** The result of `status`. */
export interface Status {
  shards: ShardStatus[];
  consumers: ConsumerStatus[];
  /** Number of quarantine entries per reason. */
  quarantined: Record<string, number>;
  /** False if the quarantine has more entries than were counted. */
  quarantineIsWhole: boolean;
  projections: ProjectionStatus[];
  /** The result of the last check of the whole table; null if unknown. */
  lastCheck: (Omit<LastCheck, 'beganAtMs' | 'endedAtMs'> & { ended: string }) | null;
  /**
   * Derived items that nothing has touched since this time are right, except those counted in `drift`. ISO 8601; null
   * if no observer has run, or if its proof has no base yet.
   */
  verifiedThrough: string | null;
  /** The item, shard or gap that holds back `verifiedThrough`; null if nothing does, or no observer has run. */
  verifiedHeldBy: string | null;
  /** Number of differences that the observer found and nobody repaired, at most 25. */
  drift: number;
  /** Unfinished erasures, oldest first. */
  erasures: ErasureStatus[];
  /** Differences that don't hold back `verifiedThrough`, at most 25. */
  exceptions: ExceptionStatus[];
  /** How well the indexes match the table, as sampled by an observer; null if not sampled. */
  indexSample: IndexSampleStatus | null;
  /** Parts of the table that no observer judges, one phrase each. */
  notVerified: readonly string[];
  /** The sources known to the table, with their lag. For the stream's lag, see `shards`. */
  sources: SourceStatus[];
  /** Base items that several source items make, at most 1,000. */
  conflicts: Conflict[];
  /** Problems that need attention, one sentence each. */
  problems: string[];
  /**
   * Avoidable costs of the model, with remedies, one sentence each: shards that range queries read, budgets of large
   * views.
   */
  advice: string[];
  /** Read capacity units consumed, except for the stream's position. */
  rcu: number;
  /** GetRecords calls for the stream's position. A shard serves five per second to all its readers. */
  streamReads: number;
}

const GONE_MS = 60_000;
const LATE_SECONDS = 300;
const ALIENS =
  'no reader uses them. Restore the items of the partition ~edgeloom if they are lost, or run edgeloom migrate with the model that has those projections, then edgeloom migrate --undo with this one.';
const UNVERIFIED_MS = 15 * 60_000;
const UNREADABLE = 'make the erasure again from its first run, then delete the item.';
const MOST_CONFLICTS = 5;
/** Entries per Query if the count is bounded. An entry usually has a few KB. */
const ENTRIES_AT_ONCE = 100;
/** Checks run every night and may take two hours. */
const CHECK_DUE_HOURS = 26;

/**
 * Reports how far the consumers of a table's stream have come, what the quarantine contains, what the last check found,
 * and what the table lacks.
 */
export async function status(graph: CompiledModel, options: StatusOptions): Promise<Status> {
  checkStoreOptions('status', options, {
    store: true,
    position: 'function',
    missing: true,
    projections: true,
    now: 'internal',
    signal: true,
  });
  return await readAbortable(options.store, options.signal, async (store) => {
    const position = await options.position?.();
    const facts = await readFacts({ ...options, graph, store });
    return statusOf(graph, facts, position, runtimeOf(options).now());
  });
}

export interface StatusFacts {
  missing: readonly string[];
  projections: readonly ProjectionStatus[];
  quarantined: Record<string, number>;
  quarantineIsWhole: boolean;
  lastCheck: LastCheck | undefined;
  observed: SavedProgress | undefined;
  erasures: Awaited<ReturnType<typeof readErasures>>;
  mirrored: Awaited<ReturnType<typeof sourcesStatus>>;
  rcu: number;
}

/** @param options `quarantineRcu`: roughly the read units that counting the quarantine may consume. */
export async function readFacts({
  graph,
  store,
  missing = [],
  projections = [],
  quarantineRcu = Number.POSITIVE_INFINITY,
}: OfGraph<Omit<StatusOptions, 'position'>> & { quarantineRcu?: number | undefined }): Promise<StatusFacts> {
  const stats: ReadStats = { rcu: 0 };
  const { counts: quarantined, isWhole: quarantineIsWhole } = await countQuarantine(graph, store, stats, quarantineRcu);
  const lastCheck = readLastCheck(await readItem({ store, stats }, LAST_CHECK));
  const observed = await readObserverProgress(store, stats);
  const erasures = await readErasures(store, stats);
  const mirrored = await sourcesStatus({ graph, store, stats });
  const counted = { quarantined, quarantineIsWhole };
  return { missing, projections, ...counted, lastCheck, observed, erasures, mirrored, rcu: stats.rcu };
}

export function statusOf(
  graph: CompiledModel,
  facts: StatusFacts,
  position: StreamPosition | undefined,
  nowMs: number,
): Status {
  const { missing, projections, quarantined, quarantineIsWhole, lastCheck, observed, rcu } = facts;
  const { erasures: begun, unreadable } = facts.erasures;
  const { sources, conflicts, hasMore } = facts.mirrored;
  const consumers = position?.consumers ?? [];
  const indexSample = indexSampleStatus(observed?.sampled);
  const erasures = begun.map((erasure) => erasureStatus(erasure, nowMs));
  const seen = seenConsumers(consumers, nowMs);
  const shards = (position?.shards ?? []).map((shard) => shardStatus(shard, seen));
  return {
    shards,
    consumers: consumersOf(consumers),
    quarantined,
    quarantineIsWhole,
    projections: [...projections],
    lastCheck: lastCheck === undefined ? null : checkStatus(lastCheck),
    verifiedThrough: observed?.throughMs === undefined ? null : new Date(observed.throughMs).toISOString(),
    verifiedHeldBy: observed?.heldBy ?? null,
    drift: observed?.drift.length ?? 0,
    erasures,
    exceptions: exceptionsOf(observed?.drift ?? []),
    indexSample,
    // The observer doesn't compare sources, only what is derived from base items.
    notVerified: [
      ...NOT_VERIFIED,
      ...sources.map(({ source }) => `the source ${source}: edgeloom mirror sync --dry-run compares it`),
    ],
    sources,
    conflicts,
    problems: [
      ...missing,
      ...shards.flatMap((shard) => shardProblem(shard, seen)),
      // With a registry, every consumer maintains the registry's projections, whatever model it was started with.
      ...(projections.length === 0 ? modelProblems(graph, consumers) : []),
      ...Object.entries(quarantined).map(
        ([reason, count]) =>
          `${quarantineIsWhole ? '' : 'At least '}${countText(count, 'record')} ${count === 1 ? 'is' : 'are'} in quarantine (${reason}): correct the items, or the model and run edgeloom migrate, then run edgeloom redrive.`,
      ),
      ...(lastCheck === undefined ? [] : checkProblems(lastCheck, facts, nowMs)),
      ...(observed === undefined ? [] : observerProblems(observed, nowMs)),
      ...indexSampleProblems(indexSample),
      ...sources.flatMap(sourceProblem),
      ...conflictProblems(conflicts, hasMore),
      ...erasures.flatMap(erasureProblem),
      ...(unreadable === 0
        ? []
        : [`${countText(unreadable, 'item')} ~edgeloom erasure/… cannot be read: ${UNREADABLE}`]),
    ],
    advice: adviceOf(graph, presentRate(consumers, nowMs)),
    rcu,
    streamReads: position?.streamReads ?? 0,
  };
}

function presentRate(consumers: readonly ConsumerProgress[], nowMs: number): number | undefined {
  const present = consumersOf(consumers.filter(({ isStopped, seenAtMs }) => !isStopped && nowMs - seenAtMs < GONE_MS));
  return present.length === 0 ? undefined : present.reduce((sum, { recordsPerSecond }) => sum + recordsPerSecond, 0);
}

function sourceProblem({ source, version, refused, isUnfinished }: SourceStatus): string[] {
  const problems: string[] = [];
  if (isUnfinished) {
    const [walk, of] = version === null ? ['retirement', `--retire ${source}`] : ['sync', source];
    problems.push(
      `The ${walk} of ${source} has not ended. If it was stopped, run edgeloom mirror sync ${of} --resume.`,
    );
  }
  if (refused > 0) {
    const are = `${countText(refused, 'source item')} of ${source} ${refused === 1 ? 'is' : 'are'}`;
    problems.push(`${are} refused by the mapping: run edgeloom mirror sync ${source} --dry-run.`);
  }
  return problems;
}

/** Names only the first conflicts, since a wrong mapping may cause one per item. */
function conflictProblems(conflicts: readonly Conflict[], hasMore: boolean): string[] {
  const remedy = 'give each a key of its own in the mapping.';
  const named = conflicts
    .slice(0, MOST_CONFLICTS)
    .map(({ source, target, makers }) => `${source} ${target} is made by ${makers.join(' and ')}: ${remedy}`);
  if (conflicts.length <= MOST_CONFLICTS && !hasMore) return named;
  const count = `${hasMore ? 'At least ' : ''}${countText(conflicts.length, 'base item')}`;
  return [
    ...named,
    `${count} are made by several source items: edgeloom mirror sync SOURCE --dry-run names those of a source.`,
  ];
}

function erasureStatus({ stage, sinceMs, tombstonesUntilMs }: Erasure, nowMs: number): ErasureStatus {
  const since = new Date(sinceMs).toISOString();
  if (stage === 'deleting') return { state: 'deleting', since, next: null };
  return {
    state: tombstonesUntilMs <= nowMs ? 'due' : 'waiting',
    since,
    next: new Date(tombstonesUntilMs).toISOString(),
  };
}

function erasureProblem({ state, since, next }: ErasureStatus): string[] {
  if (state === 'waiting') return [];
  const expected = state === 'due' ? `waits for its second run since ${next}` : 'has not ended its first run';
  return [`The erasure of ${since} ${expected}: run edgeloom subject erase again with the same id.`];
}

/** Lists each item once, even if several parts of a view are wrong. */
function exceptionsOf(drift: readonly ObservedDrift[]): ExceptionStatus[] {
  const exceptions = new Map<string, ExceptionStatus>();
  for (const { suspect, foundMs } of drift) {
    const item = `${suspect.source} ${suspect.sortKey}`;
    if (!exceptions.has(item)) exceptions.set(item, { item, found: new Date(foundMs).toISOString() });
  }
  return [...exceptions.values()];
}

function observerProblems({ throughMs, heldBy, drift, isEnded }: SavedProgress, nowMs: number): string[] {
  // An observer that was ended on purpose isn't expected to advance.
  const isLate = isEnded !== true && (throughMs === undefined || nowMs - throughMs > UNVERIFIED_MS);
  const since = throughMs === undefined ? 'yet' : `after ${new Date(throughMs).toISOString()}`;
  const holder = heldBy === undefined ? 'start the observer (edgeloom observe)' : heldBy.replace(/[.]$/, '');
  return [
    ...(drift.length > 0
      ? [
          `The observer has found ${drift.length < MOST_SAVED_DRIFT ? '' : 'at least '}${countText(drift.length, 'difference')}: run edgeloom observe --repair, or edgeloom check --repair.`,
        ]
      : []),
    ...(isLate ? [`Nothing is verified ${since}: ${holder}.`] : []),
  ];
}

async function countQuarantine(
  graph: CompiledModel,
  store: Pick<Store, 'query'>,
  stats: ReadStats,
  mostRcu: number,
): Promise<{ counts: Record<string, number>; isWhole: boolean }> {
  const counts: Record<string, number> = {};
  const isBounded = mostRcu !== Number.POSITIVE_INFINITY;
  const request = {
    index: 'gsi0',
    partition: QUARANTINE_PARTITION,
    ...(isBounded && { limit: ENTRIES_AT_ONCE }),
  } as const;
  const before = stats.rcu;
  for await (const { items, lastKey } of queryPages(store, request, stats)) {
    for (const item of items) {
      const { code } = readEntry(graph, item);
      counts[code] = (counts[code] ?? 0) + 1;
    }
    if (lastKey !== undefined && stats.rcu - before >= mostRcu) return { counts, isWhole: false };
  }
  return { counts, isWhole: true };
}

interface SeenConsumers {
  isSeen: boolean;
  lastMs: number | undefined;
}

function seenConsumers(consumers: readonly ConsumerProgress[], nowMs: number): SeenConsumers {
  const seen: SeenConsumers = { isSeen: false, lastMs: undefined };
  for (const { isStopped, seenAtMs } of consumers) {
    if (!isStopped && nowMs - seenAtMs < GONE_MS) seen.isSeen = true;
    seen.lastMs = Math.max(seen.lastMs ?? seenAtMs, seenAtMs);
  }
  return seen;
}

function shardStatus(
  { shardId: id, atEnd, isWhole, behindSeconds, waiting, isLost }: ShardPosition,
  { isSeen }: SeenConsumers,
): ShardStatus {
  if (isLost === true) return { id, atEnd, behindSeconds, state: 'lost' };
  if (atEnd) return { id, atEnd, behindSeconds, state: 'at end' };
  if (!isWhole && waiting === 0) return { id, atEnd, behindSeconds: null, state: 'not read to its end' };
  const isGone = !isSeen && behindSeconds * 1000 >= GONE_MS;
  return { id, atEnd, behindSeconds, state: isGone ? 'gone' : 'behind' };
}

/** A consumer of many shards has several records, of which the latest counts. */
function consumersOf(records: readonly ConsumerProgress[]): ConsumerStatus[] {
  const byId = new Map<string, ConsumerProgress>();
  for (const record of records) {
    const known = byId.get(record.id);
    if (known === undefined || known.seenAtMs < record.seenAtMs) byId.set(record.id, record);
  }
  return [...byId.values()]
    .sort((left, right) => right.seenAtMs - left.seenAtMs)
    .map(({ id, kind, model, seenAtMs, records: applied, intervalMs, writes = null, isStopped }) => ({
      id,
      kind,
      model,
      isStopped,
      writes,
      seen: new Date(seenAtMs).toISOString(),
      recordsPerSecond: intervalMs > 0 ? Math.round((applied * 10_000) / intervalMs) / 10 : 0,
    }));
}

function checkStatus({ beganAtMs: _, endedAtMs, ...check }: LastCheck): NonNullable<Status['lastCheck']> {
  return { ...check, ended: new Date(endedAtMs).toISOString() };
}

function shardProblem({ id, state, behindSeconds }: ShardStatus, { lastMs }: SeenConsumers): string[] {
  if (behindSeconds === null) return [];
  const behind = `the oldest record that is not applied is ${Math.round(behindSeconds)} s old`;
  if (state === 'gone') {
    const seen = lastMs === undefined ? 'was ever seen' : `has been seen since ${new Date(lastMs).toISOString()}`;
    return [
      `No consumer of shard ${id} ${seen}, and ${behind}: start one (edgeloom project), or look at the function.`,
    ];
  }
  return state === 'behind' && behindSeconds > LATE_SECONDS ? [`The consumer of shard ${id} is late: ${behind}.`] : [];
}

function modelProblems(graph: CompiledModel, consumers: readonly ConsumerProgress[]): string[] {
  // Consumers of an earlier model stay listed for two days; only the one seen last shows what runs now.
  const [newest] = [...consumers].sort((left, right) => right.seenAtMs - left.seenAtMs);
  if (newest === undefined || newest.model === graph.fingerprint) return [];
  return [
    `The consumer ${newest.id} projects a different model (${newest.model}) than this one (${graph.fingerprint}).`,
  ];
}

function checkProblems(
  { endedAtMs, verdict, drift, quarantined: stuck, unregistered = 0 }: LastCheck,
  { quarantined, quarantineIsWhole }: StatusFacts,
  nowMs: number,
): string[] {
  const hours = Math.floor((nowMs - endedAtMs) / 3_600_000);
  const lastCheck = `The last check, at ${new Date(endedAtMs).toISOString()},`;
  const entries = Object.values(quarantined).reduce((sum, count) => sum + count, 0);
  return [
    ...(unregistered > 0
      ? [`${lastCheck} met ${countText(unregistered, 'item')} that the registry does not know: ${ALIENS}`]
      : []),
    ...(verdict === 'drift' && drift > 0
      ? [`${lastCheck} left ${countText(drift, 'difference')}: run edgeloom check --repair.`]
      : []),
    // Some quarantined items have no entry, such as those that a native index leaves out.
    ...(quarantineIsWhole && stuck > entries
      ? [
          `${lastCheck} found ${countText(stuck, 'quarantined item')}, and the quarantine now has ${countText(entries, 'entry', 'entries')}: run edgeloom check, which says whether items without an entry are left.`,
        ]
      : []),
    // No other sentence here says why the check exited with 1.
    ...(verdict === 'problems' && stuck === 0
      ? [`${lastCheck} exited with 1: run edgeloom check, which says why.`]
      : []),
    ...(hours >= CHECK_DUE_HOURS ? [`The last check was ${hours} hours ago.`] : []),
  ];
}
