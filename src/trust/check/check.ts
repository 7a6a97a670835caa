import type { Item } from '../../core/items/attribute-value.ts';
import { hasFanOuts } from '../../core/kinds/continuation.ts';
import type { Suspect } from '../../core/kinds/difference.ts';
import { hasItemsInTargets } from '../../core/kinds/in-target.ts';
import type { CompiledModel, OfGraph } from '../../core/model/compiled.ts';
import { nativeMisfits } from '../../core/model/native-misfits.ts';
import type { ItemKey, ScanSource, Store } from '../../core/store-port.ts';
import { runObserved, type TelemetryOption } from '../../core/telemetry.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { checkStoreOptions, type OptionNames } from '../../foundation/options.ts';
import { RUNTIME_OPTIONS, type Runtime, type RuntimeOptions, runtimeOf } from '../../foundation/runtime.ts';
import { modelToCheck } from '../../registry/checked.ts';
import type { WriterModel } from '../../registry/writer-model.ts';
import { runAbortable } from '../../store/abortable.ts';
import { MeteredStore, RATE_OPTIONS, type RateOptions } from '../../store/metered.ts';
import { TableWalk, type WalkedPage, walkStart } from '../../store/table-walk.ts';
import { Repairer } from '../repair/repairer.ts';
import { type ConsumerPosition, SharedPosition } from './consumer-position.ts';
import { type CheckCounts, type CheckCursor, emptyCounts } from './cursor.ts';
import { DanglingEdges } from './dangling.ts';
import type { Finding } from './finding.ts';
import { CheckTally } from './findings.ts';
import { type Inspection, Inspector } from './inspect.ts';
import { suspectsOfLookedUp } from './look-up.ts';
import type { Noted, PartitionComparison } from './partition.ts';
import { partitionsAsScan, SegmentScan } from './scan.ts';
import { isOfModel } from './unknown-types.ts';

/** Options of `check`. */
export interface CheckOptions extends RuntimeOptions, TelemetryOption, RateOptions {
  /** The table to check. */
  store: Store & ScanSource;
  /**
   * Number of segments into which the scan is divided. At most 64 are read at once, or 8 with `onlySegments`. Ignored
   * with `sources` or `resume`. Default: 8.
   */
  segments?: number | undefined;
  /** Checks only these segments, 0 to `segments - 1`. Default: all. */
  onlySegments?: readonly number[] | undefined;
  /** Checks only these partitions, without scanning the table. */
  sources?: readonly string[] | undefined;
  /**
   * Leaves out items that other partitions determine: copies of nodes, reverse items, entries of totals and the
   * continuations of fan-outs. For a store that lacks other partitions. Default: false.
   */
  withoutLookUps?: boolean | undefined;
  /**
   * Also reports edges to missing nodes, for one or two read units each. Has no effect on a check of only some segments
   * or partitions, or one that resumes. Default: false.
   */
  dangling?: boolean;
  /** Milliseconds that the consumer may take to apply a record. Default: 30,000. */
  graceMs?: number | undefined;
  /** Reports how far the stream's consumer has come. Default: unknown. */
  consumer?: ConsumerPosition | undefined;
  /**
   * What to do with drift. `'plan'` reports what `'repair'` would do. `'rebuild'` corrects every difference at once,
   * whether lag or drift, and doesn't report it. `'repair'` and `'rebuild'` also write missing quarantine entries.
   * Default: `'report'`.
   */
  mode?: 'report' | 'plan' | 'repair' | 'rebuild' | undefined;
  /**
   * Maximum number of partitions that may wait until their differences are known to be lag or drift. An item that
   * depends on other partitions counts twice. Default: 5,000.
   */
  mostSuspects?: number | undefined;
  /**
   * Items per page of the scan. A page that has begun is finished even if time runs out. Default: as many as DynamoDB
   * returns.
   */
  pageItems?: number | undefined;
  /** Returns false if no further page should begin. Items already read are still judged. @internal */
  readsOn?: (() => boolean) | undefined;
  /** Continues where an earlier check stopped. */
  resume?: CheckCursor | undefined;
  /** Called for each finding. Differences that didn't last are only counted, as `superseded`. */
  onFinding?: ((finding: Finding) => void) | undefined;
  /**
   * Called with one line for each repair and each quarantine entry, planned or begun, and for each one that fails. Also
   * called for items that are only `maintenance`.
   */
  onRepair?: ((action: string) => void) | undefined;
  /**
   * Called before the first page and after each one, with the totals and a function that returns the cursor to continue
   * from. The totals of a cursor count exactly what `onFinding` has reported, and nothing that is read again.
   */
  onProgress?: ((totals: CheckCounts, cursor: () => CheckCursor) => void | Promise<void>) | undefined;
  /**
   * The model to compare with. Default: the registry's ready projections, or the whole model without a registry or with
   * an announced one.
   * @internal
   */
  model?: WriterModel | undefined;
}

