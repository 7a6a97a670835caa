import { indexNamedIn, typeOfView } from '../../registry/definition.ts';
import { effectiveModel } from '../../registry/effective.ts';
import { LEASE_MS } from '../../registry/reader-lease.ts';
import { reconcileViews } from '../walks/build.ts';
import { removeGenerations } from '../walks/remove.ts';
import { builtModel, retiredIndex } from './definitions.ts';
import { isEmptyTable } from './empty.ts';
import { type Step, type StepOf, seenKeys, type WorkStep } from './step.ts';

/**
 * Milliseconds after which every replica of the table and its indexes is assumed to show a write. DynamoDB usually
 * takes less than a second, but guarantees nothing. Sessions assume the same time (`indexGraceMs`).
 */
export const REPLICA_LAG_MS = 10_000;

export const WORK_STEPS = {
  look: {
    words: 'Look whether anything is in the table',
    stateAfter: 'looked at',
    states: () => [],
    async work(run) {
      run.isEmpty = await isEmptyTable(run.graph, run.store, run.stats);
      return [];
    },
  },
  wait: {
    words: 'Wait until no reader can rely any more on',
    stateAfter: 'unused',
    remembers: 'unused',
    waitMs: () => LEASE_MS,
    states: ({ seen }) => seen,
    work: (run, { seen }) => run.waitUntilUnused(seen),
  },
  pause: {
    words: 'Wait until every replica shows',
    stateAfter: 'shown',
    remembers: 'shown',
    waitMs: () => REPLICA_LAG_MS,
    states: ({ seen }) => seen,
    async work(run, { seen }) {
      await run.waitUntilShown(seen);
      return seen;
    },
  },
  outlast: {
    words: 'Wait until no late write can reach',
    stateAfter: 'outlasted',
    remembers: 'outlasted',
    waitMs: ({ forMs }) => forMs,
    states: ({ seen }) => seen,
    async work(run, { seen, forMs }) {
      await run.outlastLateWrites(seen, forMs);
      return seen;
    },
  },
  backfill: {
    words: 'Build and verify',
    stateAfter: 'verified',
    remembers: 'verified',
    states: ({ generations }) => generations,
    async work(run, { generations }, { registry, data }) {
      await run.buildAndVerify(
        run.buildContext(builtModel(generations, registry, data, run.graph), generations),
        generations,
      );
      return generations;
    },
  },
  'reconcile-views': {
    words: 'Rebuild all views of',
    stateAfter: 'reconciled',
    remembers: 'reconciled',
    states: ({ generations }) => generations,
    async work(run, { generations }, { registry, data }) {
      const context = run.buildContext(effectiveModel(registry, data, run.graph), generations);
      const types = new Set(generations.flatMap(({ name }) => typeOfView(name) ?? []));
      await run.walkOrStop(`reconcile-views ${seenKeys(generations)}`, (begunAt) =>
        reconcileViews({ ...context, begunAt }, types),
      );
      return generations;
    },
  },
  'add-index': {
    words: 'Add and fill',
    stateAfter: 'filled',
    states: () => [],
    async work(run, { indexes }) {
      await run.addIndexes(indexes);
      return [];
    },
  },
  delete: {
    words: 'Delete the items of',
    stateAfter: 'deleted',
    remembers: 'deleted',
    states: ({ generations }) => generations,
    async work(run, { generations }, { registry, data }) {
      const ofItems = generations.filter(({ name }) => indexNamedIn(name) === undefined);
      const ofIndexes = generations.filter((seen) => !ofItems.includes(seen));
      const indexes = ofIndexes.flatMap((seen) => retiredIndex(registry, data, seen) ?? []);
      await run.dropIndexes(indexes, ofIndexes);
      if (ofItems.length === 0) return generations;
      const context = run.buildContext(run.graph);
      await run.walkOrStop(`delete ${seenKeys(ofItems)}`, (begunAt) =>
        removeGenerations({ ...context, begunAt }, ofItems),
      );
      return generations;
    },
  },
} satisfies { [Kind in Step['kind']]?: WorkStep<StepOf<Kind>> };
