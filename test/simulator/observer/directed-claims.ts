import { PLAIN_OPTIONS } from '../models.ts';
import { Stage, type StageOptions, type WrittenSchedule } from './stage.ts';

/** Written schedules of the time that is claimed while one process runs. */

const EDGE = 'MEMBER-USER-1';

export const CLAIMS: Readonly<Record<string, WrittenSchedule>> = {
  'a record is shown late to an observer whose clock is ahead': {
    bug: 'empty-page-proves-all',
    shows: 'unsound',
    async play() {
      const stage = await linked({}, 'GOAL-1');
      stage.observerAhead = 5;
      await stage.turns(1, 94);
      stage.until(99);
      stage.late = 10;
      await damage(stage, 'GOAL-1');
      stage.late = 0;
      await stage.turns(107, 120);
      return await stage.rest();
    },
  },

  'an entry of a total is deleted by hand': {
    bug: 'entry-opens-no-total',
    shows: 'unsound',
    async play() {
      const stage = new Stage({ model: { ...PLAIN_OPTIONS, totals: 'inbound' } });
      stage.stream.open('S');
      await stage.write('GOAL-1', 'WORK-USER-1', { kind: 'A' });
      await stage.projectAll();
      await stage.begin();
      stage.until(10);
      await stage.write('USER-1', '~in/WORK-GOAL-1');
      return await stage.rest();
    },
  },
};

/** Nodes with an edge each; the observer has begun, with room for so many exceptions. */
export async function linked(limits: StageOptions['limits'] & {}, ...sources: string[]): Promise<Stage> {
  const stage = new Stage({ model: PLAIN_OPTIONS, limits });
  stage.stream.open('S');
  for (const source of sources) await stage.write(source, EDGE, { role: 'LEAD' });
  await stage.projectAll();
  await stage.begin();
  return stage;
}

/** Somebody writes to the index item of an edge. */
export async function damage(stage: Stage, source: string, place = 'broken'): Promise<void> {
  const item = await stage.read(source, `~ix/${EDGE}`);
  await stage.store.put({ ...item, gsi0sk: { S: place } });
}
