import type { Mutant } from '../planted/mutant.ts';

const NEXT_STEP = 'src/migrate/next-step.ts';
const TRANSITIONS = 'src/registry/transitions.ts';
const READABLE = 'src/registry/readable.ts';
const LEASE = 'src/registry/reader-lease.ts';

/** Planted in the rules of changing a model: the number is that of the rule in docs/changing-the-model.md. */
export const EVOLUTION_MUTANTS: readonly Mutant[] = [
  {
    name: 'evolution-ids-again',
    rule: '1: an id is never used again.',
    patches: [
      {
        file: TRANSITIONS,
        find: 'return withProjection(registry, name, { next: next + 1, generations: [...generations, added] });',
        replace:
          'added.id = generations.length + 1;\n  return withProjection(registry, name, { next: next + 1, generations: [...generations, added] });',
      },
    ],
  },
  {
    name: 'evolution-own-model',
    rule: '2: writers maintain what the registry keeps, not their own model.',
    patches: [
      {
        file: 'src/registry/writer-model.ts',
        find: 'return compiled.model;',
        replace: 'return compiled.model && own;',
      },
    ],
  },
  {
    name: 'evolution-code-skipped',
    rule: '2: a writer without the code for a projection applies nothing of the batch.',
    patches: [
      {
        file: 'src/registry/revive.ts',
        find: 'if (compute === undefined) throw codeMissing(name, version);',
        replace: "if (compute === undefined) return { kind: 'derive', compute: () => undefined, version };",
      },
    ],
  },
  {
    name: 'evolution-head-before',
    rule: '2: the registry is read after the records are held, not once for all batches.',
    patches: [
      {
        file: 'test/simulator/evolution/consumers.ts',
        find: '        ...{ store: process.store, concurrency: 4',
        replace: '        model: world.staleModel(model),\n        ...{ store: process.store, concurrency: 4',
      },
    ],
  },
  {
    name: 'evolution-ready-unbuilt',
    rule: '4: kept becomes ready only after a backfill under that id.',
    patches: [
      {
        file: NEXT_STEP,
        find: 'const open = building.filter((seen) => !memory.verified.has(seenKey(seen)));',
        replace: 'const open = building.filter((seen) => seen.id < 0 && !memory.verified.has(seenKey(seen)));',
      },
    ],
  },
  {
    name: 'evolution-no-lease-waited',
    rule: '4: before a generation is left off, a run sees it unready for a full lease.',
    patches: [{ file: 'src/migrate/migrate.ts', find: 'await wait(LEASE_MS + 1);', replace: 'await wait(1);' }],
  },
  {
    name: 'evolution-other-meaning',
    rule: '5: a generation of another meaning is no substitute.',
    patches: [
      {
        file: READABLE,
        find: 'meaningFingerprint(stored) !== mine.meaning',
        replace: 'meaningFingerprint(stored) === undefined',
      },
    ],
  },
  {
    name: 'evolution-not-ready-used',
    rule: '5: what is only kept is not for readers.',
    patches: [{ file: READABLE, find: "if (state !== 'ready' ||", replace: "if (state === 'absent' ||" }],
  },
  {
    name: 'evolution-stamp-unread',
    rule: "6: a reader uses a view only if its stamp is the shape's.",
    patches: [
      {
        file: 'src/read/nodes/base-view.ts',
        find: 'return view === undefined ? shape.ready : stringOf(view[MODEL]) === shape.stamp;',
        replace: 'return view === undefined ? shape.ready : stringOf(view[MODEL]) !== undefined;',
      },
    ],
  },
  {
    name: 'evolution-other-shape-patched',
    rule: '6: a writer that meets another stamp makes the whole view anew.',
    patches: [
      {
        file: 'src/plan/shape.ts',
        find: 'stringOf(view[MODEL]) !== shape.stamp;',
        replace: 'stringOf(view[MODEL]) === undefined;',
      },
    ],
  },
];

/**
 * Planted in rules whose breach shows too rarely for a sweep of the tests, or has not been seen yet: to be hunted in long runs.
 */
