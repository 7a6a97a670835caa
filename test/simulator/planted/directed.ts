import { replace, setValue } from './changes.ts';
import { DIRECTED_TOTAL_MUTANTS } from './degree.ts';
import type { Mutant } from './mutant.ts';

/** Planted for the schedules that are written down: drawn ones find them too rarely. */
export const DIRECTED_MUTANTS: readonly Mutant[] = [
  ...DIRECTED_TOTAL_MUTANTS,
  {
    name: 'tombstone-of-two-hours',
    rule: 'A tombstone outlives every record of the stream: one that comes again after hours has to meet it.',
    changes: [setValue('tombstone-outlives-the-stream', '2')],
  },
  {
    name: 'check-fan-out-past',
    rule: 'A fan-out that is past an edge mends nothing there: what is wrong behind it is not on its way.',
    changes: [setValue('fan-out-that-is-past-repairs-nothing', 'after !== undefined')],
  },
  {
    name: 'continuation-without-a-further-round',
    rule: 'A change that meets a fan-out under way gets a round of its own, when that is at its end.',
    changes: [setValue('change-during-a-fan-out-gets-a-round', 'after')],
  },
  {
    name: 'redriven-entry-deleted',
    rule: 'A redriven entry leaves a tombstone: the revisions of the next entry must not begin again.',
    changes: [
      replace(
        'redriven-entry-leaves-a-tombstone',
        'const { applied } = await context.store.delete(key, unchangedCondition(item, context.graph.table.ttl));',
      ),
    ],
  },
];
