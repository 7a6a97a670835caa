import { setCondition, setProperty } from './changes.ts';
import type { Mutant } from './mutant.ts';

/** Planted in folding and planning. */
export const PLAN_MUTANTS: readonly Mutant[] = [
  {
    name: 'node-without-attributes',
    rule: "The view's attributes are present exactly when the node is, also where there is none to show.",
    changes: [
      setProperty(
        'attributes-are-there-while-the-node-is',
        'attributes',
        (old) => `Object.keys(attributes).length === 0 ? undefined : ${old}`,
      ),
    ],
  },
  {
    name: 'elements-by-label',
    rule: 'An element tells its edge without its labels.',
    changes: [setCondition('element-tells-its-edge-without-labels', 'true')],
  },
  {
    name: 'hashed-key-unchecked',
    rule: "An edge whose hashed key is not its target's is quarantined.",
    changes: [setCondition('hashed-key-fits-its-target', 'false')],
  },
  {
    name: 'hashed-element-nameless',
    rule: 'The element of an edge with a hashed key names its target.',
    changes: [setCondition('hashed-element-names-its-target', (old) => `${old} && sortKey === ''`)],
  },
];
