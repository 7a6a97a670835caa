import { insertBefore } from './changes.ts';
import type { Mutant } from './mutant.ts';

/** Bugs in the local worker. Schedules can't run the worker, because it uses real timers. */
export const WORKER_MUTANTS: readonly Mutant[] = [
  {
    name: 'worker-checkpoint-before-apply',
    rule: 'The local worker saves its position in a shard only after it has applied the records before that position.',
    changes: [
      insertBefore(
        'worker-applies-before-it-notes',
        `run.journal.noteShard({ shardId, sequenceNumber: batch.sequenceNumber, finished: batch.isEnd });
  await run.journal.flush();`,
      ),
    ],
  },
];
