import pLimit from 'p-limit';
import { textOfKey, VIEW_KEY } from '../../core/items/keys.ts';
import { keyOfSuspect, type Suspect, traitsOf } from '../../core/kinds/difference.ts';
import type { Store } from '../../core/store-port.ts';
import { keysMovedSince } from '../../registry/checked.ts';
import type { WriterModel } from '../../registry/writer-model.ts';
import { isFarBehind } from '../../stream/progress/consumer-position.ts';
import type { Repairer } from '../repair/repairer.ts';
import {
  type ConfirmContext,
  type Confirmed,
  confirm,
  confirmByLooks,
  type Looker,
  type Looks,
  lookerOf,
} from './confirm.ts';
import type { Finding } from './finding.ts';
import { Findings } from './findings.ts';
import { Gathered } from './gathered.ts';
import { type LookedUp, lookedUp } from './look-up.ts';
import { nominate } from './nominate.ts';
import type { PartitionsInMemory } from './partitions-in-memory.ts';

export interface InspectorContext extends ConfirmContext {
  store: Pick<Store, 'get' | 'getMany' | 'query'>;
  onFinding: (finding: Finding) => void;
  onSuperseded: (count: number) => void;
  /** Repairs drift; absent: drift is only reported. */
  repairer?: Pick<Repairer, 'repair'>;
  onRepaired: (count: number) => void;
  /** True if every difference is repaired without a wait and without findings. */
  isHasty?: boolean;
  /** Partitions, and items of other partitions, that may wait for the stream at once. Default 5,000. */
  mostOpen?: number;
  /** Leaves out items that other partitions decide. */
  withoutLookUps?: boolean;
  /** The registry's model now: what has changed there isn't judged. Absent: nothing changes. */
  model?: WriterModel;
  /** For looks in two calls instead of a wait for the stream, as far as there is room. */
  looks?: Looks;
}

/** What an inspection is of: a partition, or an item that other partitions decide. */
type Place = { source: string } | { item: LookedUp };

const READ_AT_ONCE = 8;
/** Suspects that are observed together: two calls of DynamoDB. */
const CHUNK = 100;
/** Places in a cursor for an item of another partition: it has two keys. */
const ITEM_PLACES = 2;
/** Suspects, and partitions with suspects, that may wait for the stream at once: memory is bounded. */
const MOST_WAITING = 20_000;
const MOST_OPEN = 5_000;

const BACKLOG = 'the consumer of the stream has not come so far';
const CHANGED = 'the registry has changed since the check began; the next check looks again';

/** Finds out what differs, tells drift from lag, and has drift repaired. */
export class PartitionInspector {
  private readonly limit = pLimit(READ_AT_ONCE);
  private readonly open = new Map<string, Place>();
  private readonly unconfirmed = new Map<string, Place>();
  private waiting = 0;
  private readonly listeners: (() => void)[] = [];
  private failure: { error: unknown } | undefined;

  private readonly looker: Looker;
  /** Whether suspects have the state in the registry that they had when the check began. */
  private readonly unchanged = new Gathered((suspects: readonly Suspect[]) => this.areUnchanged(suspects));
  private readonly repairs = new Gathered((drift: readonly Suspect[]) => this.repair(drift));

  constructor(private readonly context: InspectorContext) {
    this.looker = lookerOf(context);
  }

  get undecided(): string[] {
    return this.undecidedPlaces.flatMap((place) => ('source' in place ? [place.source] : []));
  }

  get undecidedItems(): LookedUp[] {
    return this.undecidedPlaces.flatMap((place) => ('item' in place ? [place.item] : []));
  }

  private get undecidedPlaces(): Place[] {
    return [...this.open.values(), ...this.unconfirmed.values()];
  }

  /** True if the next call should get no more suspects. Half of the places stay free for the page that is being read. */
  get isFull(): boolean {
    const { looks, mostOpen = MOST_OPEN } = this.context;
    return looks !== undefined && (looks.isFull || this.cursorPlaces > mostOpen / 2);
  }