/** The result of `check`. */
export interface CheckResult extends CheckCounts {
  /** Where to continue; absent if the check is complete. */
  cursor?: CheckCursor;
}

const OPTIONS: OptionNames<CheckOptions> = {
  store: true,
  segments: 'count',
  onlySegments: true,
  sources: true,
  withoutLookUps: 'boolean',
  dangling: 'boolean',
  graceMs: 'milliseconds',
  consumer: true,
  mode: true,
  mostSuspects: 'count',
  pageItems: 'count',
  readsOn: 'internal',
  resume: true,
  onFinding: 'function',
  onRepair: 'function',
  onProgress: 'function',
  model: 'internal',
  telemetry: true,
  ...RATE_OPTIONS,
  ...RUNTIME_OPTIONS,
};

const SEGMENTS = 8;
export const GRACE_MS = 30_000;
const MOST_AT_ONCE = 64;

/**
 * Compares every derived item with what the base items ask for. One scan reads the base items and derived items of each
 * partition together; only partitions that differ are read again. A difference is drift only if it outlasts the time
 * that the consumer had to correct it. With `mode: 'repair'`, drift is repaired from the current base items.
 *
 * With `copy` or `inbound.total`, copies, reverse items and entries of totals depend on other partitions, which the
 * check looks up for 1 to 1.5 read units per edge.
 *
 * When `remainingMs` runs out, the check returns a cursor. When `signal` aborts, it throws; finished repairs stay, and
 * another check may start anew or from the last cursor of `onProgress`.
 *
 * @example
 * const { drift, quarantined } = await check(graph, { store, onFinding: console.log });
 */
export async function check(graph: CompiledModel, options: CheckOptions): Promise<CheckResult> {
  checkStoreOptions('check', options, OPTIONS);
  return await checkTable({ ...options, graph });
}

/** Unlike `check`, doesn't refuse unknown options. */
export async function checkTable(options: OfGraph<CheckOptions>): Promise<CheckResult> {
  checkValues(options);
  return await runObserved('check', options, (options) =>
    runAbortable(options.store, options, async (store, wait) => {
      const { model = modelToCheck(options.graph, store) } = options;
      const run = new Check({ ...options, store, wait, model, graph: await model.current() }, options.graph);
      return await run.run();
    }),
  );
}

const MODES = ['report', 'plan', 'repair', 'rebuild'] as const satisfies readonly CheckOptions['mode'][];

function checkValues(options: CheckOptions): void {
  const { mode = 'report', onlySegments = [] } = options;
  if (!MODES.includes(mode)) {
    const message = `The mode of check should be ${MODES.join(', ')}, but is ${JSON.stringify(mode)}.`;
    throw new EdgeloomError('invalid-argument', message, 'Give one of them, or leave it out to report.');
  }
  const all = segmentsOf(options);
  if (!onlySegments.every((segment) => Number.isInteger(segment) && segment >= 0 && segment < all)) {
    const message = `onlySegments of check should name some of ${all} segments, but is ${JSON.stringify(onlySegments)}.`;
    throw new EdgeloomError('invalid-argument', message, `Give whole numbers from 0 to ${all - 1}, or more segments.`);
  }
}

