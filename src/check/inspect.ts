import pLimit from 'p-limit';
import { VIEW_KEY } from '../items/keys.ts';
import type { Mender } from '../repair/mend.ts';
import type { Suspect } from '../repair/parts/kind.ts';
import { edgeNamedByReverse } from '../repair/parts/reverse-item.ts';
import type { ItemKey, Store } from '../store/port.ts';
import { type ConfirmContext, type Confirmed, confirm, confirmByLooks, isFarBehind, type Looks } from './confirm.ts';
import type { Finding } from './finding.ts';
import { Findings, nameOf } from './findings.ts';
import type { LookedUp } from './look-up.ts';
import { nominate } from './nominate.ts';

/** What an inspector needs. */
export interface InspectorContext extends ConfirmContext {
  store: Pick<Store, 'get' | 'getMany' | 'query'>;
  onFinding: (finding: Finding) => void;
  onSuperseded: (count: number) => void;
  /** Mends what is drift; absent: it is only reported. */
  mender?: Pick<Mender, 'mend'>;
  onMended: (count: number) => void;
  /** Mends whatever differs, without a wait and without findings. */
  isHasty?: boolean;
  /** Partitions, and items of other partitions, that may be waiting for the stream at once. Default 5,000. */
  mostOpen?: number;
  /** Leaves out what other partitions decide. */
  withoutLookUps?: boolean;
  /** Looks at suspects in two calls, in the place of waiting for the stream; as far as there is room for them. */
  looks?: Looks;
}

/** Partitions that are read again at once. */
const READ_AT_ONCE = 8;
/** Suspects that are observed together: two calls of DynamoDB. */
const CHUNK = 100;
/** Places that an item of another partition takes among what may be waiting: a cursor names it with two keys. */
const ITEM_PLACES = 2;
/** Suspects, and partitions with suspects, that may be waiting for the stream at once, so that memory stays flat. */
const MOST_WAITING = 20_000;
const MOST_OPEN = 5_000;

/** What a finding says of a partition that waits for the consumer of the stream. */
const BACKLOG = 'the consumer of the stream has not come so far';

/** Looks closer at partitions that differed in the scan: names what differs, tells drift from lag, has drift mended. */
export class PartitionInspector {
  private readonly limit = pLimit(READ_AT_ONCE);
  private readonly open = new Map<string, Promise<void>>();
  private readonly openItems = new Map<readonly LookedUp[], Promise<void>>();
  private readonly unsettled = new Set<string>();
  private readonly unsettledItems = new Map<string, LookedUp>();
  private waiting = 0;
  private readonly listeners: (() => void)[] = [];
  private failure: { error: unknown } | undefined;

  constructor(private readonly context: InspectorContext) {}

  /** Partitions that are not judged yet. */
  get undecided(): string[] {
    return [...this.open.keys(), ...this.unsettled];
  }

  /** Items whose truth lies in other partitions, and that are not judged yet. */
  get undecidedItems(): LookedUp[] {
    return [...[...this.openItems.keys()].flat(), ...this.unsettledItems.values()];
  }

  /** Whether there should be no more suspects for the next call. Those of a page that is being read find room. */
  get isFull(): boolean {
    const { looks, mostOpen = MOST_OPEN } = this.context;
    return looks !== undefined && (looks.isFull || this.places > mostOpen / 2);
  }

  /** Places that a cursor would take for what is not judged. */
  private get places(): number {
    return this.undecided.length + this.undecidedItems.length * ITEM_PLACES;
  }

  /** What keeps looks for the next call; undefined where the suspects are waited for: there is no room for more of them. */
  private get looks(): Looks | undefined {
    const { looks, mostOpen = MOST_OPEN } = this.context;
    return looks === undefined || looks.isFull || this.places > mostOpen ? undefined : looks;
  }

  /** Begins to inspect a partition, once however often it is met; resolves when there is room for more. */
  async begin(source: string): Promise<void> {
    if (this.failure !== undefined) throw this.failure.error;
    if (!this.open.has(source)) this.start(this.open, source, this.inspect(source));
    await this.room();
  }

