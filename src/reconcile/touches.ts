import { isReverseKey } from '../core/kinds/reverse-item.ts';
import type { Reconcilable } from '../core/plan/touch.ts';
import { StoreError } from '../foundation/errors.ts';
import { type ApplyContext, OutOfTimeError } from './apply-context.ts';
import { reconcileOtherCount } from './counted.ts';
import { isLook } from './plan-write.ts';
import { type Failure, type ReadAhead, type ReconcileOptions, readTouched, Step, type Steps } from './step.ts';
import { reconcileWholeView } from './whole-view.ts';

/**
 * The order is the rule: first read what is there, then what should be there, then write under the revision that was
 * read. If a derived item has changed meanwhile, the write fails and both are read again. So the order of records,
 * their batches and their repetitions don't matter.
 */

/** Small, so that a call with hardly any time makes progress. */
const FIRST_STEP = 100;
/** Bounds the memory for a batch of any size. */
const STEP = 2_000;

/** Returns the items that failed. Those that the table refuses are quarantined, and count as reconciled. */
export async function reconcileTouches(
  context: ApplyContext,
  touches: readonly Reconcilable[],
  options: ReconcileOptions = {},
): Promise<Failure[]> {
  const failures: Failure[] = [];
  for (const group of inOrder(touches)) failures.push(...(await reconcileSteps(context, group, options)));
  return failures;
}

function inOrder(touches: readonly Reconcilable[]): Reconcilable[][] {
  // A parent is read only after its reverse items are written: otherwise the fan-out of its next change could miss the
  // child. If one couldn't be written, its record comes again, and touches the view once more.
  // rule: reverse-items-before-views
  const isReverse = (touch: Reconcilable): boolean => touch.kind === 'item' && isReverseKey(touch.sortKey);
  const [first, then] = [touches.filter(isReverse), touches.filter((touch) => !isReverse(touch))];
  return [first, then].filter((group) => group.length > 0);
}

export function readAhead(context: ApplyContext, touches: readonly Reconcilable[]): ReadAhead {
  const readAtMs = context.now();
  const first = inOrder(touches)[0]?.slice(0, FIRST_STEP) ?? [];
  const consistent = first.some(isLook);
  const was = readTouched(context, first, { consistent, remainingMs: () => Math.max(1, context.remainingMs()) });
  // If the items aren't needed any more, nobody waits for an error.
  was.catch(() => undefined);
  return { was, readAtMs };
}

export async function reconcileOrThrow(
  context: ApplyContext,
  touches: readonly Reconcilable[],
  options?: ReconcileOptions,
): Promise<void> {
  const [failure] = await reconcileTouches(context, touches, options);
  if (failure !== undefined) throw failure.error;
}

export function makeViewWhole(context: ApplyContext, source: string): Promise<boolean> {
  return reconcileWholeView(context, source, reconcileOrThrow);
}

export async function reconcileTouch(context: ApplyContext, touch: Reconcilable): Promise<void> {
  await reconcileOrThrow(context, [touch], { isScan: true });
}

async function reconcileSteps(
  context: ApplyContext,
  touches: readonly Reconcilable[],
  options: ReconcileOptions,
): Promise<Failure[]> {
  const failures: Failure[] = [];
  const steps: Steps = {
    makeWhole: (source) => makeViewWhole(context, source),
    entries: new Map(),
    counts: new Map(),
  };
  for (let start = 0, size = FIRST_STEP; start < touches.length; start += size, size = STEP) {
    const step = new Step(context, options, start === 0 && context.hasBegun !== true, steps);
    failures.push(...(await step.run(touches.slice(start, start + size))));
    const fatal = failures.find(({ error }) => error instanceof StoreError && error.kind === 'fatal');
    if (fatal === undefined) continue;
    for (const touch of touches.slice(start + size)) failures.push({ touch, error: fatal.error });
    break;
  }
  const entries = [...steps.entries.values()];
  if (entries.length > 0)
    failures.push(...(await new Step(context, { isScan: options.isScan ?? false }, false, steps).run(entries)));
  for (const { touch, name, holding } of steps.counts.values()) {
    try {
      await reconcileOtherCount(context, touch.source, name, holding);
    } catch (error) {
      if (!(error instanceof StoreError || error instanceof OutOfTimeError)) throw error;
      failures.push({ touch, error });
    }
  }
  return failures;
}
