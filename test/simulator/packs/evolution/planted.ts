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
    rule: "A write subtracts the old values that are stored in an edge's entry, even if the edge's group changes while a generation is built.",
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
    rule: 'Readers read a total in the generation that is ready.',
    changes: [
      setValue(
        'total-is-read-in-its-generation',
        "(direction === 'inbound' ? totalInGeneration(type, {}) : countInGeneration(type, {})).places",
      ),
    ],
  },
  {
    name: 'evolution-generations-share-a-total',
    rule: 'Each generation has its own total.',
    changes: [insertBefore('each-generation-has-a-total-of-its-own', 'kept = { ...kept, generation: 1 };')],
  },
  {
    name: 'evolution-total-left-behind',
    rule: 'The totals of a removed generation are garbage.',
    changes: [setProperty('totals-belong-to-their-generation', 'projectionOf', '() => undefined')],
  },
  {
    name: 'evolution-entries-left-behind',
    rule: 'The total entries of a removed generation are garbage.',
    changes: [setProperty('entries-belong-to-their-generation', 'projectionOf', '() => undefined')],
  },
  {
    name: 'evolution-entry-of-no-edge-left',
    rule: 'A backfill removes an entry from a total if no edge asks for it.',
    changes: [insertBefore('backfill-removes-entries-of-no-edge', "if (kind.decidedBy === 'edge-elsewhere') return;")],
  },
  {
    name: 'evolution-counts-believed',
    rule: 'A backfill recomputes counts from before the registry, because writers without a registry may have changed items without updating the counts.',
    changes: [setCondition('counts-of-the-first-generation-are-counted-again', '!kind.hasBase')],
  },
  {
    name: 'evolution-order-built-without-parts',
    rule: 'The backfill of an order that depends on a part of a node reads the part together with the node.',
    changes: [setValue('build-reads-parts-with-their-node', 'ids.map((source) => [{ source, target: source }])')],
  },
  {
    name: 'evolution-part-view-used-unready',
    rule: 'Until the view of a part is ready, readers read the part itself.',
    changes: [
      setValue('part-is-read-itself-until-its-view-is-ready', 'view && partInGeneration(view, found?.kept ?? {})'),
    ],
  },
];

/** Planted in the rules by which migrations add and delete the indexes of native lists. */
const INDEXES: readonly Mutant[] = [
  {
    name: 'evolution-native-list-ready-unfilled',
    rule: 'An index is created and filled before readers use it.',
    changes: [setValue('index-is-filled-before-readers-use-it', '[] as string[]')],
  },
  {
    name: 'evolution-native-list-read-unready',
    rule: 'A native list is read only while its index is ready.',
    changes: [drop('native-list-is-read-while-its-index-is-ready')],
  },
  {
    name: 'evolution-indexes-looked-at-once',
    rule: "A run looks at the table's indexes before each step, because another run may delete one.",
    changes: [
      setValue(
        'indexes-are-looked-at-before-each-step',
        '((this.memory as unknown as { indexes?: readonly string[] }).indexes ??= await this.work.missingIndexes())',
      ),
    ],
  },
  {
    name: 'evolution-deleted-index-kept-again',
    rule: 'An index that is being deleted is gone before a migration adds it again.',
    changes: [setValue('deleted-index-is-gone-before-it-is-added-again', 'undefined as Step | undefined')],
  },
  {
    name: 'evolution-index-forgotten-at-once',
    rule: 'The registry forgets an index only after any late deletion of the index has taken effect.',
    changes: [setValue('late-deletion-of-an-index-lands-before-it-is-forgotten', 'outlastStep(open, situation)')],
  },
  {
    name: 'evolution-index-deleted-after-it-came-back',
    rule: 'A run deletes an index only while the registry says that it is retired.',
    changes: [drop('index-is-deleted-while-it-is-retired')],
  },
  {
    name: 'evolution-index-deleted-long-after-the-look',
    rule: 'A run deletes an index only soon after it has read the registry, because another run may bring the index back.',
    changes: [setValue('index-is-deleted-soon-after-the-look', '(): boolean => lookedAtMs > 0')],
  },
  {
    name: 'evolution-error-counts-after-the-lease',
    rule: 'An error of a read counts only while the lease holds.',
    changes: [
      setValue('error-counts-while-the-lease-holds', 'await read(lease.projections).then((result) => () => result)'),
    ],
  },
];