  /** Begins to judge reverse items and continuations that differ; resolves when there is room for more. */
  async beginItems(suspects: readonly Suspect[]): Promise<void> {
    const { mostOpen = MOST_OPEN } = this.context;
    for (const chunk of chunksOf(suspects, Math.max(1, Math.min(CHUNK, Math.floor(mostOpen / ITEM_PLACES))))) {
      const items = itemsOf(chunk);
      await this.room(items.length * ITEM_PLACES);
      if (this.failure !== undefined) throw this.failure.error;
      this.start(this.openItems, items, this.judge(chunk));
    }
  }

  /** Waits for every inspection; gives the partitions that there was no time for. Throws what an inspection threw. */
  async finish(): Promise<string[]> {
    while (this.open.size + this.openItems.size > 0) {
      await Promise.all([...this.open.values(), ...this.openItems.values()]);
    }
    if (this.failure !== undefined) throw this.failure.error;
    return [...this.unsettled];
  }

  private start<Key>(open: Map<Key, Promise<void>>, key: Key, inspection: Promise<void>): void {
    const watched = inspection
      .catch((error: unknown) => {
        this.failure ??= { error };
      })
      .finally(() => {
        open.delete(key);
        this.changed();
      });
    open.set(key, watched);
  }

  /** Resolves when there is room for so many more. */
  private async room(more = 0): Promise<void> {
    const { mostOpen = MOST_OPEN } = this.context;
    const isFull = (): boolean => {
      let open = this.open.size;
      for (const items of this.openItems.keys()) open += items.length * ITEM_PLACES;
      return this.waiting > MOST_WAITING || (open > 0 && open + more > mostOpen);
    };
    while (isFull()) await this.change();
  }

  private async inspect(source: string): Promise<void> {
    if (this.context.consumer !== undefined && (await isFarBehind(this.context)))
      return this.behind([{ source, target: VIEW_KEY }]);
    const findings = new Findings(this.context.graph);
    const { looks } = this;
    // Reading is limited; what waits for the stream makes room for the next partition.
    const { chunks, wantsView } = await this.limit(() => this.nominated(source, findings, looks));
    const unsettled = (await Promise.all(chunks)).flat();
    if (unsettled.length > 0) {
      // The next call looks at the whole partition: what is drift already must be as it was until then.
      for (const chunk of findings.looked) looks?.keep(chunk);
      this.unsettled.add(source);
    } else {
      await this.conclude(findings, findings.looked.flat());
      this.report(findings, wantsView);
    }
  }

  private async judge(suspects: readonly Suspect[]): Promise<void> {
    if (this.context.consumer !== undefined && (await isFarBehind(this.context))) return this.behind(itemsOf(suspects));
    const findings = new Findings(this.context.graph);
    const { looks } = this;
    const unsettled = itemsOf(await this.settle(findings, suspects, looks));
    for (const item of unsettled) {
      this.unsettledItems.set(nameOf(item), item);
      findings.drop(item);
    }
    const names = new Set(unsettled.map(nameOf));
    const isOpen = ({ suspect: { source, sortKey } }: Confirmed): boolean =>
      names.has(nameOf({ source, target: sortKey }));
    const looked = findings.looked.flat();
    looks?.keep(looked.filter(isOpen));
    const judged = looked.filter((one) => !isOpen(one));
    await this.conclude(findings, judged);
    this.report(findings, false);
  }

  /** The consumer's backlog is not read item by item: what differs is told only once the consumer is past it. */
  private behind(items: readonly ItemKey[]): void {
    for (const { source, target } of items) {
      this.context.onFinding({ source, target, verdict: 'pending', expected: null, actual: BACKLOG });
    }
  }

  private report(findings: Findings, wantsView: boolean): void {
    const mended = new Set(findings.mended);
    for (const finding of findings.all(wantsView)) {
      this.context.onFinding(finding);
      // It is counted apart, done or not: what is repaired is drift.
      if (finding.verdict === 'maintenance') mended.delete(nameOf(finding));
    }
    this.context.onMended(mended.size);
  }

