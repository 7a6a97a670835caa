import type { Mutant } from './mutant.ts';

/** Planted in the local worker, which has real timers and is not part of schedules. */
export const WORKER_MUTANTS: readonly Mutant[] = [
  {
    name: 'worker-checkpoint-before-apply',
    rule: 'The local worker notes how far it came after it has applied, not before.',
    patches: [
      {
        file: 'src/worker/shard-task.ts',
        find: '    if (!(await this.applyAll(sifted.records))) return false;',
        replace:
          '    run.journal.note({ shardId, sequenceNumber: batch.sequenceNumber, finished: batch.isEnd });\n    await run.journal.flush();\n    if (!(await this.applyAll(sifted.records))) return false;',
      },
    ],
  },
];
