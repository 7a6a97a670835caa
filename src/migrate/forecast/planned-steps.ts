import { type Definitions, indexNamedIn } from '../../registry/definition.ts';
import type { Registry } from '../../registry/registry.ts';
import { type ActionTarget, actionTargets, type MigrateAction } from '../action.ts';
import { nextStep, type Situation } from '../next-step.ts';
import { memoryOf, type Step, type StepOf, seenKey } from '../steps/step.ts';
import { kindOf } from '../steps/steps.ts';

export interface PlannedStep {
  step: Step;
  registry: Registry | undefined;
}

/** Ends an endless loop; no model needs this many steps. */
const MOST_STEPS = 10_000;
/** Later than any time in a registry, as the migration's own times will be. */
const LATER_MS = Number.MAX_SAFE_INTEGER;

/** Assumes that each step succeeds. Asks `nextStep`, so that the plan can't differ from the migration. */
export function plannedSteps(
  situation: Omit<Situation, 'targets' | 'memory'>,
  actions: readonly MigrateAction[],
): PlannedStep[] {
  const { expected, table } = situation;
  const memory = memoryOf();
  const isEmptyTable = situation.isEmpty === true;
  let isEmpty: boolean | undefined;
  let { missingIndexes = [] } = situation;
  let { registry } = situation;
  let targets: readonly ActionTarget[] | undefined;
  const planned: PlannedStep[] = [];
  while (planned.length < MOST_STEPS) {
    if (registry !== undefined) targets ??= actionTargets(registry, situation.data, expected, actions);
    const step = nextStep({ ...situation, registry, memory, missingIndexes, isEmpty, targets });
    if (step === undefined) break;
    planned.push({ step, registry });
    const kind = kindOf(step);
    if ('write' in kind)
      registry = kind.write(step, registry!, { expected, table, serverTimeMs: LATER_MS, isEmpty: isEmptyTable });
    else if (kind.remembers !== undefined)
      for (const seen of kind.states(step)) memory[kind.remembers].add(seenKey(seen));
    if (step.kind === 'add-index') missingIndexes = [];
    if (step.kind === 'delete') missingIndexes = [...missingIndexes, ...indexesToAddAgain(step, expected)];
    if (step.kind === 'look') isEmpty = isEmptyTable;
  }
  return planned;
}

function indexesToAddAgain({ generations }: StepOf<'delete'>, expected: Definitions): string[] {
  return generations.flatMap(({ name }) => (expected.has(name) ? (indexNamedIn(name) ?? []) : []));
}
