import { insertBefore } from './changes.ts';
import type { Mutant } from './mutant.ts';

/** Planted in the local worker, which has real timers and is not part of schedules. */
export const WORKER_MUTANTS: readonly Mutant[] = [
  {
    name: 'worker-checkpoint-before-apply',
    rule: 'The local worker notes how far it came after it has applied, not before.',
    changes: [
      insertBefore(
        'worker-applies-before-it-notes',
        `run.journal.noteShard({ shardId, sequenceNumber: batch.sequenceNumber, finished: batch.isEnd });
  await run.journal.flush();`,
      ),
    ],
  },
];
