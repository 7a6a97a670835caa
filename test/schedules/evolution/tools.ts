import {
  type CheckResult,
  check,
  EdgeloomError,
  type MigrateOptions,
  type MigrateResult,
  migrate,
  redrive,
} from '../../../src/index.ts';
import { type Head, readHead } from '../../../src/registry/head.ts';
import { lacksCode } from './consumers.ts';
import type { Process } from './process.ts';
import { storeOf } from './store.ts';
import type { World } from './world.ts';

export type Action = NonNullable<MigrateOptions['action']>;

/** How a run of a tool may end. */
export type Run<T> = { ended: T } | { refused: string } | 'crashed';

const CALM = { stall: 0, longestStallMs: 0, fault: 0 };
/** Errors by which a tool says that it cannot do this now. */
const REFUSALS = [
  ...['ThrottlingException', 'overtaken', 'last-generation', 'registry-conflict', 'projection-code-missing'],
  ...['unknown-projection', 'unknown-generation', 'nothing-to-do', 'index-behind'],
];

/** Runs a tool in a process of its own, which may crash between any two calls. */
async function run<T>(
  world: World,
  name: string,
  crashes: boolean,
  work: (process: Process) => Promise<T>,
  isCalm = false,
): Promise<Run<T>> {
  const process = world.process(isCalm ? CALM : world.weather);
  if (crashes) process.crashWithin(world.random.oneOf([10, 60, 300]));
  try {
    const working = work(process);
    working.catch(() => undefined);
    const result = await Promise.race([working, process.crashed.then(() => 'crashed' as const)]);
    world.log(`${name} ${result === 'crashed' ? 'crashed' : 'ended'}`);
    world.count(`${name} ${result === 'crashed' ? 'crashed' : 'ended'}`);
    return result === 'crashed' ? 'crashed' : { ended: result as T };
  } catch (error) {
    const code = error instanceof EdgeloomError ? error.code : '';
    if (!REFUSALS.includes(code)) world.fail(`${name} fails: ${(error as Error).stack}`);
    world.log(`${name} refused: ${(error as Error).message}`);
    world.count(`${name} refused: ${code}`);
    return { refused: code };
  }
}

/** Brings a model to the table, in one run or in calls that go on where the last one stopped. */
export async function runMigrate(
  world: World,
  version: number,
  { action, crashes = false, isCalm = false }: { action?: Action; crashes?: boolean; isCalm?: boolean } = {},
): Promise<Run<MigrateResult>> {
  const { timeline, random } = world;
  const identity = { ...world.identity };
  const inCalls = random.chance(0.3);
  return await run(
    world,
    `migrate${action ? ` ${action.kind}` : ''}`,
    crashes,
    async (process) => {
      const options: MigrateOptions = {
        graph: world.graphs[version]!,
        store: storeOf(world.table, process),
        table: identity,
        ...(action && { action }),
        ...{ segments: 1 + random.below(4), concurrency: random.oneOf([1, 4, 16]) },
        clock: () => timeline.nowMs,
        ...{ serverTime: world.serverTime, now: world.machineTime },
        wait: (milliseconds) => timeline.sleep(milliseconds),
        random: () => random.next(),
        onStep: ({ step, projection, state }) => world.log(`migrate ${version}: ${step} ${projection} ${state}`),
      };
      if (!inCalls) return await migrate(options);
      for (let resume: MigrateOptions['resume']; ; ) {
        const endsAtMs = timeline.nowMs + 500 + random.below(10_000);
        const remainingMs = (): number => endsAtMs - timeline.nowMs;
        const result: MigrateResult = await migrate({ ...options, remainingMs, waitsBetweenCalls: true, resume });
        if (result.place === undefined) return result;
        resume = JSON.parse(JSON.stringify(result.place)) as typeof resume;
        await timeline.sleep((result.waitSeconds ?? 0) * 1_000 + random.below(2_000));
      }
    },
    isCalm,
  );
}

/** A check that reports, repairs or rebuilds. */
export async function runCheck(
  world: World,
  version: number,
  mode: 'report' | 'repair' | 'rebuild',
  { crashes = false, isCalm = false, onFinding = (_: string): unknown => undefined } = {},
): Promise<Run<CheckResult>> {
  const { timeline, random } = world;
  return await run(
    world,
    mode,
    crashes,
    (process) =>
      check({
        ...{ graph: world.graphs[version]!, store: storeOf(world.table, process), mode },
        ...{ streamLabel: world.identity.streamLabel, segments: 1 + random.below(3) },
        ...{ serverTime: world.serverTime, now: world.machineTime },
        wait: (milliseconds) => timeline.sleep(milliseconds),
        onFinding: (finding) => onFinding(JSON.stringify(finding)),
      }),
    isCalm,
  );
}

/** Settles what is quarantined. */
export async function runRedrive(world: World, version: number): Promise<void> {
  await run(
    world,
    'redrive',
    false,
    async (process) => {
      const graph = world.graphs[version]!;
      const result = await redrive({ graph, store: storeOf(world.table, process), now: world.machineTime });
      if (result.left > 0 && !lacksCode(world, version)) world.count('redrive left');
      return result;
    },
    true,
  );
}

/** What the registry says, read by the one who looks at the world from above. */
export async function registryOf(world: World): Promise<Head['registry'] | undefined> {
  const process = world.process(CALM);
  const head = await readHead({ store: storeOf(world.table, process), stats: { rcu: 0 } } as never);
  return head?.registry;
}
