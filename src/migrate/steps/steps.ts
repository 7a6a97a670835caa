import { indexName } from '../../registry/definition.ts';
import { REGISTRY_STEPS } from './registry-steps.ts';
import type { Step, StepKind, StepOf } from './step.ts';
import { WORK_STEPS } from './work-steps.ts';

const STEPS: { readonly [Kind in Step['kind']]: StepKind<StepOf<Kind>> } = { ...REGISTRY_STEPS, ...WORK_STEPS };

export function kindOf(step: Step): StepKind {
  return STEPS[step.kind] as StepKind;
}

export function projectionNamesOf(step: Step): string {
  if ('definitions' in step) return step.definitions.map(({ name }) => name).join(' ');
  if ('indexes' in step) return step.indexes.map(indexName).join(' ');
  const states = 'generations' in step ? step.generations : 'seen' in step ? [step.seen].flat() : [];
  return states.map(({ name, id }) => `${name}@${id}`).join(' ');
}

export function describeStep(step: Step): string {
  return `${kindOf(step).words} ${projectionNamesOf(step)}`.trim();
}
