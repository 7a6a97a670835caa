import { VIEW_KEY } from '../items/keys.ts';
import { type DerivedStep, problemsOf } from './derive.ts';
import type { ItemHistory } from './fold.ts';
import { joinedKeys, type TypePlan } from './type-plans.ts';
import type { QuarantineUnit } from './unit.ts';

/** The unit of a record that cannot be derived. */

/** A history with its steps in one model. */
export interface Planned {
  plan: TypePlan;
  steps: readonly DerivedStep[];
}

/** Tells whether the final state of the batch cannot be derived. A mistake of an earlier record that a later one corrects does not count. */
export function endsUnderivable(steps: readonly DerivedStep[]): boolean {
  return steps.at(-1)!.after.problems.length > 0;
}

/** Makes the unit of a history whose last image cannot be derived whole. */
export function quarantineUnit(history: ItemHistory, planned: readonly Planned[]): QuarantineUnit {
  const { record } = planned[0]!.steps.at(-1)!;
  const problems = problemsOf(planned.map(({ steps }) => steps.at(-1)!.after));
  const derivedKeys = new Set<string>();
  const ofJoined = planned.flatMap(({ plan }) => joinedKeys(plan, history.target));
  for (const step of planned.flatMap(({ steps }) => steps)) {
    for (const derived of [step.before, step.after]) {
      if (derived.element !== undefined || derived.attributes !== undefined) derivedKeys.add(VIEW_KEY);
      for (const [i, key] of derived.keys.entries()) if (derived.fields[i] !== undefined) derivedKeys.add(key);
      if (derived.shares !== undefined) for (const key of ofJoined) derivedKeys.add(key);
    }
  }
  return {
    kind: 'quarantine',
    source: history.source,
    sortKey: '',
    target: history.target,
    problems,
    derivedKeys: [...derivedKeys],
    records: [record],
    oldest: record.position,
    newest: record.position,
  };
}
