import type { DefinitionData } from '../../registry/revive.ts';
import type { EstimateOptions, Work } from '../steps/estimates.ts';
import type { Step } from '../steps/step.ts';
import { kindOf, projectionNamesOf } from '../steps/steps.ts';
import type { PlannedStep } from './planned-steps.ts';

/** The estimated cost and time of a step, from a sample of the table. */
export interface StepForecast {
  step: Step['kind'];
  /** The projections of the step, with ids. */
  projection: string;
  rcu: number;
  wcu: number;
  seconds: number;
}

/** The values that a forecast uses. */
export interface ForecastOptions extends EstimateOptions {
  data: DefinitionData;
  /** The most write units a second; absent: no limit. */
  maxWcu?: number | undefined;
}

/** Calls of one process in a second: the SDK takes about a millisecond of CPU for each. */
const CALLS_A_SECOND = 1_000;

/** Estimates the cost of each step. Writes of a live table during the migration, and retries, are not included. */
export function forecast(steps: readonly PlannedStep[], options: ForecastOptions): StepForecast[] {
  return steps.map((planned) => {
    const { step } = planned;
    const { rcu, wcu, calls } = estimateStep(planned, options);
    const kind = kindOf(step);
    const waitSeconds = ('work' in kind ? (kind.waitMs ?? 0) : 0) / 1000;
    const paced = options.maxWcu === undefined ? 0 : wcu / options.maxWcu;
    return {
      step: step.kind,
      projection: projectionNamesOf(step),
      rcu: Math.ceil(rcu),
      wcu: Math.ceil(wcu),
      seconds: waitSeconds + Math.max(paced, calls / CALLS_A_SECOND),
    };
  });
}

function estimateStep({ step, registry }: PlannedStep, options: ForecastOptions): Work {
  const kind = kindOf(step);
  // Without a registry the only step is the first registration.
  if ('work' in kind) return kind.estimate?.(step, { registry: registry!, data: options.data }, options) ?? ONE_READ;
  // The head, and one item for each new definition.
  const definitions = 'definitions' in step ? step.definitions.length : 0;
  return { rcu: 2 + definitions, wcu: 1 + definitions, calls: 2 + 2 * definitions };
}

const ONE_READ: Work = { rcu: 1, wcu: 0, calls: 1 };
