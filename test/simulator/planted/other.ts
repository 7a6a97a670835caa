import type { Mutant } from './mutant.ts';

const INDEX_ITEM = 'src/apply/index-item.ts';
const MEMORY_UPDATE = 'test/support/memory-store/update.ts';

/** Planted in tombstones, quarantine, errors and delivery. */
export const OTHER_MUTANTS: readonly Mutant[] = [
  {
    name: 'tombstone-deleted',
    rule: 'A derived item that is not wanted any more leaves a tombstone; it is not deleted.',
    patches: [
      {
        file: INDEX_ITEM,
        find: '  if (result.applied) return;',
        replace:
          '  if (result.applied) {\n    if (unit.wanted === undefined) await context.store.delete({ source: unit.source, target: unit.sortKey });\n    return;\n  }',
      },
    ],
  },
  {
    name: 'tombstone-revision-kept',
    rule: 'Writing a tombstone raises the revision.',
    patches: [
      {
        file: MEMORY_UPDATE,
        find: '  next[REVISION] =',
        replace: "  if (update.set['expiresAt'] === undefined || item[REVISION] === undefined) next[REVISION] =",
      },
    ],
  },
  {
    name: 'tombstone-revision-forgotten',
    rule: 'A tombstone keeps the revision: what comes after it must not count from one again.',
    patches: [
      {
        file: MEMORY_UPDATE,
        find: "sum(REVISION, item[REVISION], '1') };",
        replace: "sum(REVISION, item['expiresAt'] === undefined ? item[REVISION] : undefined, '1') };",
      },
    ],
  },
  {
    name: 'quarantine-overwritten',
    rule: 'A quarantine entry is named by its record, so that none takes the place of another.',
    patches: [
      {
        file: 'src/items/keys.ts',
        find: '  const suffix = `/$',
        replace: '  const suffix = `/one` || `$',
      },
    ],
  },
  {
    name: 'failure-swallowed',
    rule: 'A unit that the time budget ends before it is applied is reported.',
    patches: [
      {
        file: 'src/apply/projector.ts',
        find: 'if (error !== undefined) failures.push({ unit, error });',
        replace: 'if (error !== undefined && !(error instanceof StoreError)) failures.push({ unit, error });',
      },
    ],
  },
  {
    name: 'failure-from-highest',
    rule: 'A batch fails from its lowest record that is not applied on.',
    patches: [
      {
        file: 'src/apply/projector.ts',
        find: 'isOlder(record, failedFrom)',
        replace: 'isOlder(failedFrom, record)',
      },
    ],
  },
  {
    name: 'checkpoint-before-apply',
    rule: 'A reader notes how far it came after it has applied, not before.',
    patches: [
      {
        file: 'test/simulator/lane.ts',
        find: "const done = answer.kind === 'done' ? answer.count : 0;",
        replace: 'const done = batch.length;',
      },
    ],
  },
];