  /** Reads the partition; what differs is on its way to be settled. */
  private async nominated(
    source: string,
    findings: Findings,
    looks: Looks | undefined,
  ): Promise<{ chunks: Promise<Suspect[]>[]; wantsView: boolean }> {
    const { graph, store, stream, withoutLookUps = false } = this.context;
    const chunks: Promise<Suspect[]>[] = [];
    let chunk: Suspect[] = [];
    const send = (): void => {
      const settling = this.settle(findings, chunk, looks);
      // Awaited later, with the others: until then a failure must not count as unhandled.
      settling.catch(() => undefined);
      chunks.push(settling);
      chunk = [];
    };
    const nominations = nominate(graph, store, source, { streamLabel: stream.known, withoutLookUps });
    for (;;) {
      const next = await nominations.next();
      if (next.done === true) {
        if (chunk.length > 0) send();
        return { chunks, wantsView: next.value };
      }
      chunk.push(next.value);
      if (chunk.length === CHUNK) send();
      while (this.waiting > MOST_WAITING) await this.change();
    }
  }

  /** Judges suspects; gives those that there was no time for, or that the next call looks at again. */
  private async settle(findings: Findings, suspects: readonly Suspect[], looks: Looks | undefined): Promise<Suspect[]> {
    const { context } = this;
    this.waiting += suspects.length;
    try {
      if (context.isHasty === true) {
        await this.mend(findings, suspects);
        return [];
      }
      const confirmed = await (looks ? confirmByLooks(context, looks, suspects) : confirm(context, suspects));
      if (looks === undefined) await this.conclude(findings, confirmed);
      else findings.looked.push(confirmed);
      return confirmed.filter(({ outcome }) => outcome === 'unsettled').map(({ suspect }) => suspect);
    } finally {
      this.waiting -= suspects.length;
      this.changed();
    }
  }

  /** Counts, finds and mends what suspects turned out to be. */
  private async conclude(findings: Findings, confirmed: readonly Confirmed[]): Promise<void> {
    this.context.onSuperseded(confirmed.filter(({ outcome }) => outcome === 'superseded').length);
    for (const one of confirmed) if (one.outcome === 'drift' || one.outcome === 'pending') findings.add(one);
    const drift = confirmed.filter(({ outcome }) => outcome === 'drift').map(({ suspect }) => suspect);
    if (drift.length > 0) await this.mend(findings, drift);
  }

  private async mend(findings: Findings, drift: readonly Suspect[]): Promise<void> {
    const { mender } = this.context;
    if (mender === undefined) return;
    for (const source of new Set(drift.map((one) => one.source))) {
      const ofSource = drift.filter((one) => one.source === source);
      for (const target of await mender.mend(source, ofSource)) findings.mended.add(nameOf({ source, target }));
    }
  }

  /** Resolves when something that was waiting is done. */
  private change(): Promise<void> {
    return new Promise((resolve) => this.listeners.push(resolve));
  }

  private changed(): void {
    for (const listener of this.listeners.splice(0)) listener();
  }
}

/** Suspects in their order, so many items together; what is suspected of one item stays together. */
function* chunksOf(suspects: readonly Suspect[], items: number): Generator<Suspect[]> {
  let chunk: Suspect[] = [];
  let named = new Set<string>();
  for (const suspect of suspects) {
    const name = nameOf({ source: suspect.source, target: suspect.sortKey });
    if (named.size === items && !named.has(name)) {
      yield chunk;
      chunk = [];
      named = new Set();
    }
    chunk.push(suspect);
    named.add(name);
  }
  if (chunk.length > 0) yield chunk;
}

/** The derived items that suspects are about. */
function itemsOf(suspects: readonly Suspect[]): LookedUp[] {
  const items = new Map<string, LookedUp>();
  for (const { source, sortKey, part } of suspects) {
    const item = { source, target: sortKey };
    const base = part.kind === 'reverse-item' ? part.base : undefined;
    // A key that tells the edge takes less room in a cursor.
    if (base !== undefined && edgeNamedByReverse(item, undefined) === undefined)
      items.set(nameOf(item), { ...item, base });
    else if (!items.has(nameOf(item))) items.set(nameOf(item), item);
  }
  return [...items.values()];
}
