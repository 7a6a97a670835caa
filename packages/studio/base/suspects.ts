import { VERDICT_NAMES } from '../../../src/core/verdicts.ts';
import type { Finding } from '../../../src/trust/check/finding.ts';

export interface Suspect {
  source: string;
  target: string;
  /** A verdict, `drift` from the observer, or a quarantine code. */
  why: string;
  reason?: string;
  found?: Pick<Finding, 'expected' | 'actual'>;
}

export interface Checked {
  /** Partitions that were checked completely: none after a stopped check. */
  judged: readonly string[] | 'all';
  beganAtMs: number;
  findings: readonly Finding[];
  isRepaired: (finding: Finding) => boolean;
}

/** Keeps one finding per item until a later check or a repair clears it. A redrive clears the verdict `quarantined`. */
export class Suspects {
  private readonly found = new Map<string, Suspect>();
  private readonly judgedMs = new Map<string, number>();
  private allJudgedMs = Number.NEGATIVE_INFINITY;

  note({ judged, beganAtMs, findings, isRepaired }: Checked): void {
    if (judged === 'all') {
      this.found.clear();
      this.judgedMs.clear();
      this.allJudgedMs = beganAtMs;
    } else {
      for (const source of judged) this.judgedMs.set(source, beganAtMs);
      for (const [name, { source }] of this.found) if (judged.includes(source)) this.found.delete(name);
    }
    // Findings come worst first, so an item keeps its worst verdict.
    const met = new Set<string>();
    for (const finding of findings) {
      const { source, target, verdict: why, expected, actual } = finding;
      const name = nameOf(finding);
      if (met.has(name)) continue;
      met.add(name);
      if (isRepaired(finding)) this.found.delete(name);
      else this.found.set(name, { source, target, why, found: { expected, actual } });
    }
  }

  noteRedrive(): void {
    for (const [name, { why }] of this.found) if (why === 'quarantined') this.found.delete(name);
  }

  /**
   * Returns one suspect per item, worst first. A check's finding replaces the observer's, and every verdict but
   * `quarantined` replaces a quarantine entry. Observer findings that are older than a check of their partition are
   * left out.
   */
  list(observed: readonly (Suspect & { foundMs: number })[], quarantined: readonly Suspect[]): Suspect[] {
    const all = new Map(this.found);
    for (const { foundMs, ...suspect } of observed) {
      const judgedMs = Math.max(this.allJudgedMs, this.judgedMs.get(suspect.source) ?? Number.NEGATIVE_INFINITY);
      if (foundMs > judgedMs && !all.has(nameOf(suspect))) all.set(nameOf(suspect), suspect);
    }
    for (const entry of quarantined) {
      const why = all.get(nameOf(entry))?.why;
      if (why === undefined || why === 'quarantined') all.set(nameOf(entry), entry);
    }
    return [...all.values()].sort((left, right) => rankOf(left.why) - rankOf(right.why));
  }
}

function nameOf({ source, target }: { source: string; target: string }): string {
  return JSON.stringify([source, target]);
}

const RANKS: ReadonlyMap<string, number> = new Map(VERDICT_NAMES.map((verdict, i) => [verdict, i]));

export const OBSERVED = 'drift';

function rankOf(why: string): number {
  return RANKS.get(why) ?? (why === OBSERVED ? RANKS.get('missing')! : RANKS.get('quarantined')!);
}
