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

/** The findings and repairs of a check, including those from before an interruption. */
export class GatheredFindings implements Gathered {
  readonly kept: KeptFindings;
  readonly actions: string[] = [];
  actionsLeftOut = 0;
  ofChange = 0;
  /** A resumed run plans the repairs of undecided partitions again: skip the actions that are already listed. */
  private earlierActions = new Set<string>();

  constructor(private readonly most: number) {
    this.kept = new KeptFindings(most);
  }

  addFinding(finding: Finding): void {
    if (finding.cause === 'model-change') this.ofChange += 1;
    this.kept.add(finding);
  }

  addAction(action: string): void {
    if (this.earlierActions.has(action)) return;
    if (this.actions.length < this.most) this.actions.push(action);
    else this.actionsLeftOut += 1;
  }

  save(): unknown {
    const { kept, actions, actionsLeftOut, ofChange } = this;
    return { findings: kept.list, leftOut: kept.leftOut, actions, actionsLeftOut, ofChange };
  }

  restore(saved: unknown): void {
    const { findings, leftOut, actions, actionsLeftOut, ofChange } = schema.parse(saved);
    this.kept.restore({ list: findings as Finding[], leftOut });
    this.actions.push(...actions);
    this.earlierActions = new Set(actions);
    this.actionsLeftOut += actionsLeftOut;
    this.ofChange += ofChange;
  }
}
