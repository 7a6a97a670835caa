import { addToFile, setCondition, setProperty, setValue } from './changes.ts';
import { DIRECTED_TOTAL_MUTANTS } from './degree.ts';
import type { Mutant } from './mutant.ts';

/** Planted for the schedules that are written down: drawn ones find them too rarely. */
export const DIRECTED_MUTANTS: readonly Mutant[] = [
  ...DIRECTED_TOTAL_MUTANTS,
  {
    name: 'fast-path-by-newest',
    rule: 'The fast path asks for the oldest record of a unit: one between it and the newest may be applied already.',
    changes: [setProperty('fast-path-is-for-newer-records', 'watermark', 'unit.newest')],
  },
  {
    name: 'tombstone-of-two-hours',
    rule: 'A tombstone outlives every record of the stream: one that comes again after hours has to meet it.',
    changes: [setValue('tombstone-outlives-the-stream', '2')],
  },
  {
    name: 'counted-agreeing-leaves-no-trace',
    rule: 'A stale record of a counted item that agrees moves the revision: a worker that read the base item before must fail.',
    changes: [
      setCondition(
        'counted-item-that-agrees-leaves-a-trace',
        (old) => `(${old}) || (!isTruth && isStale(unit.newest, current))`,
      ),
    ],
  },
  {
    name: 'check-fan-out-past',
    rule: 'A fan-out that is past an edge mends nothing there: what is wrong behind it is not on its way.',
    changes: [setValue('fan-out-that-is-past-repairs-nothing', 'after !== undefined')],
  },
  {
    name: 'counted-base-before-item',
    rule: 'A counted item is read before the base item that decides about it.',
    changes: [
      addToFile('counted-items-before-their-bases, first', 'const early = new WeakMap<IndexUnit, Item | undefined>();'),
      setValue(
        'counted-items-before-their-bases, first',
        (old) => `async (units: readonly IndexUnit[]) => {
          const bases = await readItems(context, units.map(({ base: { source, target } }) => ({ source, target })));
          for (const [i, unit] of units.entries()) early.set(unit, bases[i]);
          return await (${old})(units);
        }`,
      ),
      setValue('counted-items-before-their-bases, then', 'contradicting.map((unit) => early.get(unit))'),
    ],
  },
  {
    name: 'continuation-without-a-further-round',
    rule: 'A change that meets a fan-out under way gets a round of its own, when that is at its end.',
    changes: [setValue('change-during-a-fan-out-gets-a-round', 'after')],
  },
  {
    name: 'continuation-revision-ignored',
    rule: 'A continuation is moved only from the revision of the record that drives it.',
    changes: [setValue('continuation-moves-from-the-revision-of-its-record', "{ kind: 'newer-than', watermark: '~' }")],
  },
];
