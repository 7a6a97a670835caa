import { codeRunsOn } from '../../kernel/agenda.ts';
import type { Choices } from '../../kernel/choices.ts';
import { type Outcome, scriptedPack } from '../../kernel/shrink.ts';
import { World } from '../projecting/world.ts';
import { StreamsWithIndex } from './lagging-index.ts';
import { Watching } from './watching.ts';

/** Schedules of those who watch lists and nodes, beside everything that the simulator does: at rest each list is what a read gives. */

const MOST_HAPPENINGS = 60_000;
const ROUGH_HAPPENINGS = 4_000;

/** The pack of watched lists. */
export const PACK = scriptedPack(run);

async function run(choices: Choices, trace?: (line: string) => void): Promise<Outcome> {
  let now = (): number => 0;
  const streams = new StreamsWithIndex(choices, () => now());
  const world = new World(choices, trace, streams);
  now = () => world.agenda.now;
  streams.choose();
  world.plan();
  const watching = new Watching(world, streams);
  watching.start();
  for (let i = 0; i < MOST_HAPPENINGS && !watching.isJudged; i++) {
    if (i === ROUGH_HAPPENINGS) world.calm();
    if (world.failures.length > 0) break;
    const happening = world.agenda.next();
    if (happening === undefined) break;
    if (happening()) await codeRunsOn();
  }
  if (world.failures.length === 0 && !watching.isJudged) world.fail('endless', 'the lists never come to rest');
  return { failures: world.failures, script: choices.recorded, counters: world.counters };
}
