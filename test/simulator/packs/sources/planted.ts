import { addToFile, drop, insertBefore, replace, replaceIn, setCondition, setValue } from '../../planted/changes.ts';
import type { Mutant } from '../../planted/mutant.ts';

/** Rules of sources, broken one by one; each has to make a schedule of the attack fail. */
export const SOURCES_MUTANTS: readonly Mutant[] = [
  {
    name: 'source-is-read-before-its-ledger',
    rule: 'A touch reads the ledger before the source item.',
    changes: [
      insertBefore('source-ledger-is-read-first', 'const early = await context.access.read(key);\nread = undefined;'),
      setValue('source-is-read-in-each-round', 'early'),
    ],
  },
  {
    name: 'source-ledger-written-unseen',
    rule: "The ledger is written only if it hasn't changed since it was read.",
    changes: [setValue('source-ledger-is-written-as-it-was-read', 'seen === undefined ? { absent: [] } : {}')],
  },
  {
    name: 'source-token-used-again',
    rule: "Each touch raises the ledger's revision, which serves as the touch's token.",
    changes: [setValue('source-token-is-a-new-revision', 'Math.max(ledger.token, 1)')],
  },
  {
    name: 'source-equal-ledger-unwritten',
    rule: 'A touch always writes the ledger, even if the keys in it stay the same.',
    changes: [setValue('source-ledger-is-written-ahead', (old) => `keys.length === ledger.keys.length || (${old})`)],
  },
  {
    name: 'source-ledger-forgets-old-keys',
    rule: 'The ledger names both old and new keys before an output is written.',
    changes: [replaceIn('source-ledger-has-old-and-new-keys', '[...ledger.keys, ...made.keys()]', '[...made.keys()]')],
  },
  {
    name: 'source-writes-over-anything',
    rule: "A touch overwrites an output that it hasn't read only if the output's sole claim is an older claim of the same maker.",
    changes: [setValue('source-writes-over-its-older-claim-alone', '{}')],
  },
  {
    name: 'source-older-claim-comes-back',
    rule: 'A touch never replaces a newer claim of the same maker.',
    changes: [setCondition('source-a-newer-claim-stays', 'own < 0')],
  },
  {
    name: 'source-shared-item-written-unseen',
    rule: "An output with several claims is written only if it hasn't changed since it was read.",
    changes: [setValue('source-shared-item-is-written-as-it-was-seen', 'current === undefined ? {} : {}')],
  },
  {
    name: 'source-shows-whom-it-heard-last',
    rule: 'What an output shows depends only on its claims and on the declared sources, not on the order of touches.',
    changes: [setValue('source-the-first-claim-is-shown', "declared.length < 0 ? '' : maker")],
  },
  {
    name: 'source-tombstones-expire-at-once',
    rule: 'An ended claim is remembered for longer than any write can take to arrive.',
    changes: [setValue('source-tombstone-outlives-every-write', '1')],
  },
  {
    name: 'source-live-content-expires',
    rule: 'An output with live content loses the expiry of an earlier tombstone.',
    changes: [
      replaceIn(
        'source-live-content-does-not-expire',
        'content === undefined',
        '[...byMaker.values()].some(({ goneSince }) => goneSince !== undefined)',
      ),
    ],
  },
  {
    name: 'source-any-mapping-writes',
    rule: "A process whose mapping version isn't in force writes no outputs.",
    changes: [
      setCondition('source-another-mapping-leaves-the-touch', "head !== undefined && head.state.version !== ''"),
    ],
  },
  {
    name: 'source-refused-item-forgets',
    rule: "A source item that can't be mapped keeps its earlier outputs, and its ledger keeps their keys.",
    changes: [replaceIn('source-refused-item-keeps-what-it-made', 'kept', '{ ...kept, keys: [] }')],
  },
  {
    name: 'source-conflict-without-note',
    rule: 'A touch that writes a base item made by several source items leaves a note about the conflict.',
    changes: [drop('source-notes-a-conflict')],
  },
  {
    name: 'source-walk-leaves-source-keys',
    rule: 'A walk touches every key of the source.',
    changes: [setCondition('source-walk-touches-source-keys', "phase === 'items' && place.items < 0")],
  },
  {
    name: 'source-walk-leaves-ledger-keys',
    rule: 'A walk touches every key that outputs were made from, because its source item may be gone.',
    changes: [drop('source-walk-touches-ledger-keys')],
  },
  {
    name: 'source-head-read-before-ledger',
    rule: 'A touch reads the head after the ledger.',
    changes: [
      insertBefore('source-ledger-is-read-first', 'await requireInForce(context);\nread = undefined;'),
      drop('source-head-is-read-behind-the-ledger'),
    ],
  },
  {
    name: 'source-conflict-reads-the-ledger-alone',
    rule: 'A touch that another touch overtakes begins again with all of its reads.',
    changes: [
      addToFile('source-is-read-in-each-round', 'const kept = new WeakMap<TouchRun, Map<string, unknown>>();'),
      setValue('source-is-read-in-each-round', (old) => `await keptItem(kept, run, key, async () => ${old})`),
      addToFile(
        'source-is-read-in-each-round',
        `async function keptItem(all: WeakMap<TouchRun, Map<string, unknown>>, run: TouchRun, key: string, read: () => Promise<SourceItem | undefined>) {
  const own = all.get(run) ?? new Map<string, unknown>();
  all.set(run, own);
  if (!own.has(key)) own.set(key, await read());
  return own.get(key) as SourceItem | undefined;
}`,
      ),
    ],
  },
  {
    name: 'source-ledger-cut-unseen',
    rule: 'A touch removes keys from the ledger only if no newer touch has written the ledger.',
    changes: [
      insertBefore(
        'source-ledger-is-cut-under-its-token',
        'if (isLeft) await send({ ...putLedger(context, { ...held, keys: [...made.keys()].sort() }, own), condition: {} });',
      ),
      drop('source-ledger-is-cut-under-its-token'),
    ],
  },
  {
    name: 'source-write-is-sent-late',
    rule: 'A write is sent within fifteen minutes of the reads that it is based on.',
    changes: [setCondition('source-write-is-sent-in-time', 'now() < readAt')],
  },
  {
    name: 'source-walk-begins-at-once',
    rule: 'A walk begins only when no write of the earlier mapping version can arrive any more.',
    changes: [drop('source-walk-begins-behind-late-writes')],
  },
  {
    name: 'source-head-may-be-old',
    rule: 'The head is read consistently.',
    changes: [replaceIn('source-head-is-read-consistently', 'true', 'false')],
  },
  {
    name: 'source-touch-goes-on-with-other-content',
    rule: 'A touch continues where another touch stopped only if both make the same outputs in the same sync.',
    changes: [setValue('source-touch-goes-on-with-what-it-began', 'ledger.part !== undefined && hash !== ""')],
  },
  {
    name: 'source-gone-claim-is-forgotten',
    rule: 'An ended claim keeps its token.',
    changes: [
      replace(
        'source-gone-claim-keeps-its-token',
        'if (content === undefined) byMaker.delete(maker);\nelse byMaker.set(maker, { token, content });',
      ),
    ],
  },
  {
    name: 'source-equal-content-keeps-its-token',
    rule: 'A touch writes even equal content, so that its claim takes the new token.',
    changes: [
      insertBefore(
        'source-equal-content-takes-the-token',
        'const was = claimsOf(graph, (await context.store.get(key, { consistent: true })).item)?.byMaker.get(maker)?.content;\nif (was !== undefined && JSON.stringify(was) === JSON.stringify(claim.content)) return;',
      ),
    ],
  },
  {
    name: 'source-ledger-of-nothing-expires-at-once',
    rule: 'A ledger that names no outputs is kept for longer than any write can take to arrive.',
    changes: [setValue('source-ledger-of-nothing-outlives-every-write', '1')],
  },
];
