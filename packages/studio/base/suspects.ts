import { isServicePartition } from '../../../src/core/items/keys.ts';
import { VERDICT_NAMES } from '../../../src/core/verdicts.ts';
import type { Finding } from '../../../src/trust/check/finding.ts';

/** An item that needs a look. */
export interface Suspect {
  source: string;
  target: string;
  /** The worst verdict of the check, the state that the observer knows, or the code of quarantine. */
  why: string;
  /** Why it is in quarantine. */
  reason?: string;
}

/** The outcome of a check. */
export interface Checked {
  /** The partitions that the check has judged whole; `all` of the table; none if it was a sample, or was stopped. */
  judged: readonly string[] | 'all';
  /** When it began, in milliseconds since 1970. */
  beganAtMs: number;
  findings: readonly Finding[];
  /** Tells whether the check has put the item of a finding right. */
  isRepaired: (finding: Finding) => boolean;
}

/** The items that the last checks found wrong, each once: without those that a later check found right, or repaired. */
export class Suspects {
  private readonly found = new Map<string, Suspect>();
  /** When partitions, and the whole table, were judged last, in milliseconds since 1970. */
  private readonly judgedMs = new Map<string, number>();
  private allJudgedMs = Number.NEGATIVE_INFINITY;

  /** Takes in a check that has ended. */
  note({ judged, beganAtMs, findings, isRepaired }: Checked): void {
    if (judged === 'all') {
      this.found.clear();
      this.judgedMs.clear();
      this.allJudgedMs = beganAtMs;
    } else {
      for (const source of judged) this.judgedMs.set(source, beganAtMs);
      for (const [name, { source }] of this.found) if (judged.includes(source)) this.found.delete(name);
    }
    // The findings are worst first: an item keeps the worst verdict of its parts.
    const met = new Set<string>();
    for (const finding of findings) {
      const { source, target, verdict: why } = finding;
      const name = nameOf(finding);
      // A finding about a change of the model is of no item.
      if (isServicePartition(source) || met.has(name)) continue;
      met.add(name);
      if (isRepaired(finding)) this.found.delete(name);
      else this.found.set(name, { source, target, why });
    }
  }

  /** Takes in a redrive: the quarantine itself tells what is left of it. */
  noteRedrive(): void {
    for (const [name, { why }] of this.found) if (why === 'quarantined') this.found.delete(name);
  }

  /**
   * Needs attention, worst first.
   *
   * @param observed the differences that the observer of the table knows. A later check of their partition knows better.
   * @param quarantined the entries of the quarantine, which say more than `quarantined`.
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

/** Why an item needs a look that the observer has found. */
export const OBSERVED = 'drift';

/** The rank of a verdict; what the observer has found is a difference, and a code is of quarantine. */
function rankOf(why: string): number {
  return RANKS.get(why) ?? (why === OBSERVED ? RANKS.get('missing')! : RANKS.get('quarantined')!);
}
