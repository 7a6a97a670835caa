import { PLAIN_OPTIONS } from '../projecting/models.ts';
import { damage, linked } from './scenes.ts';
import { Stage, type WrittenSchedule } from './stage.ts';

/** Written schedules of the time that is claimed while one process runs. */

export const CLAIMS: Readonly<Record<string, WrittenSchedule>> = {
  'a record is shown late to an observer whose clock is ahead': {
    // The observer's clock is five seconds ahead, as far as clocks may differ: that uses up the allowance for clocks.
    bug: 'empty-page-proves-all',
    shows: 'unsound',
    async play() {
      const stage = await linked(['GOAL-1']);
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
    // The entry is found by its own record. The total, which counts it still, has none.
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
