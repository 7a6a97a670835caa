import { childSeenLate, EDGE, parentOf } from './scenes.ts';
import type { WrittenSchedule } from './stage.ts';

/** Written schedules of what is told as drift, and of the fan-outs that explain a difference. */

export const ALARMS: Readonly<Record<string, WrittenSchedule>> = {
  'a fan-out takes minutes for each of its pages': {
    // The low watermark passes the parent's record with the first page: it waits for the continuation's record, which is later.
    bug: 'alarm-during-a-fan-out',
    shows: 'false-alarm',
    async play() {
      const stage = await parentOf(['GOAL-1', 'GOAL-2', 'GOAL-3'], { fanOutPageSize: 1 });
      stage.until(100);
      await stage.write('USER-1', 'USER-1', { name: 'Second' });
      await stage.project();
      await stage.turns(101, 220);
      await stage.project();
      await stage.turns(221, 340);
      await stage.projectAll();
      return await stage.rest();
    },
  },

  'a fan-out is stuck, and its children have still to be visited': {
    // The record of the continuation is given up, so nothing visits the children any more.
    bug: 'stuck-fan-out-holds-the-time',
    shows: 'stalled',
    async play() {
      const stage = await parentOf(['GOAL-1', 'GOAL-2', 'GOAL-3'], { fanOutPageSize: 1 });
      stage.knowsMark = false;
      stage.until(100);
      await stage.write('USER-1', 'USER-1', { name: 'Second' });
      await stage.project();
      stage.giveUp();
      return await stage.rest();
    },
  },

  'five nodes change at once, so that the fan-out of one of them is not queried when its child is judged': {
    // Four Queries begin in a turn. The parent's record is received with all that was made before the end of the look, so that the difference
    // is judged in the turn in which its own Query has still to begin.
    bug: 'alarm-beside-an-open-fan-out',
    shows: 'false-alarm',
    async play() {
      const others = ['USER-2', 'USER-3', 'USER-4', 'USER-5'];
      const shardOf = (name: string): string =>
        name.startsWith('GOAL') ? 'child' : others.some((one) => name.startsWith(one)) ? 'others' : 'parent';
      const stage = await childSeenLate(shardOf, ['parent', 'child', 'others']);
      stage.until(113);
      for (const user of others) await stage.write(user, user, { name: 'Second' });
      stage.until(114);
      await stage.write('USER-9', 'USER-9', {});
      await stage.write('GOAL-9', 'GOAL-9', {});
      stage.until(125);
      await stage.turn();
      await stage.projectAll();
      return await stage.rest();
    },
  },

  'a parent changes twice while the observer is away, and its second change is not applied yet': {
    // Both records open one fan-out, which keeps the oldest of them. The low watermark is between the two.
    bug: 'oldest-touch-decides',
    shows: 'false-alarm',
    async play() {
      const stage = await parentOf(['GOAL-1']);
      stage.until(10);
      await stage.write('USER-1', 'USER-1', { name: 'Second' });
      await stage.projectAll();
      stage.until(70);
      await stage.write('USER-1', 'USER-1', { name: 'Third' });
      await stage.turns(100, 220);
      await stage.projectAll();
      return await stage.rest();
    },
  },

  'a reverse item is deleted by hand after the fan-out has visited its copy, and before the observer asks whom that reaches':
    {
      // The Query does not name the child. When the difference is judged, the record of the view that the fan-out has written is not shown yet.
      bug: 'fan-out-is-closed-with-its-query',
      shows: 'false-alarm',
      async play() {
        const shardOf = (name: string): string => (name.startsWith('GOAL') ? 'child' : 'parent');
        const stage = await childSeenLate(shardOf, ['parent', 'child']);
        stage.until(116);
        stage.late = 10;
        await stage.project('USER-1 USER-1');
        stage.until(117);
        await stage.write('USER-1', '~rev/MEMBER-GOAL-1');
        stage.late = 0;
        await stage.turns(118, 125);
        await stage.projectAll();
        return await stage.rest();
      },
    },

  'a clock that is ahead stamps a record after the look that a hidden one explains': {
    // The record before the parent's is stamped 103, five seconds ahead; the look has ended at 100.
    bug: 'received-without-clocks',
    shows: 'false-alarm',
    async play() {
      const stage = await parentOf([]);
      stage.ahead['S'] = 5;
      stage.until(50);
      await stage.write('GOAL-1', EDGE, { role: 'LEAD' });
      await stage.projectAll();
      stage.until(97);
      await stage.turn();
      stage.until(98);
      stage.late = 3;
      await stage.write('USER-2', 'USER-2', {});
      stage.until(99);
      stage.late = 10;
      await stage.write('USER-1', 'USER-1', { name: 'Second' });
      stage.late = 0;
      await stage.turns(100, 104);
      await stage.projectAll();
      return await stage.rest();
    },
  },
};