  private get cursorPlaces(): number {
    return roomOf(this.undecidedPlaces);
  }

  /** Undefined without room for more: then this call waits for the suspects. */
  private get looks(): Looks | undefined {
    const { looks, mostOpen = MOST_OPEN } = this.context;
    return looks === undefined || looks.isFull || this.cursorPlaces > mostOpen ? undefined : looks;
  }

  /**
   * Resolves when there is room for more.
   *
   * @param items all items of the partition, as the scan has read them; absent: they are read.
   */
  async beginPartition(source: string, items?: PartitionsInMemory): Promise<void> {
    if (this.failure !== undefined) throw this.failure.error;
    const { graph, store, withoutLookUps = false } = this.context;
    const nominations = () => nominate(graph, items?.over(store, source) ?? store, source, { withoutLookUps });
    this.begin(source, { source }, nominations, items);
    await this.waitForRoom();
  }

  /** For items that other partitions decide; resolves when there is room for more. */
  async beginItems(suspects: readonly Suspect[]): Promise<void> {
    for (const suspect of suspects) {
      await this.waitForRoom(ITEM_PLACES);
      if (this.failure !== undefined) throw this.failure.error;
      this.begin(textOfKey(keyOfSuspect(suspect)), { item: lookedUp(suspect) }, async function* () {
        yield suspect;
        return false;
      });
    }
  }

  async finish(): Promise<void> {
    while (this.open.size > 0) await this.nextChange();
    if (this.failure !== undefined) throw this.failure.error;
  }

  private begin(name: string, place: Place, nominations: Nominations, items?: PartitionsInMemory): void {
    if (this.open.has(name)) return;
    this.open.set(name, place);
    this.inspect(name, place, nominations, items)
      .catch((error: unknown) => {
        this.failure ??= { error };
      })
      .finally(() => {
        this.open.delete(name);
        this.wakeWaiting();
      });
  }

  /** Resolves when there is room for `more` further places. */
  private async waitForRoom(more = 0): Promise<void> {
    const { mostOpen = MOST_OPEN } = this.context;
    const isFull = (): boolean => {
      if (this.waiting > MOST_WAITING) return true;
      if (this.open.size * ITEM_PLACES + more <= mostOpen) return false;
      const open = roomOf([...this.open.values()]);
      return open > 0 && open + more > mostOpen;
    };
    while (isFull()) await this.nextChange();
  }

  private async inspect(
    name: string,
    place: Place,
    nominations: Nominations,
    items: PartitionsInMemory | undefined,
  ): Promise<void> {
    const findings = new Findings();
    const { looks } = this;
    if (await isFarBehind(this.context)) return this.reportAsPending(place);
    const judge = () => this.nominateAndJudge(nominations(), findings, { looks, items });
    // Only reads are limited: a partition that waits for the stream lets the next one be read.
    const named = await ('item' in place || items !== undefined ? judge() : this.limit(judge));
    const unconfirmed = (await Promise.all(named.chunks)).flat();
    if (unconfirmed.length > 0) {
      // The next call looks at all of it, so the drift of this call is kept as looks too.
      looks?.keepForNextCall(findings.looked.map(({ judgement }) => judgement));
      this.unconfirmed.set(name, place);
    } else {
      await this.addFindingsAndRepair(
        findings,
        findings.looked.map(({ confirmed }) => confirmed),
      );
      this.reportFindings(findings, named.isViewExpected);
    }
  }

  /** The consumer's backlog isn't read item by item. */
  private reportAsPending(place: Place): void {
    const { source, target } = 'item' in place ? place.item : { source: place.source, target: VIEW_KEY };
    this.context.onFinding({ source, target, verdict: 'pending', expected: null, actual: BACKLOG });
  }

