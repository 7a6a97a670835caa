import { StoreError } from '../../../src/foundation/errors.ts';
import { type ModelOptions, PLAIN_OPTIONS } from '../models.ts';
import { Stage, type StageOptions, type WrittenSchedule } from './stage.ts';

/** Written schedules of what is told as drift, and of the fan-outs that explain a difference. */

const COPYING: ModelOptions = { ...PLAIN_OPTIONS, copies: 'name' };
const EDGE = 'MEMBER-USER-1';

export const ALARMS: Readonly<Record<string, WrittenSchedule>> = {
  'a part is closed by a value that has come back, and opened again by an older record of a shard that is behind': {
    bug: 'closed-part-forgets-its-newest-touch',
    shows: 'false-alarm',
    async play() {
      const stage = await shardBehind();
      stage.stream.beforeRead = async () => undefined;
      await stage.turns(62, 99);
      await stage.projectAll();
      return await stage.rest();
    },
  },

  'a fan-out takes minutes for each of its pages': {
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

  'a reverse item is deleted by hand after the fan-out has visited its copy, and before the observer asks whom that reaches':
    {
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

/**
 * An edge changes twice, and the projector applies that. The shard of the derived items is behind from there on: the edge changes back, and
 * by the images that were read nothing is wrong. The projector has not applied this change yet.
 */
async function shardBehind(): Promise<Stage> {
  const shardOf = (name: string): string => (name.includes('~') ? 'derived' : 'base');
  const stage = new Stage({ model: PLAIN_OPTIONS, shardOf });
  for (const shard of ['derived', 'base']) stage.stream.open(shard);
  await stage.begin();
  stage.until(10);
  await stage.write('GOAL-1', EDGE, { role: 'LEAD' });
  await stage.project();
  stage.until(11);
  await stage.write('GOAL-1', EDGE, { role: 'TEAM' });
  await stage.turn();
  stage.stream.beforeRead = async (shardId) => {
    if (shardId === 'derived')
      throw new StoreError('retryable', 'LimitExceededException', 'Too many reads of the shard.');
  };
  stage.until(13);
  await stage.project();
  await stage.turns(14, 59);
  stage.until(60);
  await stage.write('GOAL-1', EDGE, { role: 'LEAD' });
  await stage.turns(60, 61);
  return stage;
}

/** Nodes that have an edge to a parent, whose name they copy. The observer has begun. */
async function parentOf(
  children: readonly string[],
  options: Partial<StageOptions> = {},
  shards = ['S'],
): Promise<Stage> {
  const stage = new Stage({ model: COPYING, ...options });
  for (const shard of shards) stage.stream.open(shard);
  await stage.write('USER-1', 'USER-1', { name: 'First' });
  for (const child of children) await stage.write(child, EDGE, { role: 'LEAD' });
  await stage.projectAll();
  await stage.begin();
  return stage;
}

/**
 * A child gets its edge while the observer is away, and is looked at as soon as that is back. Just before, its parent has changed; that record
 * is not shown yet.
 */
async function childSeenLate(shardOf: (name: string) => string, shards: string[]): Promise<Stage> {
  const stage = await parentOf([], { shardOf }, shards);
  stage.until(50);
  await stage.write('GOAL-1', EDGE, { role: 'LEAD' });
  await stage.projectAll();
  stage.until(97);
  await stage.turn();
  stage.until(99);
  stage.late = 10;
  await stage.write('USER-1', 'USER-1', { name: 'Second' });
  stage.late = 0;
  stage.until(100);
  await stage.turn();
  return stage;
}
