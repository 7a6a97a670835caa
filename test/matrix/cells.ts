import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { EdgeloomError } from '../../src/foundation/errors.ts';
import { Bench, inputOf } from './bench.ts';
import type { Feature } from './features.ts';
import { compiled } from './model.ts';
import type { Operation, Outcome } from './operations/operation.ts';
import type { Rig } from './rig.ts';

/** What became of a cell; it failed: what is wrong. */
export type CellOutcome = Outcome | { state: 'failed'; problem: string };

/** Makes the table of a cell. */
export type RigOf = (model: CompiledModel) => Rig | Promise<Rig>;

/** Runs one cell on a table of its own. */
export async function runCell(feature: Feature, operation: Operation, rigOf: RigOf): Promise<CellOutcome> {
  const why = operation.except?.(feature);
  if (why !== undefined) return { state: 'none', why };
  return await runOn([feature], operation, rigOf);
}

/** Carries out an operation on a model of several features, where it has to do with one of them. */
export async function runPairs(features: readonly Feature[], operation: Operation, rigOf: RigOf): Promise<CellOutcome> {
  const [why] = features.map((feature) => operation.except?.(feature));
  const isForNone = features.every((feature) => operation.except?.(feature) !== undefined);
  return isForNone ? { state: 'none', why: why ?? '' } : await runOn(features, operation, rigOf);
}

/** Carries out an operation on a model of some features. */
async function runOn(features: readonly Feature[], operation: Operation, rigOf: RigOf): Promise<CellOutcome> {
  try {
    const rig = await rigOf(compiled(inputOf(features)));
    return await operation.run(new Bench(rig, features));
  } catch (error) {
    const { message, stack } = error as Error;
    const isOfMirror = features.some(({ options }) => options.includes('graph.mirrored'));
    // Only the mirror writes such items; a batch names its code in its message alone.
    if (isOfMirror && message.includes('the type is mirrored from another table'))
      return { state: 'refused', code: 'mirrored-type' };
    const code = error instanceof EdgeloomError ? `${error.code}: ` : '';
    return { state: 'failed', problem: code === '' && message.length > 0 ? (stack ?? message) : `${code}${stack}` };
  }
}
