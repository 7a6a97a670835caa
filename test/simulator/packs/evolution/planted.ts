import {
  addToFile,
  drop,
  insertAfter,
  insertBefore,
  moveBehind,
  replace,
  replaceIn,
  setCondition,
  setProperty,
  setValue,
} from '../../planted/changes.ts';
import type { Mutant } from '../../planted/mutant.ts';

/** Planted in the rules that totals of edges and parts of nodes have while a model changes. */
const TOTALS_AND_PARTS: readonly Mutant[] = [
  {
    name: 'evolution-group-recomputed',
    rule: 'The old value of an edge is that in its entry, also when its group changes while a generation is built.',
    changes: [
      replace(
        'entry-names-its-values',
        `const renamed = current && expected?.ledger && current.counted ? { ...current, ledger: expected.ledger } : current;
  addAmounts(difference, amountsOf(renamed, countName), -1n);`,
      ),
    ],
  },
  {
    name: 'evolution-total-of-the-first-generation',
    rule: 'A total is read in the generation that is ready.',
    changes: [
      setValue(
        'total-is-read-in-its-generation',
        '(isInbound ? totalInGeneration(type, {}) : countInGeneration(type, {})).places',
      ),
    ],
  },
  {
    name: 'evolution-generations-share-a-total',
    rule: 'Each generation has a total of its own.',
    changes: [insertBefore('each-generation-has-a-total-of-its-own', 'kept = { ...kept, generation: 1 };')],
  },
  {
    name: 'evolution-total-left-behind',
    rule: 'The totals of a generation that is gone are garbage.',
    changes: [setProperty('totals-belong-to-their-generation', 'projectionOf', '() => undefined')],
  },
  {
    name: 'evolution-entries-left-behind',
    rule: 'The entries of a generation that is gone are garbage.',
    changes: [setProperty('entries-belong-to-their-generation', 'projectionOf', '() => undefined')],
  },
  {
    name: 'evolution-entry-of-no-edge-left',
    rule: 'A build takes out of a total what no edge asks for.',
    changes: [drop('backfill-removes-entries-of-no-edge')],
  },
  {
    name: 'evolution-counts-believed',
    rule: 'Counts from before the registry are counted again: writers without it changed items without them.',
    changes: [setCondition('counts-of-the-first-generation-are-counted-again', 'key.generation === 0')],
  },
  {
    name: 'evolution-order-built-without-parts',
    rule: 'A build of an order by a part reads the part with its node.',
    changes: [setValue('build-reads-parts-with-their-node', 'ids.map((source) => [{ source, target: source }])')],
  },
  {
    name: 'evolution-part-view-used-unready',
    rule: 'A part is read itself until its view is ready.',
    changes: [
      setValue('part-is-read-itself-until-its-view-is-ready', 'view && partInGeneration(view, found?.kept ?? {})'),
    ],
  },
];