/** Planted in the rules that the observer has for model changes. */
const OBSERVED: readonly Mutant[] = [
  {
    name: 'evolution-observer-tells-of-what-is-built',
    rule: "An item that a migration builds or removes isn't drift.",
    changes: [drop('part-of-what-is-built-is-no-drift')],
  },
  {
    name: 'evolution-observer-judges-views-of-another-shape',
    rule: 'No part of a view with another shape is drift, because no reader uses the view.',
    changes: [drop('view-of-another-shape-is-left-alone')],
  },
  {
    name: 'evolution-observer-repairs-what-is-not-registered',
    rule: "An observer never repairs items that the registry doesn't know.",
    changes: [setCondition('observer-leaves-unknown-items-alone', 'item === undefined')],
  },
  {
    name: 'evolution-observer-keeps-its-base-when-more-is-ready',
    rule: 'When readers begin to use another projection, the observer needs another check of the whole table as its base.',
    changes: [drop('base-ends-when-more-is-ready')],
  },
  {
    name: 'evolution-observer-keeps-its-time-without-a-base',
    rule: "The observer withdraws the verified time if its base hasn't judged every projection that readers use.",
    changes: [drop('time-is-withdrawn-with-the-base')],
  },
  {
    name: 'evolution-observer-forgets-what-was-ready',
    rule: 'After a restart, the observer still knows which projections readers used before.',
    changes: [setValue('ready-names-are-kept-across-restarts', 'undefined')],
  },
  {
    name: 'evolution-observer-judges-what-is-not-registered',
    rule: 'The observer reports an item that has no place in the registry as such, whatever the item contains.',
    changes: [drop('item-that-the-registry-lacks-is-judged-as-such')],
  },
];

