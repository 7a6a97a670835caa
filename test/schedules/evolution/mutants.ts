import type { Mutant } from '../../simulator/planted/mutant.ts';

/** A fault that these schedules found, planted again, and a seed whose schedule shows it. */
export interface FoundFault {
  seed: number;
  mutant: Mutant;
}

const MIGRATE = 'src/migrate/migrate.ts';

/** The rules of model changes themselves are broken one by one in `test/simulator/evolution/planted.ts`. */
export const FOUND_FAULTS: readonly FoundFault[] = [
  {
    seed: 2,
    mutant: {
      name: 'count-of-no-set',
      rule: 'A count that is not ready is that of the base edges, also where no set lists them.',
      patches: [
        {
          file: 'src/read/nodes/degree.ts',
          find: '    if (!isCounted) return element !== undefined;\n',
          replace: '    if (!isCounted || element === undefined) return element !== undefined;\n',
        },
      ],
    },
  },
  {
    seed: 51,
    mutant: {
      name: 'list-is-code',
      rule: 'Every consumer has the code of a list of nodes.',
      patches: [{ file: 'src/registry/revive.ts', find: 'mine?.code ?? codeOfList(name)', replace: 'mine?.code' }],
    },
  },
  {
    seed: 8,
    mutant: {
      name: 'code-for-what-goes',
      rule: 'What only goes needs no function of what it was.',
      patches: [{ file: MIGRATE, find: 'if (BRINGS.has(step.kind)) checkCompiles', replace: 'checkCompiles' }],
    },
  },
  {
    seed: 149,
    mutant: {
      name: 'code-for-what-is-replaced',
      rule: 'Views that a migration replaces need no function of what they were.',
      patches: [{ file: 'src/migrate/changed.ts', find: 'shape && own ? {', replace: "shape && own === '' ? {" }],
    },
  },
  {
    seed: 27,
    mutant: {
      name: 'stamps-again',
      rule: 'A registry that is made anew stamps no view as one before did.',
      patches: [{ file: MIGRATE, find: 'isEmpty ? 1 : 1 +', replace: 'isEmpty ? 1 : 1 + 0 *' }],
    },
  },
];
