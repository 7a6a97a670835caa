import {
  type BatchResult,
  createProjector,
  decodeRecords,
  type Projector,
  type RawRecord,
} from '../../../../src/admin.ts';
import type { CompiledModel } from '../../../../src/core/model/compiled.ts';
import { type EdgeloomError, StoreError } from '../../../../src/index.ts';
import { redriveRecords } from '../../../../src/trust/repair/redrive-records.ts';
import type { Process } from '../../kernel/process.ts';
import { storeOf } from '../../kernel/table-store.ts';
import { versionsOf } from './specs.ts';
import type { Lane, World } from './world.ts';

/** A batch came to an end: from which record on it has to come again, if any. */
type Delivery = { failedFrom?: string } | 'crashed';

/** How often a batch is given to a process that has worked before, where there is one that is idle. */
const WARM = 0.85;
/** Records that a batch has at most. */
const MOST_RECORDS = 12;

interface Consumer {
  process: Process;
  projector: Projector;
  isBusy: boolean;
}

/** The processes that project, of any model: a process lives on between batches, and keeps what it knows of the registry. */
export class Consumers {
  private readonly byModel = new Map<CompiledModel, Consumer[]>();

  constructor(private readonly world: World) {}

  /** Invokes a consumer of a model with a batch; what stands still or crashes never answers. */
  async invoke(version: number, batch: readonly RawRecord[], remainingMs: number): Promise<Delivery> {
    const { world } = this;
    const { timeline } = world;
    const graph = world.graphs[version]!;
    const consumer = this.consumer(graph);
    const endsAtMs = timeline.nowMs + remainingMs;
    consumer.isBusy = true;
    const projecting = consumer.projector.project(decodeRecords(graph, batch), {
      remainingMs: () => endsAtMs - timeline.nowMs,
    });
    projecting.catch((thrown: Error) => world.fail('threw', `a projector throws: ${thrown.stack}`));
    const result = await Promise.race([projecting, consumer.process.crashed]);
    if (result === undefined) return 'crashed';
    consumer.isBusy = false;
    world.log(
      `batch of ${batch.length} by ${version}: ${result.error?.message ?? 'applied'} ${batch.map(nameOfRecord).join(' ')}`,
    );
    return this.delivered(version, result);
  }

  private delivered(version: number, { error, failedFrom, quarantined }: BatchResult): Delivery {
    const { world } = this;
    world.count('batches');
    if (quarantined > 0) world.count('batches with quarantined records');
    if (failedFrom === undefined) return {};
    if (error?.code === 'projection-code-missing') world.count('batches that wait for code');
    if (!this.mayFail(version, error)) {
      // It waits for code that it has: that holds up the stream.
      const kind = error?.code === 'projection-code-missing' ? 'unfinished' : 'threw';
      world.fail(kind, `a batch of model ${version} fails: ${error?.stack}`);
    }
    return { failedFrom: failedFrom.sequenceNumber };
  }

  private mayFail(version: number, error: EdgeloomError | undefined): boolean {
    const { world } = this;
    if (error?.code === 'projection-code-missing') return lacksCode(world, version);
    if (world.isLenient && error?.code.startsWith('registry')) return true;
    return (error instanceof StoreError && error.kind === 'retryable') || error?.code === 'out-of-time';
  }

  private consumer(graph: CompiledModel): Consumer {
    const { world } = this;
    const { timeline } = world;
    const alive = (this.byModel.get(graph) ?? []).filter(({ process }) => !process.isDead);
    this.byModel.set(graph, alive);
    const idle = alive.find(({ isBusy }) => !isBusy);
    if (idle?.process.random.chance(WARM)) return idle;
    const process = world.process('consumer');
    const { random } = process;
    if (!world.isCalm && random.chance(0.15) && world.plan.happens('consumers that crash')) process.crashWithin(30);
    const consumer = {
      process,
      isBusy: false,
      projector: createProjector(graph, {
        // rule: registry-is-read-after-the-records-are-held
        ...{ store: storeOf(world.table, process), wait: (milliseconds: number) => timeline.sleep(milliseconds) },
        ...{ concurrency: random.oneOf([1, 4, 16]), fanOutPageSize: 1 + random.below(4) },
        now: world.machineTime,
        random: () => random.next(),
      }),
    };
    alive.push(consumer);
    return consumer;
  }
}

function nameOfRecord({ dynamodb }: RawRecord): string {
  return `${dynamodb?.Keys?.['source'].S}/${dynamodb?.Keys?.['target'].S}`;
}