/** Planted in the rules of changing a model: the number is that of the rule in docs/decisions/039-the-rules-of-a-model-change.md. */
export const EVOLUTION_MUTANTS: readonly Mutant[] = [
  {
    name: 'evolution-ids-again',
    rule: '1: the registry never uses an id again.',
    changes: [insertBefore('ids-are-not-used-again', 'added.id = generations.length + 1;')],
  },
  {
    name: 'evolution-own-model',
    rule: "2: writers maintain the registry's projections, not the projections of their own model.",
    changes: [setValue('writer-maintains-what-the-registry-keeps', 'own')],
  },
  {
    name: 'evolution-code-skipped',
    rule: '2: a writer that lacks the code of a projection applies no record of the batch.',
    changes: [
      replace(
        'missing-code-holds-up-the-batch',
        "if (compute === undefined) return { kind: 'derive', compute: () => undefined, version };",
      ),
    ],
  },
  {
    name: 'evolution-head-before',
    rule: '2: a consumer reads the registry for each batch, after it has received the records.',
    changes: [insertBefore('registry-is-read-after-the-records-are-held', 'model: world.staleModel(graph),')],
  },
  {
    name: 'evolution-ready-unbuilt',
    rule: '4: a generation becomes ready only after a backfill under its own id.',
    changes: [setValue('ready-after-a-backfill', (old) => `${old}.filter(({ id }) => id < 0)`)],
  },
  {
    name: 'evolution-no-lease-waited',
    rule: '4: before a run retires a generation, it sees the generation unready for a full lease.',
    changes: [replaceIn('run-waits-for-a-full-lease', 'LEASE_MS', '1')],
  },
  {
    name: 'evolution-other-meaning',
    rule: "5: a reader doesn't use a generation that has another meaning.",
    changes: [
      replaceIn('reader-uses-its-own-meaning', 'meaningsOf(stored)', '(definitionsOf(own).get(name)?.meanings ?? [])'),
    ],
  },
  {
    name: 'evolution-not-ready-used',
    rule: "5: a reader doesn't use a generation that is still being built.",
    changes: [replaceIn('reader-uses-what-is-ready', "state !== 'ready'", "state === 'retired'")],
  },
  {
    name: 'evolution-stamp-unread',
    rule: "6: a reader uses a view only if the view's stamp names the generation that is ready.",
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
    rule: '6: readers use no view of a type while its views are being built or are about to be replaced.',
    changes: [setValue('reader-uses-views-that-are-ready', "one.state !== 'retired'")],
  },
  {
    name: 'evolution-other-views-used',
    rule: '6: a reader uses views only if their definition is the one in its own model.',
    changes: [setCondition('reader-uses-views-of-its-own-definition', 'false')],
  },
  {
    name: 'evolution-other-shape-patched',
    rule: '6: a writer that finds a view with another stamp rebuilds the whole view.',
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
    rule: '10: a check reports items that are being built as pending, not as drift.',
    changes: [
      replaceIn('check-compares-what-is-ready', "state === 'ready'", "state !== 'retired'"),
      setCondition('building-items-are-pending', "known.state !== 'retired'"),
    ],
  },
  {
    name: 'evolution-retired-left',
    rule: '10: items under retired ids are garbage.',
    changes: [setProperty('retired-items-are-garbage', 'kind', "'changing'")],
  },
  {
    name: 'evolution-check-forgets-registry',
    rule: '10: a check reads the registry again before it reports or repairs anything.',
    changes: [setCondition('check-reads-the-registry-again', '(await model.current()) !== undefined')],
  },
  {
    name: 'evolution-lease-unchecked',
    rule: '5: an answer counts only if the lease still holds when the answer is complete.',
    changes: [drop('answer-counts-while-the-lease-holds')],
  },
  {
    name: 'evolution-missing-view-begun',
    rule: '7: until views are ready, a writer that finds no view builds the whole view.',
    changes: [replaceIn('missing-view-is-made-whole-until-the-shape-is-ready', '!shape.ready', 'false')],
  },
  {
    name: 'evolution-head-of-an-earlier-batch',
    rule: '2: a consumer reads the model for each batch, after it has received the records.',
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
    rule: '2: touches that a consumer computed with the model of an earlier batch count only if the head still has that model.',
    changes: [
      replaceIn('read-ahead-counts-under-the-same-model', 'guessed?.graph === context.graph', 'guessed !== undefined'),
    ],
  },
  {
    name: 'evolution-index-unverified',
    rule: '8: a generation is ready only after each of its items was found in the index.',
    changes: [setProperty('generation-is-verified-through-its-index', 'walk', 'async () => undefined')],
  },
  {
    name: 'evolution-index-not-looked-through',
    rule: "8: a generation isn't ready while its index still shows items that are gone from the table.",
    changes: [setValue('index-shows-nothing-that-is-gone', 'own.slice(0, 0)')],
  },
  {
    name: 'evolution-registry-before-items',
    rule: '10: a check judges items by a registry that it reads after the items.',
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
    rule: '9: the backfill removes derived items that no base item asks for.',
    changes: [drop('backfill-removes-strays')],
  },
  {
    name: 'evolution-plain-keys-again',
    rule: '1: a projection that is added to a registered table never gets the id of plain keys.',
    changes: [replaceIn('added-projection-begins-beyond-plain-keys', 'firstIdOf(registry)', '1')],
  },
  {
    name: 'evolution-generations-again',
    rule: '1: a registry that is created again gives out no id of an earlier registry.',
    changes: [setValue('new-registry-gives-no-generation-again', '2')],
  },
  {
    name: 'evolution-added-projection-begins-again',
    rule: '1: a projection that is added to a registry that was created again gets no id of an earlier registry.',
    changes: [replaceIn('added-projection-begins-beyond-plain-keys', 'firstIdOf(registry)', '2')],
  },
  {
    name: 'evolution-head-blind',
    rule: '1: a write of the registry is conditional on the revision that was read.',
    changes: [setProperty('registry-is-written-under-the-revision-read', 'condition', "{ kind: 'none' }")],
  },
  {
    name: 'evolution-redrive-own-model',
    rule: "2: a redrive maintains the registry's projections, not the projections of its own model.",
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
    rule: '4: a ready generation returns to building before it is retired.',
    changes: [replaceIn('ready-becomes-building-before-retired', "'building'", "'retired'")],
  },
  {
    name: 'evolution-seen-for-ever',
    rule: '4: a run waits a full lease in the state that it leaves, and waits again if that state has changed and come back.',
    changes: [replaceIn('state-that-comes-back-is-seen-again', 'changed', '0')],
  },
  {
    name: 'evolution-lease-from-answer',
    rule: '5: a lease starts before the registry is read, not when the response arrives.',
    changes: [setProperty('lease-counts-from-before-the-read', 'startedAt', 'moment()')],
  },
  {
    name: 'evolution-steady-clock-alone',
    rule: '5: a lease ends as soon as either clock says so.',
    changes: [setValue('time-passes-by-either-clock', 'steadyMs >= milliseconds')],
  },
  {
    name: 'evolution-clock-set-back',
    rule: '5: a lease ends when the wall clock goes back.',
    changes: [replaceIn('time-passes-by-either-clock', 'wallMs < 0', 'false')],
  },
  {
    name: 'evolution-renewal-of-before',
    rule: '5: a reader renews its lease until the lease covers the end of the read, because a single renewal may have begun too early.',
    changes: [replace('answer-counts-while-the-lease-holds', (old) => old.replace('while', 'if'))],
  },
  {
    name: 'evolution-enforced-at-once',
    rule: '12: the registry of a table with items is announced for a full lease before writers follow it.',
    changes: [setValue('table-with-items-is-announced-for-a-lease', 'undefined')],
  },
  {
    name: 'evolution-announced-maintained',
    rule: '12: until a registry is enforced, writers work as if there were none.',
    changes: [drop('announced-registry-is-not-maintained')],
  },
  {
    name: 'evolution-session-of-this-lease',
    rule: '14: a session drops a key only when all projections that writers maintain agree with the write.',
    changes: [setValue('session-compares-all-that-is-kept', 'projections.model')],
  },
  {
    name: 'evolution-ready-at-once',
    rule: "13: a migration pauses before it marks a generation as ready, so that every replica shows the generation's items.",
    changes: [replaceIn('ready-is-on-every-replica', 'REPLICA_LAG_MS', '0')],
  },
  {
    name: 'evolution-replaced-at-once',
    rule: "6: views are replaced only after a full lease in which they weren't ready.",
    changes: [setValue('replaced-views-are-out-of-use-for-a-lease', 'undefined')],
  },
  {
    name: 'evolution-parents-unread',
    rule: '6: a reader that reads base items instead of a view also reads the nodes that the edges copy from.',
    changes: [
      setCondition('base-items-instead-of-a-view-bring-their-parents', (old) => `${old} && copying.length > 99`),
    ],
  },
  {
    name: 'evolution-unknown-mended',
    rule: "10: items that the registry doesn't know are reported, but never repaired or deleted.",
    changes: [setProperty('unknown-items-are-left-alone', 'kind', "'retired'")],
  },
  {
    name: 'evolution-unknown-redriven',
    rule: "10: a redrive leaves an item alone if nothing maintains the item's generation, because the count wouldn't change with the item.",
    changes: [setValue('redrive-leaves-unknown-generations-alone', (old) => `${old} || sortKey !== ''`)],
  },
  {
    name: 'evolution-unready-views-compared',
    rule: "10: a check reports views that aren't ready as pending, not as drift.",
    changes: [setProperty('unready-views-are-pending', 'kind', "'compared'")],
  },
  {
    name: 'evolution-reverse-items-left',
    rule: "10: once views copy again, no reverse item remains of an edge that was deleted while they didn't copy.",
    changes: [drop('no-reverse-item-is-left')],
  },
  {
    name: 'evolution-copying-fan-out-left-open',
    rule: '10: no fan-out stays open after views have stopped copying.',
    changes: [drop('views-that-leave-off-copying-end-fan-outs')],
  },
  {
    name: 'evolution-joined-fan-out-left-open',
    rule: '10: no fan-out stays open after the last order that depends on a source node is gone.',
    changes: [drop('orders-that-go-end-fan-outs')],
  },
  {
    name: 'evolution-fan-out-ended-by-an-older-registry',
    rule: '10: a migration ends a fan-out by a registry that it reads after the fan-out, not by the registry that it began with.',
    changes: [
      setValue(
        'fan-out-is-judged-by-a-registry-read-after-it',
        (old) => `graph.edges.get('AB')?.copy === undefined ? (): boolean => false : ${old}`,
      ),
    ],
  },
  {
    name: 'evolution-unneeded-continuation-left-open',
    rule: '10: the record of a fan-out that nothing needs ends the fan-out, because no later record would end or continue it.',
    changes: [setValue('continuation-that-nothing-needs-is-ended', 'false as boolean')],
  },
  {
    name: 'evolution-continuation-ended-without-a-registry',
    rule: '10: without a registry, a consumer leaves a fan-out open, because consumers of another model may need it.',
    changes: [setValue('continuation-that-nothing-needs-is-ended', '!isKept')],
  },
  {
    name: 'evolution-later-fan-out-ended',
    rule: '10: a record ends only the fan-out that it is about, not a fan-out that was requested later.',
    changes: [
      setCondition(
        'continuation-ends-from-the-revision-of-its-record',
        'item === undefined || place === undefined || (!touch.isEnding && revisionOf(item) !== touch.revision)',
      ),
    ],
  },
  {
    name: 'evolution-open-fan-outs-unfound',
    rule: '10: a fan-out that a late writer leaves open and that nothing needs is garbage.',
    changes: [setCondition('open-fan-outs-that-nothing-needs-are-garbage', (old) => `${old} && sortKey === ''`)],
  },
  {
    name: 'evolution-fan-out-repaired-by-an-older-registry',
    rule: '10: a repair ends a fan-out by a registry that it reads after the fan-out.',
    changes: [
      setValue('repair-reads-the-registry-after-a-fan-out', 'isFanOut && model === undefined ? graph : undefined'),
    ],
  },
  {
    name: 'evolution-restore-unnoticed',
    rule: '4: nothing in a restored table counts as ready until a migration has verified it.',
    changes: [setCondition('restored-table-is-doubted', (old) => `${old} && table.id === undefined`)],
  },
  {
    name: 'evolution-restored-views-kept',
    rule: '6: the views of a restored table are rebuilt under a new id, because nothing in an old view shows that it may be wrong.',
    changes: [setValue('restored-views-are-of-another-generation', 'false')],
  },
  {
    name: 'evolution-reverse-items-after-copies',
    rule: '6: the reverse items of a rebuilt view are written before the nodes that the view copies are read.',
    changes: [moveBehind('reverse-items-before-the-copies-of-a-view-made-whole')],
  },
  {
    name: 'count-of-no-set',
    rule: "A count that isn't ready is computed from the base edges, including edges that no edge set lists.",
    changes: [setCondition('count-that-is-not-ready-is-of-base-edges', (old) => `${old} || element === undefined`)],
  },
  {
    name: 'list-is-code',
    rule: 'Every consumer has the code of node lists, even if its own model declares none.',
    changes: [replaceIn('every-consumer-has-the-code-of-a-list', 'codeOfNodeList(name)', 'undefined')],
  },
  {
    name: 'code-for-what-goes',
    rule: "A migration step that only removes projections doesn't need their functions.",
    changes: [setCondition('what-goes-needs-no-code', 'true')],
  },
  {
    name: 'code-for-what-is-replaced',
    rule: "A migration that replaces views doesn't need the functions of the old views.",
    changes: [setCondition('replaced-views-need-no-code', (old) => `${old} || name !== ''`)],
  },
  {
    name: 'evolution-walk-done-early',
    rule: 'A walk that is split into shares is done only when all shares are done.',
    changes: [replaceIn('walk-is-done-when-all-shares-are', 'all.some(isShareOpen)', 'all.every(isShareOpen)')],
  },
  {
    name: 'evolution-runs-replace-each-other',
    rule: 'If two runs for different models keep replacing each other, one of them stops.',
    changes: [setCondition('runs-of-two-models-do-not-replace-each-other-for-ever', 'false')],
  },
  {
    name: 'evolution-runs-take-back-each-others-steps',
    rule: "If two runs for different models keep reverting each other's steps, one of them stops.",
    changes: [setCondition('runs-do-not-take-back-each-others-steps-for-ever', 'false')],
  },
  {
    name: 'evolution-shares-of-another-walk',
    rule: 'Each walk has its own shares, because the shares of an earlier walk say nothing about it.',
    changes: [setValue('walk-has-shares-of-its-own', "'plan'")],
  },
  {
    name: 'stamps-again',
    rule: 'A registry that is created again gives views no stamp of an earlier registry.',
    changes: [setValue('new-registry-stamps-no-view-again', '1')],
  },
  {
    name: 'evolution-added-type-stamps-again',
    rule: 'A type that is added to a registry that was created again gets no stamp of an earlier registry.',
    changes: [setValue('unknown-name-begins-with-the-registry', '1')],
  },
  {
    name: 'cursor-of-a-native-order-goes-on-in-a-derived-one',
    rule: "A cursor of a native order doesn't work in a derived order, nor the other way round.",
    changes: [drop('cursor-of-a-native-order-is-of-no-other')],
  },
  ...TOTALS_AND_PARTS,
  ...INDEXES,
  ...OBSERVED,
];
