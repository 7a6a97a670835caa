import { codeRunsOn } from '../../kernel/agenda.ts';
import type { Choices } from '../../kernel/choices.ts';
import { STREAM_LIMITS } from '../../kernel/shown-stream.ts';
import { type Outcome, scriptedPack } from '../../kernel/shrink.ts';
import { damage } from '../projecting/damage.ts';
import { HOUR } from '../projecting/time.ts';
import { World } from '../projecting/world.ts';
import { SessionClient } from './clients.ts';
import { playOfBug } from './directed.ts';
import { Observation } from './observation.ts';
import { ProductLowWatermark } from './product-low-watermark.ts';
import { ObservedStreams } from './stream.ts';

/** Schedules of the observer: it verifies, beside everything that the simulator does, what the projector makes of it. */

const MOST_HAPPENINGS = 60_000;
/** The observer works on while producers pause, at times for days: it reads, and looks at the drift that it knows. */
const HAPPENINGS_AN_HOUR = 1_000;
const ROUGH_HAPPENINGS = 4_000;
/** Damages are spread over the time of the producers. */
const MOST_DAMAGES = 3;
const MOST_CLIENTS = 2;

/** The pack of the observer. */
export const PACK = { ...scriptedPack(run), written: playOfBug };

async function run(choices: Choices, trace?: (line: string) => void): Promise<Outcome> {
  let now = (): number => 0;
  const streams = new ObservedStreams(choices, () => now());
  const world = new World(choices, trace, streams);
  now = () => world.agenda.now;
  // Keys of schedules that were kept before the product's mark was known here are dull: the mark is the oracle's.
  const usesProductLowWatermark = choices.chanceAside('observer.product-mark', 0.25);
  streams.choose(usesProductLowWatermark);
  // What the stream shows is in the table by the time that the observer looks at it.
  world.longestTransactionMs = STREAM_LIMITS.transactionMs;
  const hours = world.plan() / HOUR;
  const mark = usesProductLowWatermark ? new ProductLowWatermark(world, streams) : undefined;
  const observation = new Observation(world, streams, choices.chance('observer.knows-mark', 0.9), mark);
  const start = choices.drawn('observer.start', (random) => (random.chance(0.5) ? 0 : random.below(60_000)));
  observation.start(start);
  planDamage(world, observation);
  if (mark !== undefined) planClients(world, observation, mark);
  const mostHappenings = MOST_HAPPENINGS + HAPPENINGS_AN_HOUR * hours;
  for (let i = 0; i < mostHappenings && observation.lastWord === undefined; i++) {
    if (i === ROUGH_HAPPENINGS) world.calm();
    if (world.failures.length > 0) break;
    const happening = world.agenda.next();
    if (happening === undefined && !observation.hasDied) break;
    if (happening?.() === true) await codeRunsOn();
    if (observation.hasDied) observation.replace();
  }
  if (world.failures.length === 0 && observation.lastWord === undefined)
    world.fail('endless', 'the observer has no last word');
  return { failures: world.failures, script: choices.recorded, counters: world.counters };
}

/** Clients with sessions write and read beside the observer, and sweeps claim what nobody has claimed. */
function planClients(world: World, observation: Observation, mark: ProductLowWatermark): void {
  mark.plan();
  const count = world.choices.pick('clients', MOST_CLIENTS + 1);
  for (let i = 0; i < count; i++) new SessionClient(world, `client${i}`, i, observation, mark).plan();
}

/** Derived items are broken while everything is at work: only the observer finds it. */
function planDamage(world: World, observation: Observation): void {
  const { choices, agenda } = world;
  if (!choices.chance('observed.damage', 0.4)) return;
  const count = 1 + choices.pick('observed.damages', MOST_DAMAGES);
  // An operator's check would find the same, and be taken for a false alarm.
  world.climate = { ...world.climate, check: 0 };
  for (let i = 0; i < count; i++) {
    const name = `observed.damage${i}`;
    const delay = choices.drawn(`${name}.at`, (random) => random.below(random.oneOf([1_000, 60_000, 1_800_000])));
    agenda.in(1 + delay, () => {
      const before = new Map(world.written);
      void damage(world, name, true).then((times) => {
        if (times > 0) world.count('damages beside the projector');
        for (const [key, atMs] of world.written) if (before.get(key) !== atMs) broken(observation, key);
      });
      return true;
    });
  }
}

function broken(observation: Observation, key: string): void {
  const [source = '', target = ''] = key.split(' ');
  observation.broken.add(source);
  // Without them fan-outs do not find what they have to change, or do not go on.
  if (target.startsWith('~rev/') || target.startsWith('~more/')) observation.isBrokenAnywhere = true;
}
