import type { Registry } from '../../registry/registry.ts';
import { announce, register } from '../../registry/transitions.ts';
import { type ActionTarget, targetOf } from '../action.ts';
import { changed } from '../changed.ts';
import { nextStep, type Situation, type Step, seenKey } from '../next-step.ts';

/** A planned step, with the registry that it begins with. */
export interface PlannedStep {
  step: Step;
  registry: Registry | undefined;
}

/** An upper bound: no model needs this many steps. */
const MOST_STEPS = 10_000;

/**
 * Returns all steps of a migration. It calls `nextStep` and assumes that each step succeeds. It decides nothing itself, so that a
 * plan cannot differ from the migration.
 */
export function plannedSteps(situation: Omit<Situation, 'target' | 'memory'>): PlannedStep[] {
  const { wanted, action, table } = situation;
  const memory = {
    verified: new Set<string>(),
    settled: new Set<string>(),
    deleted: new Set<string>(),
    unused: new Set<string>(),
    shown: new Set<string>(),
  };
  const { verified, settled, deleted, unused, shown } = memory;
  let isEmpty: boolean | undefined;
  let { registry } = situation;
  let target: ActionTarget | undefined;
  const planned: PlannedStep[] = [];
  while (planned.length < MOST_STEPS) {
    if (registry !== undefined && action !== undefined) target ??= targetOf(registry, wanted, action);
    const step = nextStep({
      ...{ ...situation, registry, memory },
      isEmpty,
      target,
    });
    if (step === undefined) break;
    planned.push({ step, registry });
    if (step.kind === 'register') registry = (situation.isEmpty === true ? register : announce)(wanted, table);
    else if (step.kind === 'look') isEmpty = situation.isEmpty === true;
    else if (step.kind === 'backfill') for (const seen of step.generations) verified.add(seenKey(seen));
    else if (step.kind === 'settle-views') for (const seen of step.shapes) settled.add(seenKey(seen));
    else if (step.kind === 'wait') for (const seen of step.seen) unused.add(seenKey(seen));
    else if (step.kind === 'pause') for (const seen of step.seen) shown.add(seenKey(seen));
    else if (step.kind === 'delete') for (const seen of step.generations) deleted.add(seenKey(seen));
    else registry = changed(step, registry!, 0);
  }
  return planned;
}
