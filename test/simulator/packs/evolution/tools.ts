import {
  type CheckResult,
  check,
  type Finding,
  type MigrateAction,
  type MigrateOptions,
  type MigrateResult,
  type MigrateStep,
  migrate,
  redrive,
} from '../../../../src/admin.ts';
import { EdgeloomError } from '../../../../src/index.ts';
import { type DividedOptions, decideMigration, walkShare } from '../../../../src/migrate/divided/divided.ts';
import { type Head, readHead } from '../../../../src/registry/head.ts';
import { CALM, type Process } from '../../kernel/process.ts';
import { storeOf } from '../../kernel/table-store.ts';
import type { World } from './world.ts';

export type Action = MigrateAction;

/** How a run of a tool may end. */
export type Run<T> = { ended: T } | { refused: string } | 'crashed';

/** Errors by which a tool says that it cannot do this now. */
const REFUSALS = [
  ...['ThrottlingException', 'overtaken', 'last-generation', 'registry-conflict', 'projection-code-missing'],
  // The model may have changed back since the name was taken to drop.
  'shared-item',
];
/** Milliseconds that a call of a check takes at most: the registry changes while a slow check runs. */
const SLOWNESS = [undefined, undefined, 5_000, 15_000] as const;
const GRACE_TIMES = [100, 2_000, 45_000] as const;

/** Runs a tool in a process of its own, which may crash between any two calls. */
async function run<T>(world: World, name: string, process: Process, work: () => Promise<T>): Promise<Run<T>> {
  try {
    const working = work();
    working.catch(() => undefined);
    const result = await Promise.race([working, process.crashed.then(() => 'crashed' as const)]);
    world.log(`${name} ${result === 'crashed' ? 'crashed' : 'ended'}`);
    world.count(`${name} ${result === 'crashed' ? 'crashed' : 'ended'}`);
    return result === 'crashed' ? 'crashed' : { ended: result as T };
  } catch (error) {
    const code = error instanceof EdgeloomError ? error.code : '';
    if (!REFUSALS.includes(code)) world.fail('threw', `${name} fails: ${(error as Error).stack}`);
    world.log(`${name} refused: ${(error as Error).message}`);
    world.count(`${name} refused: ${code}`);
    return { refused: code };
  }
}

/** How a tool is run. */
export interface ToolOptions {
  /** It may crash, or stop for good. */
  crashes?: boolean;
  /** Nothing goes wrong for it. */
  isCalm?: boolean;
}

function toolProcess(world: World, name: string, { crashes = false, isCalm = false }: ToolOptions): Process {
  const process = isCalm ? world.process(name, () => CALM) : world.process(name);
  if (crashes && world.plan.happens('tools that crash')) process.crashWithin(process.random.oneOf([10, 60, 300]));
  return process;
}

/** Brings a model to the table, in one run or in calls that go on where the last one stopped. */
export async function runMigrate(
  world: World,
  version: number,
  {
    action,
    mostSteps,
    onStep = () => undefined,
    ...tool
  }: ToolOptions & Pick<MigrateOptions, 'mostSteps' | 'onStep'> & { action?: Action } = {},
): Promise<Run<MigrateResult>> {
  const { timeline } = world;
  const name = `migrate${action ? ` ${action.kind}` : ''}`;
  const process = toolProcess(world, name, tool);
  const { random } = process;
  const inCalls = random.chance(0.3);
  const graph = world.graphs[version]!;
  const options: MigrateOptions = {
    store: storeOf(world.table, process),
    table: { ...world.identity },
    // Producers write values that no projection takes.
    acceptLeftOut: true,
    ...(action && { action }),
    ...(mostSteps !== undefined && { mostSteps }),
    ...{ segments: 1 + random.below(4), concurrency: random.oneOf([1, 4, 16]) },
    clock: () => timeline.nowMs,
    ...{ serverTime: world.serverTime, now: world.machineTime },
    wait: (milliseconds) => timeline.sleep(milliseconds),
    random: () => random.next(),
    onStep: (made: MigrateStep) => {
      world.log(`migrate ${version}: ${made.step} ${made.projection} ${made.state}`);
      countStep(world, made);
      onStep(made);
    },
  };
  return await run(world, name, process, async () => {
    if (!inCalls) return await migrate(graph, options);
    for (let resume: MigrateOptions['resume']; ; ) {
      const endsAtMs = timeline.nowMs + 500 + random.below(10_000);
      const remainingMs = (): number => endsAtMs - timeline.nowMs;
      const result: MigrateResult = await migrate(graph, { ...options, remainingMs, waitsBetweenCalls: true, resume });
      if (result.place === undefined) return result;
      resume = JSON.parse(JSON.stringify(result.place)) as typeof resume;
      await timeline.sleep((result.waitSeconds ?? 0) * 1_000 + random.below(2_000));
    }
  });
}

function countStep(world: World, { step, projection }: MigrateStep): void {
  world.count(`step ${step}${step === 'delete' && projection.startsWith('index:') ? ' of an index' : ''}`);
}

