import pLimit from 'p-limit';
import { textOfKey, VIEW_KEY } from '../../core/items/keys.ts';
import { keyOfSuspect, type Suspect, traitsOf } from '../../core/kinds/difference.ts';
import type { Store } from '../../core/store-port.ts';
import { slicesOf } from '../../foundation/for-each.ts';
import { keysMovedSince } from '../../registry/checked.ts';
import type { WriterModel } from '../../registry/writer-model.ts';
import type { Repairer } from '../repair/repairer.ts';
import { type ConfirmContext, type Confirmed, confirm, type Looker, lookerOf } from './confirm.ts';
import { isFarBehind } from './consumer-position.ts';
import type { Finding } from './finding.ts';
import { Findings } from './findings.ts';
import { Gathered } from './gathered.ts';
import { type LookedUp, lookedUp } from './look-up.ts';
import { nominate } from './nominate.ts';
import type { Nominated, PartitionComparison } from './partition.ts';

export interface InspectorContext extends ConfirmContext {
  store: Pick<Store, 'getMany' | 'query'>;
  onFinding: (finding: Finding) => void;
  /** Default: drift is only reported. */
  repairer?: Pick<Repairer, 'repair'>;
  onCounts: (counts: { repaired: number } | { superseded: number }) => void;
  /** Repairs every difference without a second look and without findings. */
  isHasty?: boolean;
  /**
   * Maximum number of partitions that may wait for the stream. An item that other partitions determine counts twice.
   * Default: 5,000.
   */
  mostOpen?: number;
  withoutLookUps?: boolean;
  /**
   * Drift in a projection that has changed in the registry since the check began is only pending. Default: the registry
   * is assumed not to change.
   */
  model?: WriterModel;
}

type Place = { source: string } | { item: LookedUp };

/** A partition, `seen` as the scan has read it (default: it is read now), or an item that other partitions determine. */
export type Inspection = { source: string; seen?: PartitionComparison } | { suspect: Suspect };

interface Work {
  name: string;
  place: Place;
  nominations: AsyncIterable<readonly Nominated[]> | Iterable<readonly Nominated[]>;
  /** True if the nominations need no further reads. */
  isRead: boolean;
}

const READ_AT_ONCE = 8;
const CHUNK = 100;
/** An item that other partitions determine counts twice, because a cursor may store two keys for it. */
const ITEM_PLACES = 2;
/** Maximum numbers of suspects and of partitions that wait for the stream, to bound the memory. */
const MOST_WAITING = 20_000;
const MOST_OPEN = 5_000;

const BACKLOG = 'the consumer of the stream has not come so far';
const CHANGED = 'the registry has changed since the check began; the next check looks again';

export class Inspector {
  private readonly limit = pLimit(READ_AT_ONCE);
  private readonly queued = new Set<Inspection>();
  private readonly open = new Map<string, Place>();
  /** Names of open places whose findings are reported. */
  private readonly reported = new Set<string>();
  private readonly unconfirmed = new Map<string, Place>();
  private waiting = 0;
  private readonly listeners: (() => void)[] = [];
  private failure: { error: unknown } | undefined;

  private readonly looker: Looker;
  private readonly unchanged = new Gathered((suspects: readonly Suspect[]) => this.areUnchanged(suspects));
  private readonly repairs = new Gathered((drift: readonly Suspect[]) => this.repair(drift));

  constructor(private readonly context: InspectorContext) {
    this.looker = lookerOf(context);
  }

  get undecided(): { sources: string[]; items: LookedUp[] } {
    const open = [...this.open].flatMap(([name, place]) => (this.reported.has(name) ? [] : [place]));
    const places = [...[...this.queued].map(placeOf), ...open, ...this.unconfirmed.values()];
    return {
      sources: places.flatMap((place) => ('source' in place ? [place.source] : [])),
      items: places.flatMap((place) => ('item' in place ? [place.item] : [])),
    };
  }

  /** All inspections count as undecided from the call on, even while they wait for room. */
  async beginAll(inspections: readonly Inspection[]): Promise<void> {
    for (const one of inspections) this.queued.add(one);
    for (const one of inspections) {
      await this.waitForRoom('suspect' in one ? ITEM_PLACES : 1);
      this.begin(this.workOf(one));
      this.queued.delete(one);
    }
  }

  async finish(): Promise<void> {
    while (this.open.size > 0) await this.nextChange();
    if (this.failure !== undefined) throw this.failure.error;
  }

  private workOf(one: Inspection): Work {
    const place = placeOf(one);
    if ('suspect' in one)
      return { name: textOfKey(keyOfSuspect(one.suspect)), place, nominations: [[one]], isRead: true };
    const { source, seen } = one;
    return {
      name: source,
      place,
      nominations: nominate(this.context, source, seen),
      isRead: seen?.isComplete ?? false,
    };
  }

  private begin(work: Work): void {
    const { name, place } = work;
    if (this.failure !== undefined) throw this.failure.error;
    if (this.open.has(name)) return;
    this.open.set(name, place);
    this.inspect(work)
      .catch((error: unknown) => {
        this.failure ??= { error };
        if (!this.reported.has(name)) this.unconfirmed.set(name, place);
      })
      .finally(() => {
        this.open.delete(name);
        this.reported.delete(name);
        this.wakeWaiting();
      });
  }

