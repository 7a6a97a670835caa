import { damage, EDGE, linked, splitShard, throttle } from './scenes.ts';
import type { WrittenSchedule } from './stage.ts';

/** Written schedules of what a saved state has to hold, and of gaps. */

/** The seconds of a day and an hour. */
const [DAY, HOUR] = [86_400, 3_600];

export const RESTARTS: Readonly<Record<string, WrittenSchedule>> = {
  'an exception is touched by the view of its node, while another difference waits for its place': {
    // The view's record touches all that is wrong in its partition, although it wrote none of that. If the exception lost its place by this,
    // the other difference would be saved, and this one would not, which the time has passed.
    bug: 'exception-ends-with-a-touch',
    shows: 'unsound',
    async play() {
      const stage = await linked(['GOAL-1', 'GOAL-2'], { limits: { mostExceptions: 1 } });
      stage.until(50);
      await damage(stage, 'GOAL-1');
      await stage.turns(50, 200);
      await damage(stage, 'GOAL-2');
      await stage.turns(201, 323);
      stage.until(324);
      await damage(stage, 'GOAL-2', 'other');
      await stage.turns(324, 327);
      stage.until(328);
      await stage.store.put({ ...(await stage.read('GOAL-1', '~view')), evicted: { SS: ['LINK'] } });
      await stage.turns(328, 700);
      stage.save();
      stage.startObserver();
      await stage.turns(701, 800);
      return stage.broken;
    },
  },

  'a shard leaves the stream while a part that it has opened is still wrong, and the observer starts again': {
    // The projector is off for a day.
    bug: 'open-shard-is-forgotten',
    shows: 'unsound',
    async play() {
      const stage = await linked(['GOAL-1']);
      stage.until(10);
      await stage.write('GOAL-2', EDGE, { role: 'LEAD' });
      stage.until(20);
      splitShard(stage);
      await stage.turns(21, 60);
      await stage.turns(600, DAY + HOUR, 600);
      stage.stream.vanish('S');
      await stage.turns(DAY + HOUR + 10, DAY + HOUR + 20);
      stage.save();
      stage.startObserver();
      await stage.turns(DAY + HOUR + 21, DAY + HOUR + 120);
      await stage.projectAll();
      await stage.turns(DAY + HOUR + 121, DAY + HOUR + 150);
      await stage.checkWholeTable();
      return await stage.rest();
    },
  },

  'a shard cannot be read for more than a day': {
    // The record of what is broken has left the stream. There is no restart, and the shard itself is still there.
    bug: 'trimmed-records-are-no-gap',
    shows: 'unsound',
    async play() {
      const stage = await linked(['GOAL-1']);
      stage.until(2);
      await stage.write('GOAL-2', EDGE, { role: 'LEAD' });
      await stage.projectAll();
      await stage.turns(2, 9);
      throttle(stage, 'S');
      stage.until(10);
      await damage(stage, 'GOAL-1');
      await stage.turns(600, DAY + HOUR, 600);
      stage.stream.trim('S', stage.stream.recordsOf('S').length);
      stage.stream.expireIterators();
      stage.stream.beforeRead = async () => undefined;
      await stage.turns(DAY + HOUR + 1, DAY + HOUR + 60);
      await stage.checkWholeTable();
      return await stage.rest();
    },
  },

  'a check is under way while the table gets another stream': {
    // The check has read the node before the item is broken, for which neither stream has a record that is read.
    bug: 'check-before-the-gap',
    shows: 'unsound',
    async play() {
      const stage = await linked(['GOAL-1']);
      await stage.turns(1, 99);
      stage.save();
      stage.until(103);
      await damage(stage, 'GOAL-1');
      stage.until(110);
      stage.renewStream('T');
      stage.shardOf = () => 'T';
      stage.until(115);
      stage.startObserver();
      await stage.turn();
      stage.until(120);
      await stage.takeCleanCheck(100);
      await stage.turns(121, 200);
      await stage.checkWholeTable();
      return await stage.rest();
    },
  },
};
