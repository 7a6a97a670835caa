import { typeOfView } from '../../registry/definition.ts';
import { effectiveModel } from '../../registry/effective.ts';
import { ownershipTest } from '../../registry/ownership.ts';
import type { Registry } from '../../registry/registry.ts';
import type { DefinitionData } from '../../registry/revive.ts';
import type { RateOptions } from '../../store/metered.ts';
import { builtModel } from '../steps/definitions.ts';
import type { Step } from '../steps/step.ts';
import { kindOf, projectionNamesOf } from '../steps/steps.ts';
import {
  type EstimateOptions,
  estimateBuild,
  estimateDeletion,
  estimateIndexes,
  estimateViews,
  type Work,
} from './estimates.ts';
import type { PlannedStep } from './planned-steps.ts';

export interface StepForecast {
  step: Step['kind'];
  projection: string;
  rcu: number;
  wcu: number;
  seconds: number;
}

export interface ForecastOptions extends EstimateOptions, RateOptions {
  data: DefinitionData;
}

/** The SDK takes about a millisecond of CPU per call. */
const CALLS_A_SECOND = 1_000;

/** Ignores retries, and producers' writes during the migration. */
export function forecast(steps: readonly PlannedStep[], options: ForecastOptions): StepForecast[] {
  const { maxRcu = Number.POSITIVE_INFINITY, maxWcu = Number.POSITIVE_INFINITY } = options;
  return steps.map((planned) => {
    const { step } = planned;
    const { rcu, wcu, calls } = estimateStep(planned, options);
    const kind = kindOf(step);
    const waitSeconds = 'work' in kind ? (kind.waitMs?.(step) ?? 0) / 1000 : 0;
    return {
      step: step.kind,
      projection: projectionNamesOf(step),
      rcu: Math.ceil(rcu),
      wcu: Math.ceil(wcu),
      // Reads, writes and calls run in parallel.
      seconds: waitSeconds + Math.max(rcu / maxRcu, wcu / maxWcu, calls / CALLS_A_SECOND),
    };
  });
}

function estimateStep({ step, registry }: PlannedStep, options: ForecastOptions): Work {
  // Only the first registration has no registry, and it isn't a work step.
  if ('work' in kindOf(step)) return estimateWork(step, registry!, options);
  const definitions = 'definitions' in step ? step.definitions.length : 0;
  return { rcu: 2 + definitions, wcu: 1 + definitions, calls: 2 + 2 * definitions };
}

function estimateWork(step: Step, registry: Registry, options: ForecastOptions): Work {
  const { graph, data } = options;
  switch (step.kind) {
    case 'backfill': {
      const { generations } = step;
      return estimateBuild(builtModel(generations, registry, data, graph), ownershipTest(generations), options);
    }
    case 'reconcile-views':
      return estimateViews(
        effectiveModel(registry, data, graph),
        new Set(step.generations.flatMap(({ name }) => typeOfView(name) ?? [])),
        options,
      );
    case 'add-index':
      return estimateIndexes(new Set(step.indexes), options);
    case 'delete':
      return estimateDeletion(ownershipTest(step.generations), options);
    default:
      return ONE_READ;
  }
}

const ONE_READ: Work = { rcu: 1, wcu: 0, calls: 1 };
