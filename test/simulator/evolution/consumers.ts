import { type BatchResult, createProjector, type Projector } from '../../../src/apply/projector.ts';
import type { ChangeRecord } from '../../../src/items/change-record.ts';
import type { CompiledModel } from '../../../src/model/compiled.ts';
import type { EvolvingProcess } from './process.ts';
import type { EvolvingWorld } from './world.ts';

/** How often a batch is given to a process that has worked before, where there is one that is idle. */
const WARM = 0.8;

interface Consumer {
  process: EvolvingProcess;
  projector: Projector;
  isBusy: boolean;
}

/** The processes that project, of any model: a process lives on between batches, and keeps what it knows of the registry. */
export class EvolvingConsumers {
  private readonly byModel = new Map<CompiledModel, Consumer[]>();

  constructor(private readonly world: EvolvingWorld) {}

  /** Projects a batch in a process of a model: one batch at a time, and none any more where the process has died. */
  async project(model: CompiledModel, batch: readonly ChangeRecord[], remainingMs: () => number): Promise<BatchResult> {
    const consumer = this.consumer(model);
    consumer.isBusy = true;
    const result = await consumer.projector.project(batch, { remainingMs });
    consumer.isBusy = false;
    return result;
  }

  private consumer(model: CompiledModel): Consumer {
    const { world } = this;
    const { agenda, random } = world;
    const alive = (this.byModel.get(model) ?? []).filter(({ process }) => !process.isGone);
    const idle = alive.find(({ isBusy }) => !isBusy);
    this.byModel.set(model, alive);
    if (idle !== undefined && random.chance(WARM)) return idle;
    const process = world.process();
    const consumer = {
      process,
      isBusy: false,
      projector: createProjector(model, {
        // rule: registry-is-read-after-the-records-are-held
        ...{ store: process.store, concurrency: 4, wait: process.wait, fanOutPageSize: 2 },
        now: () => agenda.now,
        random: () => random.next(),
      }),
    };
    alive.push(consumer);
    return consumer;
  }
}
