import * as z from 'zod/mini';
import { VERDICT_NAMES } from '../../../../src/core/verdicts.ts';
import type { Finding } from '../../../../src/trust/check/finding.ts';
import { KeptFindings } from '../../../../src/trust/check/kept-findings.ts';
import type { Gathered } from './resume-file.ts';

const count = z.int().check(z.minimum(0));
const schema = z.strictObject({
  findings: z.array(
    z.strictObject({
      source: z.string(),
      target: z.string(),
      verdict: z.enum(VERDICT_NAMES),
      expected: z.nullable(z.string()),
      actual: z.nullable(z.string()),
      cause: z.optional(z.literal('model-change')),
    }),
  ),
  leftOut: z.partialRecord(z.enum(VERDICT_NAMES), count),
  actions: z.array(z.string()),
  actionsLeftOut: count,
  ofChange: count,
});

/** The findings and the planned or failed repairs of a check, including those from before an interruption. */
export class GatheredFindings implements Gathered {
  readonly kept: KeptFindings;
  readonly actions = new Set<string>();
  actionsLeftOut = 0;
  ofChange = 0;

  constructor(private readonly most: number) {
    this.kept = new KeptFindings(most);
  }

  addFinding(finding: Finding): void {
    if (finding.cause === 'model-change') this.ofChange += 1;
    this.kept.add(finding);
  }

  addAction(action: string): void {
    // A run that continues, and a second attempt, repeat the repairs of undecided partitions.
    if (this.actions.has(action)) return;
    if (this.actions.size < this.most) this.actions.add(action);
    else this.actionsLeftOut += 1;
  }

  save(): unknown {
    const { kept, actions, actionsLeftOut, ofChange } = this;
    return { findings: kept.list, leftOut: kept.leftOut, actions: [...actions], actionsLeftOut, ofChange };
  }

  restore(saved: unknown): void {
    const { findings, leftOut, actions, actionsLeftOut, ofChange } = schema.parse(saved);
    this.kept.restore({ list: findings as Finding[], leftOut });
    for (const action of actions) this.actions.add(action);
    this.actionsLeftOut += actionsLeftOut;
    this.ofChange += ofChange;
  }
}