/** Whether a consumer of the model lacks a function that some model of this world means. */
export function lacksCode(world: World, version: number): boolean {
  const spec = world.specs[version]!;
  const own = versionsOf(spec);
  // A model that has no such `derive` has none of its functions.
  const lacks = (place: keyof typeof own): boolean =>
    world.specs
      .map((other) => versionsOf(other)[place])
      .some((meant) => meant > 0 && meant !== own[place] && (own[place] === 0 || !spec.code.includes(meant)));
  return lacks('initial') || lacks('mark');
}

/** The event source mapping of a shard: batches at any border, again where they failed, given up where it may. */
export async function deliver(world: World, lane: Lane): Promise<void> {
  const { timeline, consumers } = world;
  const random = world.plan.draws('mapping');
  let attempts = 0;
  for (;;) {
    const left = lane.records.length - lane.done;
    if (left === 0) {
      await new Promise<void>((resolve) => {
        lane.wake = resolve;
      });
      await timeline.sleep(50 + random.below(400));
      continue;
    }
    if ((lane.stoodUntilMs ?? 0) > timeline.nowMs) {
      await timeline.sleep(lane.stoodUntilMs! - timeline.nowMs);
      continue;
    }
    if (!world.lanes.includes(lane)) return;
    const batch = lane.records.slice(lane.done, lane.done + 1 + random.below(Math.min(left, MOST_RECORDS)));
    const timeoutMs = world.isCalm ? 900_000 : 5_000 + random.below(60_000);
    const version = random.oneOf(world.deployed as [number]);
    const invoking = consumers.invoke(version, batch, timeoutMs * 0.9);
    // Beyond its time the batch comes again, while the first invocation may go on for ever.
    invoking.catch(() => undefined);
    const delivery = await Promise.race([invoking, timeline.sleep(timeoutMs).then(() => 'late' as const)]);
    if (!world.lanes.includes(lane)) return;
    if (delivery === 'late') world.count('zombies');
    if (typeof delivery === 'object' && delivery.failedFrom === undefined) {
      lane.done += batch.length;
      attempts = 0;
    } else {
      attempts += 1;
      if (typeof delivery === 'object') {
        const place = batch.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === delivery.failedFrom);
        if (place < 0) world.fail('threw', 'a batch fails from a record that it does not have');
        lane.done += Math.max(0, place);
        batch.splice(0, Math.max(0, place));
      }
      if (attempts > 2 && random.chance(0.3) && !world.isCalm && world.plan.happens('batches that are given up')) {
        world.givenUp.push(batch);
        world.gaveUp = true;
        lane.done += batch.length;
        world.count('batches given up');
        attempts = 0;
      }
      await timeline.sleep(500 + random.below(4_000));
    }
    world.checkDrained();
  }
}

/** A batch of the past comes once more, however old, cut as it likes, to a consumer of any model. */
export async function redeliver(world: World): Promise<void> {
  const random = world.plan.draws('redelivery');
  const lane = random.oneOf(world.lanes as [Lane]);
  if (lane.done === 0) return;
  const first = random.below(lane.done);
  const batch = lane.records.slice(first, Math.min(lane.done, first + 1 + random.below(10)));
  world.count('batches that come again');
  await world.consumers.invoke(random.below(world.specs.length), batch, 900_000);
}

/** Settles what mappings gave up on; what fails stays. */
export async function redriveGivenUp(world: World, version: number): Promise<void> {
  const graph = world.graphs[version]!;
  for (const batch of [...world.givenUp]) {
    const { isCalm, timeline } = world;
    const process = world.process('redrive of a batch');
    const { random } = process;
    const records = decodeRecords(graph, batch);
    const redriving = redriveRecords(records, {
      ...{ graph, store: storeOf(world.table, process), now: world.machineTime },
      wait: (milliseconds) => timeline.sleep(milliseconds),
      random: () => random.next(),
    });
    const result = await Promise.race([redriving, process.crashed]);
    if (result === undefined) return;
    const { repaired, reasons } = result;
    world.count('batches redriven');
    if (repaired < records.length) {
      if (isCalm && !lacksCode(world, version))
        world.fail('unfinished', `a redrive of model ${version} leaves something: ${reasons.join('; ')}`);
      world.count('redrives that wait for code');
      return;
    }
    world.givenUp = world.givenUp.filter((other) => other !== batch);
  }
  world.checkDrained();
}
