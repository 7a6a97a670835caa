import { VERDICT_NAMES, type Verdict } from '../../core/verdicts.ts';
import type { Finding } from './finding.ts';

/**
 * Keeps up to `mostOfVerdict` findings per verdict, so that none crowds out another, but only one for each unknown
 * type.
 */
export class KeptFindings {
  private readonly kept = new Map<Verdict, Finding[]>();
  private readonly types = new Set<string | null>();
  private readonly more = new Map<Verdict, number>();

  constructor(private readonly mostOfVerdict: number) {}

  add(finding: Finding): void {
    const { verdict, actual } = finding;
    const kept = this.kept.get(verdict) ?? [];
    this.kept.set(verdict, kept);
    if (verdict === 'unknown' && this.types.has(actual)) return;
    if (kept.length === this.mostOfVerdict) this.more.set(verdict, (this.more.get(verdict) ?? 0) + 1);
    else {
      kept.push(finding);
      if (verdict === 'unknown') this.types.add(actual);
    }
  }

  restore({ list, leftOut }: Pick<KeptFindings, 'list' | 'leftOut'>): void {
    for (const finding of list) this.add(finding);
    for (const verdict of VERDICT_NAMES) {
      const more = (this.more.get(verdict) ?? 0) + (leftOut[verdict] ?? 0);
      if (more > 0) this.more.set(verdict, more);
    }
  }

  get list(): Finding[] {
    return VERDICT_NAMES.flatMap((verdict) => this.kept.get(verdict) ?? []);
  }

  get leftOut(): Partial<Record<Verdict, number>> {
    return Object.fromEntries(this.more);
  }
}
