import { drop, insertBefore, replace, setCondition, setValue } from '../planted/changes.ts';
import type { Mutant } from '../planted/mutant.ts';

/** Bugs planted in the observer. */
export const OBSERVER_MUTANTS: readonly Mutant[] = [
  {
    name: 'base-records-open-nothing',
    rule: 'A record of a base item opens each derived part whose value differs between its two images.',
    changes: [insertBefore('base-records-open-what-they-change', 'if (isBaseSortKey(change.target)) return NOTHING;')],
  },
  {
    name: 'derived-records-open-nothing',
    rule: 'A record of a derived item opens the parts whose content differs, whoever wrote it.',
    changes: [
      setValue('derived-records-are-judged', 'name === "count" ? OPENED_BY_DERIVED[name](context, change) : NOTHING'),
    ],
  },
  {
    name: 'open-obligations-hold-nothing',
    rule: 'The time is not later than any record that has opened something.',
    changes: [setCondition('open-obligations-hold-the-time', (old) => `${old} || touch.stampMs > 0`)],
  },
  {
    name: 'replays-close-known-drift',
    rule: 'Images do not close drift that is known: after a restart they are older than what was found.',
    changes: [drop('images-close-no-known-drift')],
  },
  {
    name: 'alarm-before-low-mark',
    rule: 'A difference is drift only if the projector had applied its newest touch before it was seen.',
    changes: [setValue('alarm-waits-for-the-low-mark', 'touchedMs < fromMs')],
  },
  {
    name: 'low-mark-after-the-look',
    rule: 'The low mark is asked for before the first read of a look.',
    changes: [
      replace(
        'low-mark-is-asked-for-before-the-look',
        'const lowMarkMs = (await context.lowMark()) && Number.MAX_VALUE;',
      ),
    ],
  },
];