  private async waitForRoom(more: number): Promise<void> {
    const { mostOpen = MOST_OPEN } = this.context;
    const isFull = (): boolean => {
      if (this.waiting > MOST_WAITING) return true;
      if (this.open.size * ITEM_PLACES + more <= mostOpen) return false;
      const open = [...this.open.values()].reduce((room, place) => room + ('item' in place ? ITEM_PLACES : 1), 0);
      return open > 0 && open + more > mostOpen;
    };
    while (isFull()) await this.nextChange();
  }

  private async inspect({ name, place, nominations, isRead }: Work): Promise<void> {
    if (this.context.isHasty !== true && (await isFarBehind(this.context))) {
      this.reported.add(name);
      return this.reportAsPending(place);
    }
    const findings = new Findings();
    const judged: Promise<boolean>[] = [];
    const judgeAll = async (): Promise<void> => {
      for await (const nominated of nominations) {
        findings.isViewExpected ||= nominated.some(({ isViewExpected = false }) => isViewExpected);
        for (const chunk of slicesOf(nominated, CHUNK)) {
          const judging = this.judge(findings, chunk);
          // Awaited later; until then, a failure must not count as unhandled.
          judging.catch(() => undefined);
          judged.push(judging);
          while (this.waiting > MOST_WAITING) await this.nextChange();
        }
      }
    };
    // Only reads are limited: while a partition waits for the stream, the next one can be read.
    await (isRead ? judgeAll() : this.limit(judgeAll));
    const isWhole = !(await Promise.all(judged)).includes(false);
    if (!isWhole) this.unconfirmed.set(name, place);
    this.reported.add(name);
    this.reportFindings(findings, isWhole);
  }

  /** While the consumer is far behind, reading items one by one is pointless. */
  private reportAsPending(place: Place): void {
    const { source, target } = 'item' in place ? place.item : { source: place.source, target: VIEW_KEY };
    this.context.onFinding({ source, target, verdict: 'pending', expected: null, actual: BACKLOG });
  }

  private reportFindings(findings: Findings, isWhole: boolean): void {
    const repaired = new Set(findings.repaired);
    for (const finding of findings.all()) {
      // The next inspection looks at the whole place again and finds everything except what is already repaired.
      if (!isWhole && !findings.repaired.has(textOfKey(finding))) continue;
      this.context.onFinding(finding);
      if (finding.verdict === 'maintenance') repaired.delete(textOfKey(finding));
    }
    this.context.onCounts({ repaired: repaired.size });
  }

  /** Returns false if the time ran out for some of the suspects. */
  private async judge(findings: Findings, nominated: readonly Nominated[]): Promise<boolean> {
    const { context } = this;
    this.waiting += nominated.length;
    try {
      if (context.isHasty === true) {
        const suspects = nominated.map(({ suspect }) => suspect);
        await this.repairDrift(findings, suspects);
        return true;
      }
      const confirmed = await this.judgedByRegistry(await confirm(context, this.looker, nominated));
      context.onCounts({ superseded: confirmed.filter(({ outcome }) => outcome === 'superseded').length });
      for (const one of confirmed) if (one.outcome === 'pending' || one.outcome === 'drift') findings.add(one);
      const drift = confirmed.filter(
        ({ outcome, differences }) => outcome === 'drift' && !differences.some((one) => traitsOf(one).isBeyondRepair),
      );
      const wrong = drift.map(({ suspect }) => suspect);
      await this.repairDrift(findings, wrong);
      return confirmed.every(({ outcome }) => outcome !== 'unconfirmed');
    } finally {
      this.waiting -= nominated.length;
      this.wakeWaiting();
    }
  }

  private async judgedByRegistry(confirmed: readonly Confirmed[]): Promise<Confirmed[]> {
    const drift = confirmed.filter(({ outcome }) => outcome === 'drift');
    const unchanged = await this.unchanged.answers(drift.map(({ suspect }) => suspect));
    const moved = new Set(drift.filter((_, i) => !unchanged[i]));
    return confirmed.map((one) => (moved.has(one) ? asPending(one) : one));
  }

  private async areUnchanged(suspects: readonly Suspect[]): Promise<boolean[]> {
    const { graph, store, model } = this.context;
    if (model === undefined) return suspects.map(() => true);
    const moved = await keysMovedSince(graph, { store, model }, suspects.map(keyOfSuspect));
    return suspects.map((suspect) => !moved.has(textOfKey(keyOfSuspect(suspect))));
  }

  private async repairDrift(findings: Findings, drift: readonly Suspect[]): Promise<void> {
    if (this.context.repairer === undefined) return;
    const repaired = await this.repairs.answers(drift);
    for (const [i, suspect] of drift.entries())
      if (repaired[i]) findings.repaired.add(textOfKey(keyOfSuspect(suspect)));
  }

  private async repair(drift: readonly Suspect[]): Promise<boolean[]> {
    // The registry may have changed again since the suspects were judged.
    const unchanged = await this.areUnchanged(drift);
    const repaired = await this.context.repairer!.repair(drift.filter((_, i) => unchanged[i]));
    return drift.map((suspect) => repaired.has(textOfKey(keyOfSuspect(suspect))));
  }

  private nextChange(): Promise<void> {
    return new Promise((resolve) => this.listeners.push(resolve));
  }

  private wakeWaiting(): void {
    for (const listener of this.listeners.splice(0)) listener();
  }
}

function placeOf(inspection: Inspection): Place {
  return 'suspect' in inspection ? { item: lookedUp(inspection.suspect) } : { source: inspection.source };
}

function asPending(confirmed: Confirmed): Confirmed {
  const differences = confirmed.differences.slice(0, 1).map((one) => ({ ...one, expected: null, stored: CHANGED }));
  return { ...confirmed, differences, outcome: 'pending', isOfChange: true };
}