function segmentsOf({ resume, sources, segments }: CheckOptions): number {
  return resume?.segments ?? sources?.length ?? segments ?? SEGMENTS;
}

/**
 * What a page contributes to the check. Counts and inspections begin once the walk's place includes the page, so that a
 * cursor has both or neither.
 */
interface PageOutcome {
  counts: (() => void)[];
  inspections: Inspection[];
  /** Faulty base items that lack their quarantine entries. */
  withoutEntry: ItemKey[];
}

class Check {
  private readonly tally: CheckTally;
  private readonly earlier: { rcu: number; wcu: number };
  private readonly store: MeteredStore;
  private readonly runtime: Runtime;
  private readonly walk: TableWalk;
  private readonly outcomes = new Map<number, PageOutcome>();
  private readonly scans: ReadonlyMap<number, SegmentScan>;
  private readonly inspector: Inspector;
  private readonly repairer: Repairer | undefined;
  private readonly dangling: DanglingEdges | undefined;
  /** Partitions that an earlier run left undecided. */
  private readonly resumed: ReadonlySet<string>;

  /** @param own the model as given; the model of `options` only has what is ready in the table. */
  constructor(
    private readonly options: OfGraph<CheckOptions>,
    private readonly own: CompiledModel,
  ) {
    const { graph, mode = 'report', resume, sources, onlySegments, pageItems, maxRcu, maxWcu } = options;
    this.runtime = runtimeOf(options);
    this.resumed = new Set(resume?.suspects);
    const { now, wait, random, remainingMs } = this.runtime;
    const totals = structuredClone(resume?.totals ?? emptyCounts());
    this.tally = new CheckTally(totals, options.onFinding);
    this.earlier = { rcu: totals.rcu, wcu: totals.wcu };
    this.store = new MeteredStore(options.store, { maxRcu, maxWcu, wait, random, ...(options.now && { now }) });
    const shared = { graph, store: this.store, model: options.model, ...this.runtime };
    const isPlan = mode === 'plan';
    this.repairer = mode === 'report' ? undefined : new Repairer({ ...shared, isPlan, onRepair: options.onRepair });
    const consumer = options.consumer && new SharedPosition(options.consumer, now);
    this.inspector = new Inspector({
      ...shared,
      graceMs: options.graceMs ?? GRACE_MS,
      consumer,
      withoutLookUps: options.withoutLookUps,
      repairer: this.repairer,
      isHasty: mode === 'rebuild',
      mostOpen: options.mostSuspects,
      onFinding: (finding) => this.tally.countAndReport(finding),
      onCounts: (counts) => this.tally.addToTotals(counts),
    });
    const isWhole = onlySegments === undefined && sources === undefined && resume === undefined;
    this.dangling = isWhole && options.dangling === true ? new DanglingEdges(graph) : undefined;
    const segments = segmentsOf(options);
    const isPart = onlySegments !== undefined || sources !== undefined;
    this.walk = new TableWalk(
      {
        graph,
        source: sources === undefined ? this.store : partitionsAsScan(this.store, sources),
        ...(pageItems !== undefined && { read: { limit: pageItems } }),
        concurrency: Math.min(MOST_AT_ONCE, isPart ? SEGMENTS : segments),
        isOver: () => remainingMs() <= 0 || options.readsOn?.() === false,
        onPage: (page) => this.afterPage(page),
      },
      { segments, open: resume?.open ?? onlySegments?.map((segment) => ({ segment })) ?? walkStart(segments).open },
    );
    this.scans = new Map(this.walk.place.open.map(({ segment, after }) => [segment, this.segmentScan(segment, after)]));
  }