/** Milliseconds until a share is taken up again after its worker has crashed, at most. */
const RETRY_MS = 20_000;
/** Milliseconds that a call of a worker has. */
const CALL_MS = 120_000;
/** Calls of a worker that may crash, as the state machine tries a call. */
const MOST_TRIES = 8;

/**
 * Brings a model to the table as the state machine does: calls that decide, and workers that walk shares of the table at the same time, each
 * call in a process of its own. A worker that crashes too often ends the run, which another one continues.
 */
export async function runDivided(
  world: World,
  version: number,
  { onStep = () => undefined, ...tool }: ToolOptions & Pick<MigrateOptions, 'onStep'> = {},
): Promise<Run<{ done: boolean }>> {
  const { timeline } = world;
  const name = 'divided migration';
  const leader = toolProcess(world, name, tool);
  const { random } = leader;
  const division = { shares: 1 + random.below(4), segmentsOfShare: 1 + random.below(3) };
  const optionsFor = (process: Process): DividedOptions => {
    const endsAtMs = timeline.nowMs + 500 + random.below(20_000);
    return {
      graph: world.graphs[version]!,
      store: storeOf(world.table, process),
      table: { ...world.identity },
      acceptLeftOut: true,
      concurrency: random.oneOf([1, 4]),
      clock: () => timeline.nowMs,
      ...{ serverTime: world.serverTime, now: world.machineTime },
      wait: (milliseconds) => timeline.sleep(milliseconds),
      random: () => random.next(),
      remainingMs: () => endsAtMs - timeline.nowMs,
      onStep: (made) => {
        world.log(`${name} ${version}: ${made.step} ${made.projection} ${made.state}`);
        countStep(world, made);
        onStep(made);
      },
    };
  };
  /** Walks a share to its end; false if its calls fail again and again. */
  const walked = async (share: { plan: string; share: number }): Promise<boolean> => {
    for (let tries = 0; tries < MOST_TRIES; ) {
      const worker = toolProcess(world, 'worker of a migration', tool);
      const walking = run(world, 'worker of a migration', worker, () => walkShare(optionsFor(worker), share));
      // A call whose time is over may still write while the next one walks.
      const result = await Promise.race([walking, timeline.sleep(CALL_MS).then(() => 'crashed' as const)]);
      if (result !== 'crashed' && 'ended' in result) {
        if (result.ended.isDone) return true;
        // It has saved its place.
        tries = 0;
      } else tries += 1;
      await timeline.sleep(random.below(RETRY_MS));
    }
    return false;
  };
  return await run(world, name, leader, async () => {
    for (;;) {
      const { done, shares, waitSeconds } = await decideMigration(optionsFor(leader), division);
      if (done) return { done };
      const all = await Promise.all(shares.map(walked));
      if (all.includes(false)) return { done };
      await timeline.sleep(waitSeconds * 1_000 + random.below(2_000));
    }
  });
}

/** How a check is run. */
export interface CheckRun extends ToolOptions {
  onFinding?: (finding: Finding) => void;
  /** How long the consumers may take, in milliseconds. Default: drawn. */
  graceMs?: number;
}

/** A check that reports, repairs or rebuilds, and knows how far the consumers have come. */
export async function runCheck(
  world: World,
  version: number,
  mode: 'report' | 'repair' | 'rebuild',
  { onFinding = () => undefined, graceMs, ...tool }: CheckRun = {},
): Promise<Run<CheckResult>> {
  const { timeline } = world;
  const name = `checks that ${mode}`;
  const process = toolProcess(world, name, tool);
  const { random } = process;
  const slowness = random.oneOf(SLOWNESS);
  if (slowness !== undefined && tool.isCalm !== true) process.slowDown(slowness);
  return await run(world, name, process, () =>
    check(world.graphs[version]!, {
      ...{ store: storeOf(world.table, process), mode, onFinding },
      ...{ segments: 1 + random.below(3) },
      graceMs: graceMs ?? random.oneOf(GRACE_TIMES),
      // By the check's own clock: it compares the answer with the time at which it looked.
      consumer: { appliedUpToMs: async () => world.appliedUpToMs + world.skews.machine },
      now: world.machineTime,
      wait: (milliseconds) => timeline.sleep(milliseconds),
      random: () => random.next(),
    }),
  );
}

/** Settles what is quarantined. */
export async function runRedrive(world: World, version: number): Promise<void> {
  const { timeline } = world;
  const process = world.process('redrive', () => CALM);
  const { random } = process;
  await run(world, 'redrive', process, async () => {
    const { left } = await redrive(world.graphs[version]!, {
      ...{ store: storeOf(world.table, process), now: world.machineTime },
      wait: (milliseconds) => timeline.sleep(milliseconds),
      random: () => random.next(),
    });
    if (left > 0) world.count('quarantined items that a redrive left');
  });
}

/** What the registry says, read by the one who looks at the world from above. */
export async function registryOf(world: World): Promise<Head['registry'] | undefined> {
  const process = world.process('look from above', () => CALM);
  const head = await readHead({ store: storeOf(world.table, process), stats: { rcu: 0 } } as never);
  return head?.registry;
}