export const EVOLUTION_RARE_MUTANTS: readonly Mutant[] = [
  {
    name: 'evolution-old-records',
    rule: '3: a record that is older than what is kept is settled by the base item.',
    patches: [
      {
        file: 'src/registry/effective.ts',
        find: 'return since === 0 ? undefined : since + CLOCK_MARGIN_MS;',
        replace: 'return since === 0 ? undefined : 1;',
      },
      {
        file: 'src/registry/effective.ts',
        find: 'if (since === undefined) return Number.POSITIVE_INFINITY;',
        replace: 'if (since === undefined) return 1;',
      },
    ],
  },
  {
    name: 'evolution-lease-unchecked',
    rule: '5: an answer counts only while the lease holds.',
    patches: [
      { file: LEASE, find: 'if (isHeld(lease)) return result;', replace: 'if (lease.startedAtMs > 0) return result;' },
    ],
  },
  {
    name: 'evolution-other-shape-added-to',
    rule: '6: the fast path adds only to a view of the shape.',
    patches: [
      {
        file: 'src/plan/shape.ts',
        find: 'return shape && { stamp: shape.stamp, mayBeMissing: shape.ready };',
        replace: 'return shape && undefined;',
      },
    ],
  },
  {
    name: 'evolution-missing-view-believed',
    rule: '7: until the shape is ready, a missing view says nothing to a reader.',
    patches: [
      {
        file: 'src/read/nodes/base-view.ts',
        find: 'return view === undefined ? shape.ready :',
        replace: 'return view === undefined ? true :',
      },
    ],
  },
  {
    name: 'evolution-missing-view-begun',
    rule: '7: until the shape is ready, a writer that finds no view makes it whole.',
    patches: [
      {
        file: 'src/plan/shape.ts',
        find: 'mayBeMissing: shape.ready }',
        replace: 'mayBeMissing: true }',
      },
      {
        file: 'src/plan/shape.ts',
        find: 'return view === undefined ? !shape.ready :',
        replace: 'return view === undefined ? false :',
      },
    ],
  },
  {
    name: 'evolution-index-unverified',
    rule: '8: a generation is verified through its index.',
    patches: [
      {
        file: 'src/migrate/migrate.ts',
        find: '(begunAt) => verify({ ...context, begunAt }));',
        replace: 'async () => undefined);',
      },
    ],
  },
  {
    name: 'evolution-backfill-blind',
    rule: '9: the backfill writes under the revision seen.',
    patches: [
      {
        file: 'src/apply/index-item.ts',
        find: '    const written = await updateItem(context, update);',
        replace:
          "    const written = await updateItem(context, unit.newest === '' ? { ...update, condition: { kind: 'none' } } : update);",
      },
    ],
  },
  {
    name: 'evolution-backfill-forgets',
    rule: '9: the backfill keeps the watermark that it saw.',
    patches: [
      {
        file: 'src/apply/index-item.ts',
        find: 'const update = settledIndexUpdate(context.graph, unit, current, truth, epochSeconds(context));\n    const written',
        replace:
          "const update = settledIndexUpdate(context.graph, unit, unit.newest === '' && current !== undefined ? { ...current, w: { S: '' } } : current, truth, epochSeconds(context));\n    const written",
      },
    ],
  },
  {
    name: 'evolution-strays-left',
    rule: '9: the backfill removes what no base item wants.',
    patches: [{ file: 'src/migrate/build.ts', find: '    await settleStrays(context, items, isOwn);\n', replace: '' }],
  },
  {
    name: 'evolution-plain-keys-again',
    rule: '1: what is added to a registered table does not begin with the plain keys.',
    patches: [{ file: TRANSITIONS, find: '{ next: 2, generations: [] }', replace: '{ next: 1, generations: [] }' }],
  },
  {
    name: 'evolution-overtaken',
    rule: '11: a step is made from the state that the run has seen, however often others have come and gone since.',
    patches: [
      {
        file: TRANSITIONS,
        find: 'if (projection === undefined || generation?.state !== state || generation.changed !== changed) throw overtaken(name);',
        replace: 'if (projection === undefined || generation === undefined || changed < 0) throw overtaken(name);',
      },
    ],
  },
];