  private segmentScan(segment: number, after: ItemKey | undefined): SegmentScan {
    const { graph, withoutLookUps } = this.options;
    const outcome: PageOutcome = { counts: [], inspections: [], withoutEntry: [] };
    const { counts, inspections, withoutEntry } = outcome;
    this.outcomes.set(segment, outcome);
    const shared = { graph, store: this.store };
    const lookUps = {
      ...shared,
      onSuspects: (suspects: readonly Suspect[]) => inspections.push(...suspects.map((suspect) => ({ suspect }))),
      onPartition: (source: string) => inspections.push({ source }),
    };
    const looksUp = withoutLookUps !== true && (hasFanOuts(graph) || hasItemsInTargets(graph));
    const context = {
      ...shared,
      onPartition: (comparison: PartitionComparison) => {
        counts.push(() => this.tally.addPartition(comparison));
        withoutEntry.push(...comparison.withoutEntry);
        const { source } = comparison;
        // The inspection of `resumed` partitions has already begun.
        if (!comparison.isClean && !this.resumed.has(source)) inspections.push({ source, seen: comparison });
      },
      lookUps: looksUp ? lookUps : undefined,
      onNoted: (key: ItemKey, noted: NonNullable<Noted>, item: Item) =>
        counts.push(() => this.handleNote(key, noted, item)),
    };
    return new SegmentScan(context, after);
  }

  async run(): Promise<CheckResult> {
    const { dangling, inspector, options } = this;
    try {
      const { graph, mode, onlySegments: part = [0] } = options;
      // Of the runs that share a check, only the one with segment 0 reports the model changes.
      this.tally.addModelChanges(graph, { isReported: mode !== 'rebuild' && part.includes(0) });
      const begun = inspector.beginAll([
        ...[...this.resumed].map((source) => ({ source })),
        ...suspectsOfLookedUp(options.resume?.items ?? []).map((suspect) => ({ suspect })),
      ]);
      // Awaited later; until then, a failure must not count as unhandled.
      begun.catch(() => undefined);
      await this.reportProgress();
      await begun;
      await this.walk.run((page) => this.visitPage(page));
      if (this.walk.isDone) await dangling?.reportDangling(this.store, (edge) => this.tally.countAndReport(edge));
      await inspector.finish();
      const cursor = this.cursor();
      const isOver = cursor.open.length === 0 && cursor.suspects.length === 0 && cursor.items === undefined;
      return { ...cursor.totals, ...(!isOver && { cursor }) };
    } finally {
      await dangling?.deleteFile();
    }
  }

  private cursor(): CheckCursor {
    const { segments, open } = structuredClone(this.walk.place);
    const { sources, items } = this.inspector.undecided;
    const { rcu, wcu } = this.earlier;
    return {
      version: 1,
      segments,
      open,
      suspects: [...new Set(sources)],
      ...(items.length > 0 && { items }),
      totals: structuredClone({ ...this.tally.totals, rcu: rcu + this.store.rcu, wcu: wcu + this.store.wcu }),
    };
  }

  private handleNote(key: ItemKey, noted: NonNullable<Noted>, item: Item): void {
    // Only `own` has native lists: the registry's model has only what writers maintain.
    for (const { name, reason } of nativeMisfits(this.own, key, item))
      this.tally.countAndReport({
        ...key,
        verdict: 'quarantined',
        expected: null,
        actual: `${name} lacks it: ${reason}`,
      });
    if (noted === 'base') this.dangling?.add(key, item);
    else if (noted === 'unknown') {
      // `options.graph` lacks a type while none of its projections is ready, for example after the stream was switched
      // off and on.
      if (!isOfModel(this.own, key, item)) this.tally.addUnknownType(this.options.graph, key);
    }
  }

  private async visitPage(page: WalkedPage): Promise<true> {
    await this.scans.get(page.segment)!.visitPage(page);
    // Written before the walk's place includes the page, because a cursor doesn't contain the missing entries.
    await this.repairer?.writeEntries(this.outcomes.get(page.segment)!.withoutEntry.splice(0));
    return true;
  }

  private async afterPage({ segment }: WalkedPage): Promise<void> {
    const { counts, inspections } = this.outcomes.get(segment)!;
    for (const count of counts.splice(0)) count();
    await this.inspector.beginAll(inspections.splice(0));
    await this.dangling?.flushToFile();
    await this.reportProgress();
  }

  private async reportProgress(): Promise<void> {
    await this.options.onProgress?.(this.cursor().totals, () => this.cursor());
  }
}