/** Planted in the rules by which migrations add and delete the indexes of native lists. */
const INDEXES: readonly Mutant[] = [
  {
    name: 'evolution-native-list-ready-unfilled',
    rule: 'An index is filled before readers use it.',
    changes: [setValue('index-is-filled-before-readers-use-it', '[] as string[]')],
  },
  {
    name: 'evolution-native-list-read-unready',
    rule: 'A native list is read while its index is ready.',
    changes: [drop('native-list-is-read-while-its-index-is-ready')],
  },
  {
    name: 'evolution-indexes-looked-at-once',
    rule: 'A run looks at the indexes of the table before each step: another run may delete one.',
    changes: [
      setValue(
        'indexes-are-looked-at-before-each-step',
        '((this.memory as unknown as { indexes?: readonly string[] }).indexes ??= await this.work.missingIndexes())',
      ),
    ],
  },
  {
    name: 'evolution-deleted-index-kept-again',
    rule: 'An index that is deleted is gone before a migration adds it again.',
    changes: [setValue('deleted-index-is-gone-before-it-is-added-again', 'undefined as Step | undefined')],
  },
  {
    name: 'evolution-index-forgotten-at-once',
    rule: 'A late deletion of an index has landed before the index is forgotten.',
    changes: [setValue('late-deletion-of-an-index-lands-before-it-is-forgotten', 'outlastStep(open, situation)')],
  },
  {
    name: 'evolution-index-deleted-after-it-came-back',
    rule: 'An index is deleted while it is retired.',
    changes: [drop('index-is-deleted-while-it-is-retired')],
  },
  {
    name: 'evolution-index-deleted-long-after-the-look',
    rule: 'An index is deleted soon after a look at the registry.',
    changes: [setValue('index-is-deleted-soon-after-the-look', '(): boolean => lookedAtMs > 0')],
  },
  {
    name: 'evolution-error-counts-after-the-lease',
    rule: 'An error of a read counts while the lease holds.',
    changes: [
      setValue('error-counts-while-the-lease-holds', 'await read(lease.projections).then((result) => () => result)'),
    ],
  },
];

/** Planted in the rules that the observer has for model changes. */
const OBSERVED: readonly Mutant[] = [
  {
    name: 'evolution-observer-tells-of-what-is-built',
    rule: 'A part of what is built is no drift.',
    changes: [drop('part-of-what-is-built-is-no-drift')],
  },
  {
    name: 'evolution-observer-judges-views-of-another-shape',
    rule: 'A view of another shape is used by no reader, so that none of its parts is drift.',
    changes: [drop('view-of-another-shape-is-left-alone')],
  },
  {
    name: 'evolution-observer-repairs-what-is-not-registered',
    rule: 'An observer that repairs leaves items alone that the registry does not know.',
    changes: [setCondition('observer-leaves-unknown-items-alone', 'item === undefined')],
  },
  {
    name: 'evolution-observer-keeps-its-base-when-more-is-ready',
    rule: 'When readers use more than before, another check of the whole table is the base.',
    changes: [drop('base-ends-when-more-is-ready')],
  },
  {
    name: 'evolution-observer-keeps-its-time-without-a-base',
    rule: 'The verified time goes with a base that has not judged all that readers use.',
    changes: [drop('time-is-withdrawn-with-the-base')],
  },
  {
    name: 'evolution-observer-forgets-what-was-ready',
    rule: 'Another process of the observer knows what readers used before.',
    changes: [setValue('ready-names-are-kept-across-restarts', 'undefined')],
  },
  {
    name: 'evolution-observer-judges-what-is-not-registered',
    rule: 'The observer tells of an item that the registry has no place for as that, whatever it holds.',
    changes: [drop('item-that-the-registry-lacks-is-judged-as-such')],
  },
];

