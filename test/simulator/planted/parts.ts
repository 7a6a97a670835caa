import { replace, setCondition, setValue } from './changes.ts';
import type { Mutant } from './mutant.ts';

/** Planted in what becomes of parts of nodes. */
export const PART_MUTANTS: readonly Mutant[] = [
  {
    name: 'part-without-attributes-not-shown',
    rule: 'A part has its view while it is there, also with no attribute that the view shows.',
    changes: [
      replace('view-of-a-part-is-there-while-the-part-is', (old) => `if (item['status'] !== undefined) ${old}`),
    ],
  },
  {
    name: 'part-decides-without-its-node',
    rule: 'A part decides about items of edges only while its node is there.',
    changes: [setCondition('parts-decide-only-while-the-node-is', 'parts.length === 0')],
  },
  {
    name: 'change-of-a-part-stays-with-it',
    rule: 'A change of a part reaches the items of the edges that use it.',
    changes: [setValue('part-brings-its-change-to-the-edges', 'joined.filter(() => false)')],
  },
  {
    name: 'node-comes-without-its-parts',
    rule: 'A node that comes or goes changes the items of the edges that use its parts.',
    changes: [setValue('node-brings-its-parts-along', 'true')],
  },
];
