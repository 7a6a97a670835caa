import { ModelError } from '../../src/foundation/errors.ts';
import { Random } from '../simulator/kernel/random.ts';
import { changedInputOf, inputOf } from './bench.ts';
import { FEATURES, type Feature } from './features.ts';
import { compiled } from './model.ts';

/** Models in which every two features meet. */

/** Two features that no model has both of, and why. */
export interface Excluded {
  pair: readonly [Feature, Feature];
  why: string;
}

/** Models, each a list of features, and the pairs that none of them can have. */
export interface Pairs {
  models: readonly (readonly Feature[])[];
  excluded: readonly Excluded[];
  /** Pairs that meet in a model. */
  covered: number;
}

/** The most features of a model: where all meet at once, one may hide what another does. */
const MOST_FEATURES = 14;
const SEED = 1;

/** Why two features are in no model; undefined: they may meet. */
function whyNot(pair: readonly [Feature, Feature]): string | undefined {
  const [left, right] = pair;
  if (left.slot !== undefined && left.slot === right.slot) return `Each is a value of ${left.slot}, which has one.`;
  return mistakesOf(pair);
}

/** What the compiler says against features in one model, or against their other values in one. */
function mistakesOf(features: readonly Feature[]): string | undefined {
  try {
    compiled(inputOf(features));
    compiled(changedInputOf(features));
    return undefined;
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return error.mistakes.map(({ path, message }) => `\`${path}\` ${message}.`).join(' ');
  }
}

/** Makes the models, greedily: each begins with two features that have not met, and takes those that meet most others for the first time. */
export function coveringModels(features: readonly Feature[] = FEATURES): Pairs {
  const random = new Random(SEED);
  const excluded: Excluded[] = [];
  const open = new Map<string, readonly [Feature, Feature]>();
  const keyOf = (left: Feature, right: Feature): string => [left.name, right.name].sort().join(' + ');
  for (const [i, left] of features.entries()) {
    for (const right of features.slice(i + 1)) {
      const why = whyNot([left, right]);
      if (why === undefined) open.set(keyOf(left, right), [left, right]);
      else excluded.push({ pair: [left, right], why });
    }
  }
  const covered = open.size;
  const unfit = new Set(excluded.map(({ pair: [left, right] }) => keyOf(left, right)));
  const models: Feature[][] = [];
  for (let first = open.values().next().value; first !== undefined; first = open.values().next().value) {
    const model: Feature[] = [...first];
    while (model.length < MOST_FEATURES) {
      const gainOf = (one: Feature): number => model.filter((other) => open.has(keyOf(one, other))).length;
      const fits = (one: Feature): boolean =>
        !model.includes(one) && model.every((other) => !unfit.has(keyOf(one, other)));
      const candidates = shuffled(features.filter(fits), random).sort((left, right) => gainOf(right) - gainOf(left));
      const next = candidates.find((one) => gainOf(one) > 0 && mistakesOf([...model, one]) === undefined);
      if (next === undefined) break;
      model.push(next);
    }
    for (const left of model) for (const right of model) open.delete(keyOf(left, right));
    models.push(model);
  }
  return { models, excluded, covered };
}

function shuffled<T>(all: readonly T[], random: Random): T[] {
  const keyed = all.map((one) => ({ one, place: random.next() }));
  return keyed.sort((left, right) => left.place - right.place).map(({ one }) => one);
}
