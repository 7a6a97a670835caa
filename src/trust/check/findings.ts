import { SERVICE_PARTITION, textOfKey, VIEW_KEY } from '../../core/items/keys.ts';
import { type Difference, keyOfSuspect, textsOfDifferences, traitsOf } from '../../core/kinds/difference.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type { ItemKey } from '../../core/store-port.ts';
import { isDrift, type Verdict } from '../../core/verdicts.ts';
import type { Confirmed } from './confirm.ts';
import type { CheckCounts } from './cursor.ts';
import type { Finding } from './finding.ts';
import type { PartitionComparison } from './partition.ts';
import { countUnknownType } from './unknown-types.ts';

const MOST_SHOWN = 20;

class DerivedItemVerdict {
  private readonly shown: Difference[] = [];
  private more = 0;
  private isExpected = false;
  private isLive = false;
  private isPending = true;
  private isOfChange = true;
  private hasContent = false;
  private isMaintenance = true;
  private isUnregistered = false;

  constructor(private readonly key: ItemKey) {}

  add({ differences, outcome, isLive, isOfChange = false }: Confirmed): void {
    if (isLive) this.isLive = true;
    if (!isOfChange) this.isOfChange = false;
    if (outcome === 'drift') this.isPending = false;
    for (const difference of differences) {
      const { isContent, isMaintenance = false, isBeyondRepair = false } = traitsOf(difference);
      if (outcome === 'drift') {
        if (!isMaintenance) this.isMaintenance = false;
        if (isBeyondRepair) this.isUnregistered = true;
      }
      if (isContent) {
        this.hasContent = true;
        if (difference.expected !== null) this.isExpected = true;
      }
      if (this.shown.length < MOST_SHOWN) this.shown.push(difference);
      else this.more += 1;
    }
  }

  toFinding(isViewExpected: boolean): Finding {
    const { expected, stored } = textsOfDifferences(this.shown);
    return {
      ...this.key,
      verdict: this.verdict(isViewExpected && this.key.target === VIEW_KEY),
      expected: this.withMore(expected),
      actual: this.withMore(stored),
      ...(this.isPending && this.isOfChange && { cause: 'model-change' }),
    };
  }

  private verdict(isOtherPartExpected: boolean): Verdict {
    if (this.isPending) return 'pending';
    if (this.isUnregistered) return 'unregistered';
    if (this.isMaintenance) return 'maintenance';
    if (!this.hasContent) return 'stale';
    if (!this.isLive && this.isExpected) return 'missing';
    return this.isExpected || isOtherPartExpected ? 'stale' : 'orphan';
  }

  private withMore(text: string | null): string | null {
    return text !== null && this.more > 0 ? `${text}; and ${this.more} more parts` : text;
  }
}

/** The findings of one partition, or of one item that other partitions determine. */
export class Findings {
  readonly repaired = new Set<string>();
  isViewExpected = false;
  private readonly verdicts = new Map<string, DerivedItemVerdict>();

  add(confirmed: Confirmed): void {
    const key = keyOfSuspect(confirmed.suspect);
    const name = textOfKey(key);
    const verdict = this.verdicts.get(name) ?? new DerivedItemVerdict(key);
    verdict.add(confirmed);
    this.verdicts.set(name, verdict);
  }

  all(): Finding[] {
    return [...this.verdicts.values()].map((verdict) => verdict.toFinding(this.isViewExpected));
  }
}

export class CheckTally {
  constructor(
    readonly totals: CheckCounts,
    private readonly onFinding: ((finding: Finding) => void) | undefined,
  ) {}

  countAndReport(finding: Finding): void {
    const { verdict } = finding;
    if (isDrift(verdict)) this.totals.drift[verdict] += 1;
    else this.totals[verdict] += 1;
    this.onFinding?.(finding);
  }

  addToTotals(counts: Partial<Omit<CheckCounts, 'drift' | 'unknownTypes' | 'changing'>>): void {
    for (const [name, more] of Object.entries(counts)) this.totals[name as keyof typeof counts] += more;
  }

  /** @param options `isReported` makes each change a finding, too. Of the runs that share a check, only one reports. */
  addModelChanges({ standings }: CompiledModel, { isReported }: { isReported: boolean }): void {
    for (const { name, reason } of standings?.changing ?? []) {
      if (this.totals.changing.some((known) => known.name === name)) continue;
      this.totals.changing.push({ name, items: 0, reason });
      if (!isReported) continue;
      const finding = {
        source: SERVICE_PARTITION,
        target: name,
        verdict: 'pending',
        expected: null,
        actual: reason,
      } as const;
      this.countAndReport({ ...finding, cause: 'model-change' });
    }
  }

  addPartition({ source, baseItems, derivedItems, changing, quarantined }: PartitionComparison): void {
    for (const part of this.totals.changing) part.items += changing.get(part.name) ?? 0;
    this.addToTotals({ partitions: 1, baseItems, derivedItems });
    for (const [target, reason] of quarantined) {
      this.countAndReport({ source, target, verdict: 'quarantined', expected: null, actual: reason });
    }
  }

  addUnknownType(graph: CompiledModel, key: ItemKey): void {
    const type = countUnknownType(graph, this.totals.unknownTypes, key);
    this.countAndReport({ ...key, verdict: 'unknown', expected: null, actual: type });
  }
}
