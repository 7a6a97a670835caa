import pLimit from 'p-limit';
import { VIEW_KEY } from '../model/keys.ts';
import type { Store } from '../store/port.ts';
import { type ConfirmContext, type Confirmed, confirm } from './confirm.ts';
import type { Finding, Suspect } from './finding.ts';
import { DerivedItemVerdict } from './findings.ts';
import { nominate } from './nominate.ts';

/** Mends drift. */
export interface Mender {
  /** Mends derived items of a partition; gives the sort keys of those that it wrote. */
  mend(source: string, suspects: readonly Suspect[]): Promise<Iterable<string>>;
}

/** What an inspector needs. */
export interface InspectorContext extends ConfirmContext {
  store: Pick<Store, 'get' | 'getMany' | 'query'>;
  onFinding: (finding: Finding) => void;
  onSuperseded: (count: number) => void;
  /** Mends what is drift; absent: it is only reported. */
  mender?: Mender;
  onMended: (count: number) => void;
  /** Mends whatever differs, without a wait and without findings. */
  isHasty?: boolean;
  /** Partitions that may be waiting for the stream at once. Default 5,000. */
  mostOpen?: number;
}

/** Partitions that are read again at once. */
const READ_AT_ONCE = 8;
/** Suspects that are observed together: two calls of DynamoDB. */
const CHUNK = 100;
/** Suspects, and partitions with suspects, that may be waiting for the stream at once, so that memory stays flat. */
const MOST_WAITING = 20_000;
const MOST_OPEN = 5_000;

/** Looks closer at partitions that differed in the scan: names what differs, tells drift from lag, has drift mended. */
export class PartitionInspector {
  private readonly limit = pLimit(READ_AT_ONCE);
  private readonly open = new Map<string, Promise<void>>();
  private readonly unsettled = new Set<string>();
  private waiting = 0;
  private readonly listeners: (() => void)[] = [];
  private failure: { error: unknown } | undefined;

  constructor(private readonly context: InspectorContext) {}

  /** Partitions that are not judged yet. */
  get undecided(): string[] {
    return [...this.open.keys(), ...this.unsettled];
  }

  /** Begins to inspect a partition, once however often it is met; resolves when there is room for more. */
  async begin(source: string): Promise<void> {
    if (this.failure !== undefined) throw this.failure.error;
    if (!this.open.has(source)) {
      const inspection = this.inspect(source)
        .catch((error: unknown) => {
          this.failure ??= { error };
        })
        .finally(() => {
          this.open.delete(source);
          this.changed();
        });
      this.open.set(source, inspection);
    }
    while (this.waiting > MOST_WAITING || this.open.size > (this.context.mostOpen ?? MOST_OPEN)) await this.change();
  }

  /** Waits for every inspection; gives the partitions that there was no time for. Throws what an inspection threw. */
  async finish(): Promise<string[]> {
    while (this.open.size > 0) await Promise.all(this.open.values());
    if (this.failure !== undefined) throw this.failure.error;
    return [...this.unsettled];
  }

  private async inspect(source: string): Promise<void> {
    const findings = new PartitionFindings(source);
    // Reading is limited; what waits for the stream makes room for the next partition.
    const { chunks, wantsView } = await this.limit(() => this.nominated(findings));
    await Promise.all(chunks);
    if (this.unsettled.has(source)) return;
    for (const finding of findings.all(wantsView)) this.context.onFinding(finding);
    this.context.onMended(findings.mended.size);
  }

  /** Reads the partition; what differs is on its way to be settled. */
  private async nominated(findings: PartitionFindings): Promise<{ chunks: Promise<void>[]; wantsView: boolean }> {
    const { graph, store, stream } = this.context;
    const chunks: Promise<void>[] = [];
    let chunk: Suspect[] = [];
    const send = (): void => {
      const settling = this.settle(findings, chunk);
      // Awaited later, with the others: until then a failure must not count as unhandled.
      settling.catch(() => undefined);
      chunks.push(settling);
      chunk = [];
    };
    const nominations = nominate(graph, store, findings.source, stream.known);
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

  private async settle(findings: PartitionFindings, suspects: readonly Suspect[]): Promise<void> {
    const { context } = this;
    this.waiting += suspects.length;
    try {
      if (context.isHasty === true) {
        await this.mend(findings, suspects);
        return;
      }
      const confirmed = await confirm(context, suspects);
      context.onSuperseded(confirmed.filter(({ outcome }) => outcome === 'superseded').length);
      const drift: Suspect[] = [];
      for (const one of confirmed) {
        if (one.outcome === 'unsettled') this.unsettled.add(findings.source);
        if (one.outcome === 'drift') drift.push(one.suspect);
        if (one.outcome === 'drift' || one.outcome === 'pending') findings.add(one);
      }
      if (drift.length > 0) await this.mend(findings, drift);
    } finally {
      this.waiting -= suspects.length;
      this.changed();
    }
  }

  private async mend(findings: PartitionFindings, drift: readonly Suspect[]): Promise<void> {
    const { mender } = this.context;
    if (mender === undefined) return;
    for (const sortKey of await mender.mend(findings.source, drift)) findings.mended.add(sortKey);
  }

  /** Resolves when something that was waiting is done. */
  private change(): Promise<void> {
    return new Promise((resolve) => this.listeners.push(resolve));
  }

  private changed(): void {
    for (const listener of this.listeners.splice(0)) listener();
  }
}

/** What was found in one partition, by derived item. */
class PartitionFindings {
  /** Sort keys of the derived items that were mended. */
  readonly mended = new Set<string>();
  private readonly verdicts = new Map<string, DerivedItemVerdict>();

  constructor(readonly source: string) {}

  add(confirmed: Confirmed): void {
    const { sortKey } = confirmed.suspect;
    let verdict = this.verdicts.get(sortKey);
    if (verdict === undefined) {
      verdict = new DerivedItemVerdict(this.source, sortKey);
      this.verdicts.set(sortKey, verdict);
    }
    verdict.add(confirmed);
  }

  *all(wantsView: boolean): Generator<Finding> {
    for (const [sortKey, verdict] of this.verdicts) yield verdict.finding(sortKey === VIEW_KEY && wantsView);
  }
}
