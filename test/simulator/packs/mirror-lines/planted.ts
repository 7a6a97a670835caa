import { setCondition, setValue } from '../../planted/changes.ts';
import type { Mutant } from '../../planted/mutant.ts';

/** Rules of an import of another system's log, broken one by one; each has to make a schedule of imports fail. */
export const LINES_MUTANTS: readonly Mutant[] = [
  {
    name: 'lines-last-come-decides',
    rule: 'The line of the highest position decides, whatever the order in which lines come.',
    changes: [setCondition('lines-the-highest-position-decides', 'entry === undefined || entry.version > 0')],
  },
  {
    name: 'lines-say-nothing-again',
    rule: 'Another version of the mapping says the same lines again.',
    changes: [setValue('lines-another-mapping-says-them-again', 'undefined')],
  },
  {
    name: 'lines-forget-what-was-before',
    rule: 'What the record before makes, and the one after does not, gets a tombstone.',
    changes: [setValue('lines-name-what-was-before', 'new Set(made.keys())')],
  },
  {
    name: 'lines-leave-what-an-older-mapping-made',
    rule: 'A complete log takes away what only an older version of the mapping made.',
    changes: [setValue('lines-take-older-away', '0')],
  },
  {
    name: 'lines-refused-take-away',
    rule: 'Nothing is taken away while a line is refused: it may be the one that makes the item.',
    changes: [setCondition('lines-refused-take-nothing-away', 'complete')],
  },
];