  private reportFindings(findings: Findings, isViewExpected: boolean): void {
    const repaired = new Set(findings.repaired);
    for (const finding of findings.toFindings(isViewExpected)) {
      this.context.onFinding(finding);
      // The number of repairs is about drift.
      if (finding.verdict === 'maintenance') repaired.delete(textOfKey(finding));
    }
    this.context.onRepaired(repaired.size);
  }

  private async nominateAndJudge(
    nominations: ReturnType<Nominations>,
    findings: Findings,
    { looks, items }: { looks: Looks | undefined; items: PartitionsInMemory | undefined },
  ): Promise<{ chunks: Promise<Suspect[]>[]; isViewExpected: boolean }> {
    const chunks: Promise<Suspect[]>[] = [];
    let chunk: Suspect[] = [];
    const beginJudging = (): void => {
      const settling = this.judgeSuspects(findings, chunk, looks, items);
      // Awaited later: until then a failure must not count as unhandled.
      settling.catch(() => undefined);
      chunks.push(settling);
      chunk = [];
    };
    for (;;) {
      const next = await nominations.next();
      if (next.done === true) {
        // rule: last-suspects-of-a-partition-are-reconciled
        if (chunk.length > 0) beginJudging();
        return { chunks, isViewExpected: next.value };
      }
      chunk.push(next.value);
      if (chunk.length === CHUNK) beginJudging();
      while (this.waiting > MOST_WAITING) await this.nextChange();
    }
  }

  /** Returns those that there was no time for, or that the next call looks at again. */
  private async judgeSuspects(
    findings: Findings,
    suspects: readonly Suspect[],
    looks: Looks | undefined,
    items?: PartitionsInMemory,
  ): Promise<Suspect[]> {
    const { context } = this;
    this.waiting += suspects.length;
    try {
      if (context.isHasty === true) {
        await this.repairDrift(findings, suspects);
        return [];
      }
      const nominated = suspects.map((suspect) => ({ suspect, read: items?.readOf(suspect) }));
      const looked = looks === undefined ? [] : await confirmByLooks(this.looker, looks, nominated);
      const confirmed = await this.judgedByRegistry(
        looks === undefined ? await confirm(context, this.looker, nominated) : looked.map(({ confirmed }) => confirmed),
      );
      if (looks === undefined) await this.addFindingsAndRepair(findings, confirmed);
      else findings.looked.push(...looked.map(({ judgement }, i) => ({ judgement, confirmed: confirmed[i]! })));
      return confirmed.filter(({ outcome }) => outcome === 'unconfirmed').map(({ suspect }) => suspect);
    } finally {
      this.waiting -= suspects.length;
      this.wakeWaiting();
    }
  }

  private async addFindingsAndRepair(findings: Findings, confirmed: readonly Confirmed[]): Promise<void> {
    this.context.onSuperseded(confirmed.filter(({ outcome }) => outcome === 'superseded').length);
    for (const one of confirmed) if (one.outcome === 'pending' || one.outcome === 'drift') findings.add(one);
    const drift = confirmed.filter(
      ({ outcome, differences }) => outcome === 'drift' && !differences.some((one) => traitsOf(one).isBeyondRepair),
    );
    const wrong = drift.map(({ suspect }) => suspect);
    if (wrong.length > 0) await this.repairDrift(findings, wrong);
  }

  /** What changed in the registry since the check began is no drift. */
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
    // The registry may have changed since the finding was counted.
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

function asPending(confirmed: Confirmed): Confirmed {
  const differences = confirmed.differences.slice(0, 1).map((one) => ({ ...one, expected: null, stored: CHANGED }));
  return { ...confirmed, differences, outcome: 'pending', isOfChange: true };
}

/** Returns whether base items ask for something in the partition's view. */
type Nominations = () => AsyncGenerator<Suspect, boolean>;

function roomOf(places: readonly Place[]): number {
  return places.reduce((room, place) => room + ('item' in place ? ITEM_PLACES : 1), 0);
}
