import type { Mutant } from '../planted/mutant.ts';

const NEXT_STEP = 'src/migrate/next-step.ts';
const TRANSITIONS = 'src/registry/transitions.ts';
const READABLE = 'src/registry/readable.ts';
const CONCERNS = 'src/registry/concerns.ts';
const CHECKED = 'src/registry/checked.ts';
const LEASE = 'src/registry/reader-lease.ts';

/** Planted in the rules of changing a model: the number is that of the rule in docs/decisions/039-the-rules-of-a-model-change.md. */
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
  {
    name: 'evolution-kept-compared',
    rule: '10: what is being built is pending for a check, and no drift.',
    patches: [
      {
        file: CHECKED,
        find: "generations: generations.filter(({ state }) => state === 'ready')",
        replace: "generations: generations.filter(({ state }) => state !== 'absent')",
      },
      {
        file: CONCERNS,
        find: "known.state === 'ready' ? 'compared' : 'changing'",
        replace: "known.state !== 'absent' ? 'compared' : 'changing'",
      },
    ],
  },
  {
    name: 'evolution-retired-left',
    rule: '10: items of retired ids are garbage.',
    patches: [
      {
        file: CONCERNS,
        find: "if (known === undefined) return { kind: 'retired', name };",
        replace: "if (known === undefined) return { kind: 'left', name };",
      },
    ],
  },
  {
    name: 'evolution-check-forgets-registry',
    rule: '10: a check reads the registry again before it finds or mends anything.',
    patches: [
      {
        file: CHECKED,
        find: 'if ((await model.current()) === began) return new Set();',
        replace: 'if ((await model.current()) !== undefined) return new Set();',
      },
    ],
  },
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
        file: 'src/migrate/walks/building.ts',
        find: 'await verify({ ...context, begunAt, isOver, onPage: (items) => old.look(items) });',
        replace: 'undefined;',
      },
    ],
  },
  {
    name: 'evolution-index-not-looked-through',
    rule: '8: a generation is not ready while its index shows what is there no more.',
    patches: [
      {
        file: 'src/migrate/walks/verify.ts',
        find: 'const gone = own.filter(({ item }, i) => !isSamePlace(index, item, stored[i]));',
        replace: 'const gone: WalkedItem[] = [];',
      },
    ],
  },
  {
    name: 'evolution-registry-before-items',
    rule: '10: a check judges what it met by a registry that it has read after it.',
    patches: [
      {
        file: 'src/registry/checked.ts',
        find: '  if ((await model.current()) === began) return new Set();\n',
        replace: '  const first = await model.current();\n  if (first === began) return new Set();\n',
      },
      {
        file: 'src/registry/checked.ts',
        find: '  const now = await model.current();\n',
        replace: '  const now = first;\n',
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
    name: 'evolution-strays-left',
    rule: '9: the backfill removes what no base item wants.',
    patches: [
      { file: 'src/migrate/walks/build.ts', find: '    await settleStrays(context, items, isOwn);\n', replace: '' },
    ],
  },
  {
    name: 'evolution-plain-keys-again',
    rule: '1: what is added to a registered table does not begin with the plain keys.',
    patches: [{ file: TRANSITIONS, find: '{ next: 2, generations: [] }', replace: '{ next: 1, generations: [] }' }],
  },
  {
    name: 'evolution-head-blind',
    rule: '1: a write of the registry is conditional on the revision that it was made from.',
    patches: [
      {
        file: 'src/registry/head.ts',
        find: "{ key, set, unset: [], condition: { kind: 'revision', revision } }",
        replace: "{ key, set, unset: [], condition: { kind: 'none' } }",
      },
    ],
  },
  {
    name: 'evolution-redrive-own-model',
    rule: '2: a redrive maintains what the registry keeps, too.',
    patches: [
      {
        file: 'src/repair/redrive-records.ts',
        find: 'createSettler(graph, { store, concurrency, now, wait, random, model });',
        replace:
          'createSettler(graph, { store, concurrency, now, wait, random, model: model ?? { current: async () => graph } });',
      },
    ],
  },
  {
    name: 'evolution-two-steps-at-once',
    rule: '4: what is ready becomes kept before it becomes absent.',
    patches: [
      {
        file: TRANSITIONS,
        find: "return moved(registry, seen, 'ready', 'kept');",
        replace: "return moved(registry, seen, 'ready', 'absent');",
      },
    ],
  },
  {
    name: 'evolution-seen-for-ever',
    rule: '4: a run waits for a lease in the very state that it leaves; what came back since is seen anew.',
    patches: [
      {
        file: NEXT_STEP,
        find: 'seenKey({ name, id, changed }: SeenState): string {',
        replace: 'seenKey({ name, id }: SeenState): string {\n  const changed = 0;',
      },
    ],
  },
  {
    name: 'evolution-lease-from-answer',
    rule: '5: a lease counts from before the registry was read.',
    patches: [
      {
        file: LEASE,
        find: 'return { readable: readableOf(registry, data, own), startedAtMs, head };',
        replace: 'return { readable: readableOf(registry, data, own), startedAtMs: clock(), head };',
      },
    ],
  },
  {
    name: 'evolution-installed-at-once',
    rule: '6: before a shape is replaced, its views are out of use for a full lease.',
    patches: [
      {
        file: NEXT_STEP,
        find: "if (waiting.length > 0) return { kind: 'wait', seen: waiting };\n    return { kind: 'install'",
        replace: "if (waiting.length > 99) return { kind: 'wait', seen: waiting };\n    return { kind: 'install'",
      },
    ],
  },
  {
    name: 'evolution-parents-unread',
    rule: '6: a reader that reads base items in the place of a view reads the nodes that edges copy, too.',
    patches: [
      {
        file: 'src/read/nodes/base-view.ts',
        find: 'if (copying.length > 0) {',
        replace: 'if (copying.length > 99) {',
      },
    ],
  },
  {
    name: 'evolution-unknown-mended',
    rule: '10: what the registry does not know is reported, and never mended or deleted.',
    patches: [
      {
        file: 'src/registry/concerns.ts',
        find: "generation >= projection.next) return { kind: 'unregistered', name };",
        replace: "generation >= projection.next) return { kind: 'retired', name };",
      },
    ],
  },
  {
    name: 'evolution-shape-compared',
    rule: '10: views of a shape that is not trusted, or not ready, are pending for a check, and no drift.',
    patches: [{ file: CONCERNS, find: 'return trusted && ready;', replace: 'return trusted || ready;' }],
  },
  {
    name: 'evolution-reverse-items-left',
    rule: '10: after views copy again, no reverse item is left of an edge that went meanwhile.',
    patches: [
      { file: 'src/migrate/walks/build.ts', find: '    await settleLeftReverseItems(context, items);\n', replace: '' },
    ],
  },
  {
    name: 'evolution-restore-unnoticed',
    rule: '4: of a restored table nothing counts as ready until it is verified.',
    patches: [
      {
        file: NEXT_STEP,
        find: 'if (table !== undefined && !isOf(registry, table)) return',
        replace: 'if (table !== undefined && table.id === undefined && !isOf(registry, table)) return',
      },
    ],
  },
  {
    name: 'evolution-restored-views-kept',
    rule: '6: views of a restored table are of another shape than those to come.',
    patches: [
      {
        file: TRANSITIONS,
        find: 'shape: { id: next, definition: shape.definition, trusted: true, ready: false, changed: version },',
        replace:
          'shape: { id: shape.id, definition: shape.definition, trusted: true, ready: false, changed: version },',
      },
    ],
  },
];
