import { insertBefore, replace, replaceIn, setCondition, setProperty, setValue } from './changes.ts';
import type { Mutant } from './mutant.ts';

/** Planted in folding and planning. */
export const PLAN_MUTANTS: readonly Mutant[] = [
  {
    name: 'net-zero-view',
    rule: 'A view unit is left out only if each of its records leaves the view as it is, not if their sum does.',
    changes: [
      setCondition('no-net-zero-in-views', (old) => `${old} || sameInView(steps[0]!.before, steps.at(-1)!.after)`),
    ],
  },
  {
    name: 'net-zero-index',
    rule: 'An index unit is left out only if each of its records leaves the index item as it is.',
    changes: [
      setCondition(
        'no-net-zero-in-index-items',
        (old) => `${old} || sameItem(fieldsOf(steps[0]!.before, sortKey), fieldsOf(final, sortKey))`,
      ),
    ],
  },
  {
    name: 'netted-chain',
    rule: 'Every element that any record of the batch mentions goes, not only the one before its first record.',
    changes: [
      insertBefore(
        'no-netted-chains',
        `const changing = steps.filter(({ before, after }) => !sameInView(before, after));
  all = new Set([...elementsOf(changing[0]!.before, changing.at(-1)!.after)]);`,
      ),
    ],
  },
  {
    name: 'removal-unseen',
    rule: 'Removing an index item writes its tombstone even where no item is seen.',
    changes: [
      insertBefore(
        'removal-is-written-where-no-index-item-is',
        `const key = { source: unit.source, target: unit.sortKey };
  if (unit.expected === undefined && (await context.store.get(key, { consistent: true })).item === undefined) return;`,
      ),
    ],
  },
  {
    name: 'node-attributes-difference',
    rule: "A node's attributes go into the view whole, not as what the batch changed in them.",
    changes: [
      replace(
        'node-attributes-go-in-whole',
        `const first = steps.find(({ before, after }) => !sameInView(before, after))!.before.attributes;
  const isChanged = ([name, value]: [string, unknown]): boolean =>
    first === undefined || JSON.stringify(first[name]) !== JSON.stringify(value);
  const difference = {
    ...change,
    attributes: attributes && Object.fromEntries(Object.entries(attributes).filter(isChanged)),
    gone: Object.keys(first ?? {}).filter((name) => attributes?.[name] === undefined),
    byBase,
  };
  return difference;`,
      ),
      setCondition('node-that-goes-needs-the-view', (old) => `${old} || unit.source !== ''`),
      replace(
        'stored-attributes-are-replaced',
        `const isRecord = truths.get(change.target) === undefined;
  attributes = truth.attributes && isRecord ? { ...attributes, ...truth.attributes } : truth.attributes;
  const { gone = [] } = change as { gone?: readonly string[] };
  if (isRecord) for (const name of gone) if (attributes !== undefined) delete attributes[name];`,
      ),
    ],
  },
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
    name: 'old-image-poison',
    rule: 'What of an old image can be derived counts, also if a part of it cannot.',
    changes: [
      setValue(
        'old-image-counts-as-far-as-it-can-be-derived',
        (old) =>
          `[${old}].map((all) => (all.problems.length === 0 ? all : { keys: [], fields: [], problems: [] }))[0]!`,
      ),
    ],
  },
  {
    name: 'watermark-unpadded',
    rule: 'Sequence numbers are padded, since they are texts of varying length.',
    changes: [replaceIn('sequence-numbers-are-padded', "'0'.repeat(SEQUENCE_DIGITS - this.digits)", "''")],
  },
  {
    name: 'watermark-without-label',
    rule: 'A watermark begins with the label of its stream, so that a re-created stream sorts later.',
    changes: [replaceIn('watermark-begins-with-the-stream-label', 'this.streamLabel', "''")],
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
