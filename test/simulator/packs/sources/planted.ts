import { addToFile, drop, insertBefore, replace, replaceIn, setCondition, setValue } from '../../planted/changes.ts';
import type { Mutant } from '../../planted/mutant.ts';

/** Rules of sources, broken one by one; each has to make a schedule of the attack fail. */
export const SOURCES_MUTANTS: readonly Mutant[] = [
  {
    name: 'source-is-read-before-its-ledger',
    rule: 'The ledger is read before the source.',
    changes: [
      insertBefore('source-ledger-is-read-first', 'const early = await context.access.read(key);\nread = undefined;'),
      setValue('source-is-read-in-each-round', 'early'),
    ],
  },
  {
    name: 'source-ledger-written-unseen',
    rule: 'The ledger is written only as it was read.',
    changes: [setValue('source-ledger-is-written-as-it-was-read', 'seen === undefined ? { absent: [] } : {}')],
  },
  {
    name: 'source-token-used-again',
    rule: "Each touch moves the ledger's revision: it is the touch's token.",
    changes: [setValue('source-token-is-a-new-revision', 'Math.max(ledger.token, 1)')],
  },
  {
    name: 'source-equal-ledger-unwritten',
    rule: 'The ledger is written always, also where its keys stay as they are.',
    changes: [setValue('source-ledger-is-written-ahead', (old) => `keys.length === ledger.keys.length || (${old})`)],
  },
  {
    name: 'source-ledger-forgets-old-keys',
    rule: 'The ledger has old keys and new ones before an output is written.',
    changes: [replaceIn('source-ledger-has-old-and-new-keys', '[...ledger.keys, ...made.keys()]', '[...made.keys()]')],
  },
  {
    name: 'source-writes-over-anything',
    rule: 'An output is written only over an older claim of its own maker, where it is the only one.',
    changes: [setValue('source-writes-over-its-older-claim-alone', '{}')],
  },
  {
    name: 'source-older-claim-comes-back',
    rule: 'A newer claim of the same maker stays.',
    changes: [setCondition('source-a-newer-claim-stays', 'own < 0')],
  },
  {
    name: 'source-shared-item-written-unseen',
    rule: 'An output with several claims is written only as it was seen.',
    changes: [setValue('source-shared-item-is-written-as-it-was-seen', 'current === undefined ? {} : {}')],
  },
  {
    name: 'source-shows-whom-it-heard-last',
    rule: 'What an output shows follows from its claims alone.',
    changes: [setValue('source-the-first-claim-is-shown', "declared.length < 0 ? '' : maker")],
  },
  {
    name: 'source-tombstones-expire-at-once',
    rule: 'A claim that has gone is remembered for longer than any write can take.',
    changes: [setValue('source-tombstone-outlives-every-write', '1')],
  },
  {
    name: 'source-live-content-expires',
    rule: 'Live content takes the expiry of the tombstone away.',
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
    rule: 'A mapping that is not in force leaves its touches.',
    changes: [
      setCondition('source-another-mapping-leaves-the-touch', "head !== undefined && head.state.version !== ''"),
    ],
  },
  {
    name: 'source-refused-item-forgets',
    rule: 'A source item that is not mapped keeps what it made, in its ledger too.',
    changes: [replaceIn('source-refused-item-keeps-what-it-made', 'kept', '{ ...kept, keys: [] }')],
  },
  {
    name: 'source-conflict-without-note',
    rule: 'Whoever writes a base item that several source items make leaves a note.',
    changes: [drop('source-notes-a-conflict')],
  },
  {
    name: 'source-walk-leaves-source-keys',
    rule: 'A walk touches every key of the source.',
    changes: [setCondition('source-walk-touches-source-keys', "phase === 'items' && place.items < 0")],
  },
  {
    name: 'source-walk-leaves-ledger-keys',
    rule: 'A walk touches every key that something was made of.',
    changes: [drop('source-walk-touches-ledger-keys')],
  },
  {
    name: 'source-head-read-before-ledger',
    rule: 'The head is read behind the ledger.',
    changes: [
      insertBefore('source-ledger-is-read-first', 'await requireInForce(context);\nread = undefined;'),
      drop('source-head-is-read-behind-the-ledger'),
    ],
  },
  {
    name: 'source-conflict-reads-the-ledger-alone',
    rule: 'A touch that is overtaken begins again with all its reads.',
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
    rule: 'A ledger is cut down only if no newer touch has written it.',
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
    rule: 'A write is sent within fifteen minutes of the reads that it rests on.',
    changes: [setCondition('source-write-is-sent-in-time', 'now() < readAt')],
  },
  {
    name: 'source-walk-begins-at-once',
    rule: 'A walk begins when no write of the version before can land any more.',
    changes: [drop('source-walk-begins-behind-late-writes')],
  },
  {
    name: 'source-head-may-be-old',
    rule: 'The head is read consistently.',
    changes: [replaceIn('source-head-is-read-consistently', 'true', 'false')],
  },
  {
    name: 'source-touch-goes-on-with-other-content',
    rule: 'A touch goes on where another one stopped only if the item makes the same.',
    changes: [setValue('source-touch-goes-on-with-what-it-began', 'ledger.part !== undefined && hash !== ""')],
  },
  {
    name: 'source-gone-claim-is-forgotten',
    rule: 'A claim that has gone keeps its token.',
    changes: [
      replace(
        'source-gone-claim-keeps-its-token',
        'if (content === undefined) byMaker.delete(maker);\nelse byMaker.set(maker, { token, content });',
      ),
    ],
  },
  {
    name: 'source-equal-content-keeps-its-token',
    rule: 'Equal content is written too: its claim takes the new token.',
    changes: [
      insertBefore(
        'source-equal-content-takes-the-token',
        'const was = claimsOf(graph, (await context.store.get(key, { consistent: true })).item)?.byMaker.get(maker)?.content;\nif (was !== undefined && JSON.stringify(was) === JSON.stringify(claim.content)) return;',
      ),
    ],
  },
  {
    name: 'source-ledger-of-nothing-expires-at-once',
    rule: 'A ledger of nothing is remembered for longer than any write can take.',
    changes: [setValue('source-ledger-of-nothing-outlives-every-write', '1')],
  },
];
