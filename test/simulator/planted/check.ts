import type { Mutant } from './mutant.ts';

const CONFIRM = 'src/check/confirm.ts';
const NOMINATE = 'src/check/nominate.ts';

/** Planted in the check: it reports what is only late, or does not see what is wrong. */
export const CHECK_MUTANTS: readonly Mutant[] = [
  {
    name: 'check-first-look',
    rule: 'What differs is a suspect; only a second look tells drift from lag.',
    patches: [
      {
        file: CONFIRM,
        find: 'if (isWrong(observation)) open.push({ suspect, observation, steadyRounds: 0 });',
        replace: "if (isWrong(observation)) confirmed.push({ suspect, observation, outcome: 'drift' });",
      },
    ],
  },
  {
    name: 'check-waits-not',
    rule: 'The second look comes when the stream has passed the first one.',
    patches: [
      {
        file: CONFIRM,
        find: 'if (appliedMs !== undefined && appliedMs > sinceMs)',
        replace: 'if (appliedMs !== undefined)',
      },
    ],
  },
  {
    name: 'check-revision-ignored',
    rule: 'A suspect that was written in between is looked at again.',
    patches: [{ file: CONFIRM, find: 'observation.revision === before.observation.revision ||', replace: 'true ||' }],
  },
  {
    name: 'check-stream-label-kept',
    rule: 'The label that condemns a watermark is asked for once more: the stream may have been re-created.',
    patches: [{ file: 'src/stream/stream-label.ts', find: '    await this.refresh();\n', replace: '' }],
  },
  {
    name: 'check-no-orphans',
    rule: 'An index item that no base item was met for is a suspect.',
    patches: [
      { file: NOMINATE, find: "    else yield this.suspect(key, { kind: 'index-item', target });\n", replace: '' },
    ],
  },
  {
    name: 'check-no-elements',
    rule: 'The digest of a view takes in its elements.',
    patches: [
      {
        file: 'src/check/compare.ts',
        find: '      if (this.evicted.has(type)) continue;\n      const wanted',
        replace: '      continue;\n      const wanted',
      },
    ],
  },
  {
    name: 'check-no-expiry',
    rule: 'An expiry on what is no tombstone is drift.',
    patches: [
      {
        file: 'src/repair/parts/form.ts',
        find: '  const expires = item[graph.table.ttl] !== undefined && (!kind.hasTombstones || kind.isLive(item));',
        replace: '  const expires = false;',
      },
    ],
  },
  {
    name: 'check-no-copies',
    rule: 'The nodes that a view copies of are looked up.',
    patches: [
      {
        file: 'src/check/look-up.ts',
        find: '          if (!isSlotRight(graph, slot, items[i])) wrong.add(source);',
        replace: '',
      },
    ],
  },
  {
    name: 'check-no-reverse-items',
    rule: 'The reverse item of each edge that copies is looked up.',
    patches: [
      {
        file: 'src/check/look-up.ts',
        find: '        return reverse === undefined ? [] : [{ ...reverse, base }];',
        replace: '        return reverse === undefined ? [] : [];',
      },
    ],
  },
  {
    name: 'check-no-orphaned-reverse-items',
    rule: 'The edge of each reverse item is looked up.',
    patches: [
      {
        file: 'src/check/look-up.ts',
        find: '      const suspects = await withoutEdge(this.context, reverseItems);',
        replace: '      const suspects: Suspect[] = [];',
      },
    ],
  },
];