/** Planted in the rules of changing a model: the number is that of the rule in docs/decisions/039-the-rules-of-a-model-change.md. */
export const EVOLUTION_MUTANTS: readonly Mutant[] = [
  {
    name: 'evolution-ids-again',
    rule: '1: an id is never used again.',
    changes: [insertBefore('ids-are-not-used-again', 'added.id = generations.length + 1;')],
  },
  {
    name: 'evolution-own-model',
    rule: '2: writers maintain what the registry keeps, not their own model.',
    changes: [setValue('writer-maintains-what-the-registry-keeps', 'own')],
  },
  {
    name: 'evolution-code-skipped',
    rule: '2: a writer without the code for a projection applies nothing of the batch.',
    changes: [
      replace(
        'missing-code-holds-up-the-batch',
        "if (compute === undefined) return { kind: 'derive', compute: () => undefined, version };",
      ),
    ],
  },
  {
    name: 'evolution-head-before',
    rule: '2: the registry is read after the records are held, not once for all batches.',
    changes: [insertBefore('registry-is-read-after-the-records-are-held', 'model: world.staleModel(graph),')],
  },
  {
    name: 'evolution-ready-unbuilt',
    rule: '4: kept becomes ready only after a backfill under that id.',
    changes: [setValue('ready-after-a-backfill', (old) => `${old}.filter(({ id }) => id < 0)`)],
  },
  {
    name: 'evolution-no-lease-waited',
    rule: '4: before a generation is left off, a run sees it unready for a full lease.',
    changes: [replaceIn('run-waits-for-a-full-lease', 'LEASE_MS', '1')],
  },
  {
    name: 'evolution-other-meaning',
    rule: '5: a generation of another meaning is no substitute.',
    changes: [
      replaceIn('reader-uses-its-own-meaning', 'meaningsOf(stored)', '(definitionsOf(own).get(name)?.meanings ?? [])'),
    ],
  },
  {
    name: 'evolution-not-ready-used',
    rule: '5: what is being built is not for readers.',
    changes: [replaceIn('reader-uses-what-is-ready', "state !== 'ready'", "state === 'retired'")],
  },
  {
    name: 'evolution-stamp-unread',
    rule: "6: a reader uses a view only if its stamp is the last generation's.",
    changes: [
      replaceIn(
        'reader-uses-views-of-the-generation',
        'stringOf(view[MODEL]) === stampText(ready.id)',
        'stringOf(view[MODEL]) !== undefined',
      ),
    ],
  },
  {
    name: 'evolution-unready-views-used',
    rule: '6: readers use no view while views are built, or about to be replaced.',
    changes: [setValue('reader-uses-views-that-are-ready', "state !== 'retired'")],
  },
  {
    name: 'evolution-other-views-used',
    rule: "6: a reader uses views of its own model's definition alone.",
    changes: [setCondition('reader-uses-views-of-its-own-definition', 'false')],
  },
  {
    name: 'evolution-other-shape-patched',
    rule: '6: a writer that meets another stamp makes the whole view anew.',
    changes: [
      replaceIn(
        'views-of-another-shape-are-made-whole',
        'stringOf(view[MODEL]) !== shape.stamp',
        'stringOf(view[MODEL]) === undefined',
      ),
    ],
  },
  {
    name: 'evolution-kept-compared',
    rule: '10: what is being built is pending for a check, and no drift.',
    changes: [
      replaceIn('check-compares-what-is-ready', "state === 'ready'", "state !== 'retired'"),
      setCondition('building-items-are-pending', "known.state !== 'retired'"),
    ],
  },
  {
    name: 'evolution-retired-left',
    rule: '10: items of retired ids are garbage.',
    changes: [setProperty('retired-items-are-garbage', 'kind', "'changing'")],
  },
  {
    name: 'evolution-check-forgets-registry',
    rule: '10: a check reads the registry again before it finds or mends anything.',
    changes: [setCondition('check-reads-the-registry-again', '(await model.current()) !== undefined')],
  },
  {
    name: 'evolution-lease-unchecked',
    rule: '5: an answer counts only while the lease holds.',
    changes: [drop('answer-counts-while-the-lease-holds')],
  },
  {
    name: 'evolution-missing-view-begun',
    rule: '7: until views are ready, a writer that finds none makes it whole.',
    changes: [replaceIn('missing-view-is-made-whole-until-the-shape-is-ready', '!shape.ready', 'false')],
  },
  {
    name: 'evolution-head-of-an-earlier-batch',
    rule: '3: a consumer reads the model after it has the records, for each batch.',
    changes: [
      addToFile('head-is-read-after-the-records', 'const firstModels = new WeakMap<object, CompiledModel>();'),
      setValue('head-is-read-after-the-records', (old) => `firstModels.get(this) ?? (${old})`),
      insertAfter(
        'head-is-read-after-the-records',
        'if (graph !== undefined && !(graph instanceof EdgeloomError)) firstModels.set(this, graph);',
      ),
    ],
  },
  {
    name: 'evolution-read-ahead-by-an-earlier-model',
    rule: '3: what a consumer names by the model of an earlier batch counts only if the head still has that model.',
    changes: [
      replaceIn('read-ahead-counts-under-the-same-model', 'guessed?.graph === context.graph', 'guessed !== undefined'),
    ],
  },
  {
    name: 'evolution-index-unverified',
    rule: '8: a generation is verified through its index.',
    changes: [setProperty('generation-is-verified-through-its-index', 'walk', 'async () => undefined')],
  },
  {
    name: 'evolution-index-not-looked-through',
    rule: '8: a generation is not ready while its index shows what is there no more.',
    changes: [setValue('index-shows-nothing-that-is-gone', 'own.slice(0, 0)')],
  },
  {
    name: 'evolution-registry-before-items',
    rule: '10: a check judges what it met by a registry that it has read after it.',
    changes: [
      replace(
        'check-reads-the-registry-again',
        `const first = await model.current();
        if (first === began) return new Set();`,
      ),
      setValue('items-are-judged-by-a-registry-read-after-them', 'first'),
    ],
  },
  {
    name: 'evolution-strays-left',
    rule: '9: the backfill removes what no base item wants.',
    changes: [drop('backfill-removes-strays')],
  },
  {
    name: 'evolution-plain-keys-again',
    rule: '1: what is added to a registered table does not begin with the plain keys.',
    changes: [replaceIn('added-projection-begins-beyond-plain-keys', 'firstIdOf(registry)', '1')],
  },
  {
    name: 'evolution-generations-again',
    rule: '1: a registry that is made anew gives out no id again.',
    changes: [setValue('new-registry-gives-no-generation-again', '2')],
  },
  {
    name: 'evolution-added-projection-begins-again',
    rule: '1: a projection that is added to a registry that was made anew begins with no id of one before.',
    changes: [replaceIn('added-projection-begins-beyond-plain-keys', 'firstIdOf(registry)', '2')],
  },
  {
    name: 'evolution-head-blind',
    rule: '1: a write of the registry is conditional on the revision that it was made from.',
    changes: [setProperty('registry-is-written-under-the-revision-read', 'condition', "{ kind: 'none' }")],
  },
  {
    name: 'evolution-redrive-own-model',
    rule: '2: a redrive maintains what the registry keeps, too.',
    changes: [
      setProperty(
        'redrive-maintains-what-the-registry-keeps',
        'model',
        (old) => `${old} ?? { current: async () => graph }`,
      ),
    ],
  },
  {
    name: 'evolution-two-steps-at-once',
    rule: '4: what is ready becomes building before it is retired.',
    changes: [replaceIn('ready-becomes-building-before-retired', "'building'", "'retired'")],
  },
  {
    name: 'evolution-seen-for-ever',
    rule: '4: a run waits for a lease in the very state that it leaves; what came back since is seen anew.',
    changes: [replaceIn('state-that-comes-back-is-seen-again', 'changed', '0')],
  },
  {
    name: 'evolution-lease-from-answer',
    rule: '5: a lease counts from before the registry was read.',
    changes: [setProperty('lease-counts-from-before-the-read', 'startedAt', 'moment()')],
  },
  {
    name: 'evolution-steady-clock-alone',
    rule: '5: a lease ends when either clock says so.',
    changes: [setValue('time-passes-by-either-clock', 'steadyMs >= milliseconds')],
  },
  {
    name: 'evolution-clock-set-back',
    rule: '5: a lease ends when the wall clock goes back.',
    changes: [replaceIn('time-passes-by-either-clock', 'wallMs < 0', 'false')],
  },
  {
    name: 'evolution-renewal-of-before',
    rule: '5: the lease that an answer counts by holds when its last page comes.',
    changes: [replace('answer-counts-while-the-lease-holds', (old) => old.replace('while', 'if'))],
  },
  {
    name: 'evolution-enforced-at-once',
    rule: '12: a table that holds something is announced for a full lease before writers go by its registry.',
    changes: [setValue('table-with-items-is-announced-for-a-lease', 'undefined')],
  },
  {
    name: 'evolution-announced-maintained',
    rule: '12: until a registry is enforced, writers go on as without one.',
    changes: [drop('announced-registry-is-not-maintained')],
  },
  {
    name: 'evolution-session-of-this-lease',
    rule: '14: a session lets go of what agrees with all that writers maintain.',
    changes: [setValue('session-compares-all-that-is-kept', 'projections.model')],
  },
  {
    name: 'evolution-ready-at-once',
    rule: '13: what is ready was written so long ago that every replica shows it.',
    changes: [replaceIn('ready-is-on-every-replica', 'REPLICA_LAG_MS', '0')],
  },
  {
    name: 'evolution-replaced-at-once',
    rule: '6: before views are replaced, they are out of use for a full lease.',
    changes: [setValue('replaced-views-are-out-of-use-for-a-lease', 'undefined')],
  },
  {
    name: 'evolution-parents-unread',
    rule: '6: a reader that reads base items in the place of a view reads the nodes that edges copy, too.',
    changes: [
      setCondition('base-items-instead-of-a-view-bring-their-parents', (old) => `${old} && copying.length > 99`),
    ],
  },
  {
    name: 'evolution-unknown-mended',
    rule: '10: what the registry does not know is reported, and never mended or deleted.',
    changes: [setProperty('unknown-items-are-left-alone', 'kind', "'retired'")],
  },
  {
    name: 'evolution-unknown-redriven',
    rule: '10: a redrive leaves items alone whose generation nothing maintains: their count would not move with them.',
    changes: [setValue('redrive-leaves-unknown-generations-alone', (old) => `${old} || sortKey !== ''`)],
  },
  {
    name: 'evolution-unready-views-compared',
    rule: '10: views that are not ready are pending for a check, and no drift.',
    changes: [setProperty('unready-views-are-pending', 'kind', "'compared'")],
  },
  {
    name: 'evolution-reverse-items-left',
    rule: '10: after views copy again, no reverse item is left of an edge that went meanwhile.',
    changes: [drop('no-reverse-item-is-left')],
  },
  {
    name: 'evolution-copying-fan-out-left-open',
    rule: '10: no fan-out stays open after views have left off copying.',
    changes: [drop('views-that-leave-off-copying-end-fan-outs')],
  },
  {
    name: 'evolution-joined-fan-out-left-open',
    rule: '10: no fan-out stays open after the last order has gone that a source node decides.',
    changes: [drop('orders-that-go-end-fan-outs')],
  },
  {
    name: 'evolution-fan-out-ended-by-an-older-registry',
    rule: '10: a migration ends a fan-out by a registry that it reads after that, not by the one that it began with.',
    changes: [
      setValue(
        'fan-out-is-judged-by-a-registry-read-after-it',
        (old) => `graph.edges.get('AB')?.copy === undefined ? (): boolean => false : ${old}`,
      ),
    ],
  },
  {
    name: 'evolution-unneeded-continuation-left-open',
    rule: '10: the record of a fan-out that nothing needs ends it: no other record would, when something needs such fan-outs again.',
    changes: [setValue('continuation-that-nothing-needs-is-ended', 'false as boolean')],
  },
  {
    name: 'evolution-continuation-ended-without-a-registry',
    rule: '10: without a registry nobody knows what other consumers need: a fan-out stays.',
    changes: [setValue('continuation-that-nothing-needs-is-ended', '!isKept')],
  },
  {
    name: 'evolution-later-fan-out-ended',
    rule: '10: a record ends the fan-out that it tells of, and none that was asked for since.',
    changes: [
      setCondition(
        'continuation-ends-from-the-revision-of-its-record',
        'item === undefined || place === undefined || (!touch.isEnding && revisionOf(item) !== touch.revision)',
      ),
    ],
  },
  {
    name: 'evolution-open-fan-outs-unfound',
    rule: '10: a fan-out that a late writer leaves open, and that nothing needs, is garbage.',
    changes: [setCondition('open-fan-outs-that-nothing-needs-are-garbage', (old) => `${old} && sortKey === ''`)],
  },
  {
    name: 'evolution-fan-out-repaired-by-an-older-registry',
    rule: '10: a repair ends a fan-out by a registry that it reads after that.',
    changes: [
      setValue('repair-reads-the-registry-after-a-fan-out', 'isFanOut && model === undefined ? graph : undefined'),
    ],
  },
  {
    name: 'evolution-restore-unnoticed',
    rule: '4: of a restored table nothing counts as ready until it is verified.',
    changes: [setCondition('restored-table-is-doubted', (old) => `${old} && table.id === undefined`)],
  },
  {
    name: 'evolution-restored-views-kept',
    rule: '6: views of a restored table are of another generation than those to come.',
    changes: [setValue('restored-views-are-of-another-generation', 'false')],
  },
  {
    name: 'evolution-reverse-items-after-copies',
    rule: '6: a view that is made whole has its reverse items before the nodes are read that it copies.',
    changes: [moveBehind('reverse-items-before-the-copies-of-a-view-made-whole')],
  },
  {
    name: 'count-of-no-set',
    rule: 'A count that is not ready is that of the base edges, also where no set lists them.',
    changes: [setCondition('count-that-is-not-ready-is-of-base-edges', (old) => `${old} || element === undefined`)],
  },
  {
    name: 'list-is-code',
    rule: 'Every consumer has the code of a list of nodes.',
    changes: [replaceIn('every-consumer-has-the-code-of-a-list', 'codeOfNodeList(name)', 'undefined')],
  },
  {
    name: 'code-for-what-goes',
    rule: 'What only goes needs no function of what it was.',
    changes: [setCondition('what-goes-needs-no-code', 'true')],
  },
  {
    name: 'code-for-what-is-replaced',
    rule: 'Views that a migration replaces need no function of what they were.',
    changes: [setCondition('replaced-views-need-no-code', (old) => `${old} || name !== ''`)],
  },
  {
    name: 'evolution-walk-done-early',
    rule: 'A walk that is dealt out is done when all of its shares are.',
    changes: [replaceIn('walk-is-done-when-all-shares-are', 'all.some(isShareOpen)', 'all.every(isShareOpen)')],
  },
  {
    name: 'evolution-runs-replace-each-other',
    rule: 'Of two runs to different models that replace each other again and again, one ends.',
    changes: [setCondition('runs-of-two-models-do-not-replace-each-other-for-ever', 'false')],
  },
  {
    name: 'evolution-runs-take-back-each-others-steps',
    rule: 'Of two runs to different models that take back the steps of each other again and again, one ends.',
    changes: [setCondition('runs-do-not-take-back-each-others-steps-for-ever', 'false')],
  },
  {
    name: 'evolution-shares-of-another-walk',
    rule: 'A walk has shares of its own: those of the walk before say nothing about it.',
    changes: [setValue('walk-has-shares-of-its-own', "'plan'")],
  },
  {
    name: 'stamps-again',
    rule: 'A registry that is made anew stamps no view as one before did.',
    changes: [setValue('new-registry-stamps-no-view-again', '1')],
  },
  {
    name: 'evolution-added-type-stamps-again',
    rule: 'A type that is added to a registry that was made anew stamps no view as one before did.',
    changes: [setValue('unknown-name-begins-with-the-registry', '1')],
  },
  {
    name: 'cursor-of-a-native-order-goes-on-in-a-derived-one',
    rule: 'A cursor of an order that DynamoDB keeps goes on in no derived one, nor the other way round.',
    changes: [drop('cursor-of-a-native-order-is-of-no-other')],
  },
  ...TOTALS_AND_PARTS,
  ...INDEXES,
  ...OBSERVED,
];
