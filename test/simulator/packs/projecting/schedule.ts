import type { CheckOptions } from '../../../../src/trust/check/check.ts';
import type { Finding } from '../../../../src/trust/check/finding.ts';
import { codeRunsOn } from '../../kernel/agenda.ts';
import type { Choices } from '../../kernel/choices.ts';
import { asFailures } from '../../kernel/pack.ts';
import { type Outcome, scriptedPack } from '../../kernel/shrink.ts';
import { CALM } from './climate.ts';
import { damage } from './damage.ts';
import { directedSchedules } from './directed.ts';
import { inspect } from './inspection.ts';
import { interruptedWorker } from './interrupted-worker.ts';
import { LONGEST_TIMEOUT } from './time.ts';
import { derivedDifferences, differences } from './verdict.ts';
import { World } from './world.ts';

/** More happenings than this, and a schedule does not come to rest. */
const MOST_HAPPENINGS = 50_000;
/** After so many happenings nothing goes wrong any more. */
const ROUGH_HAPPENINGS = 3_000;
/** Burying tombstones may delete base items too, whose records have to be projected: rounds until nothing is left. */
const BURIALS = 3;

/** The pack of the projector's protocol. */
export const PACK = {
  ...scriptedPack(run),
  /** The schedules that are written down, or with `worker` the one of the local worker that is interrupted. */
  written: async (name?: string) => asFailures(await (name === 'worker' ? interruptedWorker() : directedSchedules())),
};

async function run(choices: Choices, trace?: (line: string) => void): Promise<Outcome> {
  const world = new World(choices, trace);
  world.plan();
  let isAtRest = await untilQuiet(world);
  if (isAtRest && world.failures.length === 0) await inspectAtRest(world);
  for (let i = 0; isAtRest && i < BURIALS; i++) {
    world.bury(`burial${i}`);
    isAtRest = await untilQuiet(world);
  }
  if (isAtRest) judge(world);
  return { failures: world.failures, script: choices.recorded, counters: world.counters };
}

function judge(world: World): void {
  const { options, table, mapping } = world;
  const { givenUp, unmended } = mapping;
  const quiet = { options, items: [...table.items()], givenUp, unmended };
  for (const difference of differences(quiet)) world.fail('diverged', difference);
}

/**
 * Sometimes the derived items of a table at rest are broken. A check has to find it, and all of it has to be right after a
 * repair, as what records that were given up have left behind has to be; a second check then finds nothing. Records go on
 * being projected afterwards.
 */
async function inspectAtRest(world: World): Promise<void> {
  const { choices, climate, mapping } = world;
  const isDamaged = choices.chance('damaged', climate.damage);
  if (!isDamaged && mapping.unmended.size === 0) return;
  judge(world);
  if (world.failures.length > 0) return;
  if (isDamaged) world.count('damaged items', await damage(world, 'damage'));
  world.climate = CALM;
  // Until every replica has what is there.
  world.agenda.now += LONGEST_TIMEOUT;
  const partitions = wrongPartitions(world);
  const found = new Set((await inspected(world, 'check1', 'report')).map(({ source }) => source));
  for (const [source, difference] of partitions) {
    if (!found.has(source)) world.fail('unseen-drift', `no check tells that ${difference}`);
  }
  world.count('repaired partitions', found.size);
  await inspected(world, 'repair', choices.chance('rebuilds', 0.3) ? 'rebuild' : 'repair');
  for (const difference of wrongPartitions(world).values()) world.fail('unseen-drift', `after a repair ${difference}`);
  for (const finding of await inspected(world, 'check2', 'report')) {
    world.fail('false-alarm', `after a repair ${JSON.stringify(finding)}`);
  }
  mapping.unmended.clear();
  world.climate = climate;
  if (world.failures.length > 0) return;
  mapping.echo('echo');
  await untilQuiet(world);
}

/** Runs a check of the table to its end; gives the drift that it finds. */
async function inspected(world: World, name: string, mode: CheckOptions['mode']): Promise<Finding[]> {
  const inspection = inspect(world, name, mode);
  // One that writes nothing leaves nothing to be done, and time should not pass by its timeout.
  await untilQuiet(world, () => mode === 'report' && inspection.result !== undefined);
  if (inspection.result === undefined) world.fail('threw', `${name} did not come to its end`);
  return inspection.findings;
}

/** Partitions with something derived that is not what the base items say, and one difference in each. */
function wrongPartitions({ options, table }: World): Map<string, string> {
  return new Map(derivedDifferences(options, [...table.items()]).map((text) => [text.split(' ')[0]!, text]));
}

async function untilQuiet(world: World, isDone = (): boolean => false): Promise<boolean> {
  for (let i = 0; i < MOST_HAPPENINGS; i++) {
    if (i === ROUGH_HAPPENINGS) world.calm();
    const happening = world.agenda.next();
    if (happening === undefined) return true;
    if (happening()) await codeRunsOn();
    if (isDone()) return true;
    if (world.failures.some(({ kind }) => kind === 'endless')) return false;
  }
  world.fail('endless', `more than ${MOST_HAPPENINGS} happenings`);
  return false;
}
