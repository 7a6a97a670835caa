import { drop, insertAfter, replace, replaceIn, setCondition, setProperty, setValue } from './changes.ts';
import { DEGREE_MUTANTS } from './degree.ts';
import type { Mutant } from './mutant.ts';

/** Every planted bug that schedules find. */
export const MUTANTS: readonly Mutant[] = [
  // Planted in folding and planning.
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

  // Planted in the application of index items.
  {
    name: 'packed-search-without-value',
    rule: 'Each of the searches that share an item has its own value there.',
    changes: [replaceIn('each-search-of-an-item-has-its-value', 'valueIn(search.index)', "valueIn('gsi0')")],
  },
  {
    name: 'packed-search-takes-others-along',
    rule: 'A value that cannot be a key leaves the node out of that search alone.',
    changes: [insertAfter('bad-value-leaves-the-other-searches', 'return undefined;')],
  },
  {
    name: 'index-fields-left',
    rule: 'An index item is written with every field, those cleared that are not expected.',
    changes: [replaceIn('fields-not-expected-are-cleared', 'unset.push(name)', 'undefined')],
  },

  // Planted in tombstones, quarantine, errors and delivery.
  {
    name: 'tombstone-revision-kept',
    rule: 'Writing a tombstone raises the revision.',
    changes: [
      replaceIn(
        'every-write-raises-the-revision',
        "'1'",
        (old) => `update.set['expiresAt'] === undefined ? ${old} : '0'`,
      ),
    ],
  },
  {
    name: 'tombstone-revision-forgotten',
    rule: 'A tombstone keeps the revision: what comes after it must not count from one again.',
    changes: [
      setCondition('revision-goes-on-after-a-tombstone', (old) => `${old} || update.unset.includes('expiresAt')`),
    ],
  },
  {
    name: 'checkpoint-before-apply',
    rule: 'A reader notes how far it came after it has applied, not before.',
    changes: [setValue('reader-applies-before-it-notes', 'batch.length')],
  },
  {
    name: 'claims-not-counted',
    rule: 'A claim holds the records between its ends only if there are as many as it says: else it is of one lane of several.',
    changes: [setCondition('claim-holds-every-record-between-its-ends', 'false')],
  },

  // Planted in the check: it reports what is only late, or does not see what is wrong.
  {
    name: 'check-first-look',
    rule: 'What differs is a suspect; only a second look tells drift from lag.',
    changes: [
      replaceIn(
        'drift-takes-a-second-look',
        'open.push({ look, differences: differences.map((difference) => ({ difference, rounds: 0 })) })',
        "confirmed.push(outcomeOf('drift', look.judgement))",
      ),
    ],
  },
  {
    name: 'check-waits-not',
    rule: 'The second look comes when the stream has passed the first one.',
    changes: [setCondition('second-look-waits-for-the-stream', 'appliedMs !== undefined')],
  },
  {
    name: 'check-revision-ignored',
    rule: 'A suspect that was written in between is looked at again.',
    changes: [replaceIn('suspect-written-meanwhile-is-looked-at-again', 'isLeft', 'true')],
  },
  {
    name: 'check-no-orphans',
    rule: 'An index item that no base item was met for is a suspect.',
    changes: [drop('index-item-of-no-base-item-is-a-suspect')],
  },
  {
    name: 'check-no-elements',
    rule: 'The elements of a view are compared, but for those of evicted types.',
    changes: [setValue('elements-of-a-view-are-compared', 'false')],
  },
  {
    name: 'check-no-expiry',
    rule: 'An expiry on what is no tombstone is drift.',
    changes: [setValue('expiry-on-a-live-item-is-drift', 'false')],
  },
  {
    name: 'check-no-copies',
    rule: 'The nodes that a view copies of are looked up.',
    changes: [drop('copied-nodes-are-looked-up')],
  },
  {
    name: 'check-no-reverse-items',
    rule: 'The reverse item of each edge that copies is looked up.',
    changes: [
      setValue(
        'items-of-each-edge-in-its-target-are-looked-up',
        (old) => `(${old}).filter(({ fields }) => !('child' in fields) || Object.keys(fields).length > 1)`,
      ),
    ],
  },
  {
    name: 'check-no-orphaned-reverse-items',
    rule: 'The edge of each reverse item is looked up.',
    changes: [setValue('edge-of-each-reverse-item-is-looked-up', (old) => `(${old}).slice(0, 0)`)],
  },

  ...DEGREE_MUTANTS,

  // Planted in copies of target nodes' attributes, their reverse items and the fan-out.
  {
    name: 'copies-left-behind',
    rule: "An edge's copy goes with its element.",
    changes: [replaceIn('copy-goes-with-its-element', 'hasElement', 'true')],
  },
  {
    name: 'copies-beyond-budget',
    rule: "Copies count for the view's byte budget.",
    changes: [setValue('copies-count-for-the-budget', '0')],
  },
  {
    name: 'continuation-not-begun-anew',
    rule: 'A change of the parent begins the continuation of an earlier one anew.',
    changes: [
      setCondition('change-begins-the-continuation-again', (old) => `${old} || current?.[AFTER] !== undefined`),
    ],
  },
  {
    name: 'continuation-buried-alive',
    rule: 'A continuation that is in progress has no expiry.',
    changes: [setValue('continuation-in-progress-does-not-expire', '[]')],
  },

  // Planted in what becomes of parts of nodes.
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

  // Planted in what takes a stored base item for absent.
  {
    name: 'gone-item-derived',
    rule: 'An item that says it is gone is absent, whatever its type.',
    changes: [drop('item-that-says-it-is-gone-is-absent')],
  },
  {
    name: 'soft-deletion-as-update',
    rule: 'A record that soft-deletes an item removes what is derived from it.',
    changes: [setValue('soft-deleted-item-is-absent', 'false')],
  },
  {
    name: 'soft-deletion-by-null',
    rule: 'An attribute that is null or false deletes nothing.',
    changes: [
      setValue('soft-deleted-item-is-absent', 'deletedWhen !== undefined && Object.hasOwn(image, deletedWhen)'),
    ],
  },
  {
    name: 'joined-with-a-deleted-node',
    rule: 'The edges of a soft-deleted node have nothing of it in their index items.',
    changes: [setCondition('edges-of-a-soft-deleted-node-lose-its-share', 'image === undefined')],
  },
  {
    name: 'copy-of-a-deleted-node',
    rule: 'A soft-deleted node is not copied.',
    changes: [setCondition('soft-deleted-node-is-not-copied', 'node === undefined')],
  },
];
