import type { Mutant } from './mutant.ts';

/** Changes of the protocol that nobody knows to be wrong: for long runs only, `npm run simulate -- --mutant NAME`. */
export const EXPERIMENTS: readonly Mutant[] = [
  {
    name: 'replay-skips-write',
    rule: 'Would it do that a plain replay, which agrees and whose newest position is the watermark, does not write?',
    patches: [
      {
        file: 'src/apply/view.ts',
        find: '    const update = slowViewUpdate(',
        replace:
          "    if (current !== undefined && 'S' in current['w']! && unit.newest === current['w'].S && contradictions(unit, current).length === 0) return;\n    const update = slowViewUpdate(",
      },
    ],
  },
  {
    name: 'replay-without-effect-skips-write',
    rule: 'The same, but a replay that finds the view beyond its budget still evicts: would that do?',
    patches: [
      {
        file: 'src/apply/view.ts',
        find: '    const result = await countedUpdate(context, update);\n    if (result.applied) return;\n    current',
        replace:
          "    const isReplay = current?.['w'] !== undefined && 'S' in current['w'] && unit.newest === current['w'].S;\n    const moved = update.setElements ?? [...update.addElements!, ...update.deleteElements!];\n    if (isReplay && truths.size === 0 && moved.length === 0) return;\n    const result = await countedUpdate(context, update);\n    if (result.applied) return;\n    current",
      },
    ],
  },
  {
    name: 'agreeing-skips-write',
    rule: 'Would it do that a stale unit which agrees without a look at the base items does not write?',
    patches: [
      {
        file: 'src/apply/view.ts',
        find: '    const update = slowViewUpdate(',
        replace:
          '    if (isStale(unit.newest, current) && contradictions(unit, current).length === 0) return;\n    const update = slowViewUpdate(',
      },
    ],
  },
];
