import { numberOf } from '../../../src/core/items/attribute-value.ts';
import { type ChangeRecord, isOlder } from '../../../src/core/items/change-record.ts';
import { sleep } from '../../../src/foundation/runtime.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import type { Projector } from '../../../src/projecting/apply/projector-types.ts';
import { createWorker } from '../../../src/projecting/worker/worker.ts';
import type { Worker, WorkerOptions } from '../../../src/projecting/worker/worker-types.ts';
import { memoryCheckpoint } from '../../../src/stream/checkpoint.ts';
import type { History } from './history.ts';
import { MODELS, type Side } from './models.ts';

/** How long two consumers run side by side while one replaces the other. */
const OVERLAP_MS = 500;

/** The store and the stream of a consumer. */
export type ConsumerSettings = Pick<WorkerOptions, 'store' | 'streams' | 'streamArn'>;

/**
 * The consumers of the stream, one deployment after the other. They share a checkpoint: each starts where the one before is, and both
 * work for a moment.
 */
export class Consumers {
  private readonly checkpoint = memoryCheckpoint();
  private current: Worker | undefined;
  /** Rejects where a consumer ends by an error. */
  readonly failed: Promise<never>;
  private fail!: (error: unknown) => void;

  constructor(
    private readonly settings: ConsumerSettings,
    private readonly history: History,
  ) {
    this.failed = new Promise((_, reject) => {
      this.fail = reject;
    });
    // A race against it tells of it.
    this.failed.catch(() => undefined);
  }

  /** Deploys a consumer of a model; for a moment it and the one before are both at work. */
  async deploy(side: Side): Promise<void> {
    const graph = MODELS[side];
    const before = this.current;
    const { store, streams, streamArn } = this.settings;
    const worker = createWorker(graph, {
      ...{ store, streams, streamArn },

      checkpoint: this.checkpoint,
      pollIntervalMs: 50,
      // A slow machine may take its time over one batch; a retry would only add to it.
      batchTimeoutMs: 600_000,
      projector: this.notingProjector(createProjector(graph, { store: this.settings.store })),
    });
    worker.run().catch(this.fail);
    this.current = worker;
    if (before === undefined) return;
    await sleep(OVERLAP_MS);
    await before.stop();
  }

  /** Resolves when all that was written up to now is projected. */
  async waitUntilIdle(): Promise<void> {
    await this.current?.idle();
  }

  /** Ends the consumer at work. */
  async stop(): Promise<void> {
    await this.current?.stop();
  }

  /** Tells the history what is projected. */
  private notingProjector(inner: Projector): Projector {
    return {
      project: async (records, options) => {
        const result = await inner.project(records, options);
        noteProjected(this.history, records, result.failedFrom);
        return result;
      },
    };
  }
}

/** Tells a history that records are projected, all or those before `failedFrom`. */
export function noteProjected(
  history: History,
  records: readonly ChangeRecord[],
  failedFrom?: ChangeRecord | undefined,
): void {
  const done = records.filter((record) => failedFrom === undefined || isOlder(record, failedFrom));
  for (const record of done) history.markProjected(record, versionOf(record));
}

/** Which version of a base item a record brings: a removal is one more than what it removes. */
function versionOf({ oldImage, newImage }: ChangeRecord): number {
  const versionIn = (item: ChangeRecord['newImage']): number => Number(numberOf(item?.['change']));
  return newImage === undefined ? versionIn(oldImage) + 1 : versionIn(newImage);
}
