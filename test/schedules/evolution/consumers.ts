import { createProjector, StoreError } from '../../../src/index.ts';
import { redriveRecords } from '../../../src/repair/redrive-records.ts';
import { decodeRecords, type RawRecord } from '../../../src/tools.ts';
import { storeOf } from './store.ts';
import { type Lane, versionsOf, type World } from './world.ts';

/** A batch came to an end: from which record on it has to come again, if any. */
type Delivery = { failedFrom?: string } | 'crashed';

const CALM = { stall: 0, longestStallMs: 0, fault: 0 };

/** Invokes a consumer of a model with a batch. */
async function invoke(
  world: World,
  version: number,
  batch: readonly RawRecord[],
  remainingMs: number,
): Promise<Delivery> {
  const { timeline, random } = world;
  const process = world.process(world.isCalm ? CALM : world.weather);
  if (!world.isCalm && random.chance(0.08)) process.crashWithin(12);
  const graph = world.graphs[version]!;
  const endsAtMs = timeline.nowMs + remainingMs;
  const projector = createProjector(graph, {
    store: storeOf(world.table, process),
    ...{ concurrency: random.oneOf([1, 4, 16]), fanOutPageSize: 1 + random.below(4) },
    now: world.machineTime,
    wait: (milliseconds) => timeline.sleep(milliseconds),
    random: () => random.next(),
  });
  const projecting = projector.project(decodeRecords(graph, batch), { remainingMs: () => endsAtMs - timeline.nowMs });
  projecting.catch((thrown: Error) => world.fail(`a projector throws: ${thrown.stack}`));
  const result = await Promise.race([projecting, process.crashed]);
  if (result === undefined) return 'crashed';
  world.log(
    `batch of ${batch.length} by ${version}: ${result.error?.message ?? 'applied'} ${batch.map(({ dynamodb: d }) => `${d?.Keys?.['source'].S}/${d?.Keys?.['target'].S}`)}`,
  );
  world.count('batch');
  if (result.quarantined > 0) world.count('quarantined');
  const { error, failedFrom } = result;
  if (failedFrom === undefined) return {};
  const isExpected =
    (error instanceof StoreError && error.kind === 'retryable') ||
    error?.code === 'out-of-time' ||
    (error?.code === 'projection-code-missing' && lacksCode(world, version)) ||
    (world.isLenient && error?.code.startsWith('registry'));
  world.count(`batch failed: ${error?.code}`);
  if (!isExpected) world.fail(`a batch of model ${version} fails: ${error?.stack}`);
  return { failedFrom: failedFrom.sequenceNumber };
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
  const { timeline, random } = world;
  let attempts = 0;
  for (;;) {
    const left = lane.records.length - lane.done;
    if (left === 0) {
      await timeline.sleep(50 + random.below(400));
      if (!world.lanes.includes(lane)) return;
      continue;
    }
    const batch = lane.records.slice(lane.done, lane.done + 1 + random.below(Math.min(left, 12)));
    const timeoutMs = world.isCalm ? 900_000 : 5_000 + random.below(60_000);
    const version = random.oneOf(world.deployed as [number]);
    const invoking = invoke(world, version, batch, timeoutMs * 0.9);
    // Beyond its time the batch comes again, while the first invocation may go on for ever.
    invoking.catch(() => undefined);
    const delivery = await Promise.race([invoking, timeline.sleep(timeoutMs).then(() => 'crashed' as const)]);
    if (!world.lanes.includes(lane)) return;
    if (delivery !== 'crashed' && delivery.failedFrom === undefined) {
      lane.done += batch.length;
      attempts = 0;
    } else {
      attempts += 1;
      if (delivery !== 'crashed') {
        const place = batch.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === delivery.failedFrom);
        if (place < 0) world.fail('a batch fails from a record that it does not have');
        lane.done += Math.max(0, place);
        batch.splice(0, Math.max(0, place));
      }
      if (attempts > 3 && random.chance(0.2) && !world.isCalm) {
        world.givenUp.push(batch);
        world.gaveUp = true;
        lane.done += batch.length;
        world.count('given up');
        attempts = 0;
      }
      await timeline.sleep(500 + random.below(4_000));
    }
    world.checkDrained();
  }
}

/** A batch of the past comes once more, however old, cut as it likes, to a consumer of any model. */
export async function redeliver(world: World): Promise<void> {
  const { random } = world;
  const lane = random.oneOf(world.lanes as [Lane]);
  if (lane.done === 0) return;
  const first = random.below(lane.done);
  const batch = lane.records.slice(first, Math.min(lane.done, first + 1 + random.below(10)));
  world.count('redelivered');
  const version = random.below(world.specs.length);
  await invoke(world, version, batch, 900_000);
}

/** Settles what mappings gave up on; what fails stays. */
export async function redriveGivenUp(world: World, version: number): Promise<void> {
  const graph = world.graphs[version]!;
  for (const batch of [...world.givenUp]) {
    const process = world.process(CALM);
    const store = storeOf(world.table, process);
    const records = decodeRecords(graph, batch);
    const redriving = redriveRecords(records, { graph, store, now: world.machineTime });
    const result = await Promise.race([redriving, process.crashed]);
    if (result === undefined) return;
    const { repaired, reasons } = result;
    world.count('redriven');
    if (repaired < records.length) {
      if (!lacksCode(world, version))
        world.fail(`a redrive of model ${version} leaves something: ${reasons.join('; ')}`);
      world.count('redrive waits');
      return;
    }
    world.givenUp = world.givenUp.filter((other) => other !== batch);
  }
  world.checkDrained();
}
