import { StoreError } from '../../../../src/foundation/errors.ts';
import { type ModelOptions, PLAIN_OPTIONS } from '../projecting/models.ts';
import { Stage, type StageOptions } from './stage.ts';

/** What several written schedules of the observer begin with. */

/** The edge that nodes have in them. */
export const EDGE = 'MEMBER-USER-1';
const COPYING: ModelOptions = { ...PLAIN_OPTIONS, copies: 'name' };

/** Nodes with an edge each. The observer has begun. */
export async function linked(sources: readonly string[], options: Partial<StageOptions> = {}): Promise<Stage> {
  const stage = new Stage({ model: PLAIN_OPTIONS, ...options });
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

/** Nobody can read a shard. */
export function throttle(stage: Stage, throttled: string): void {
  stage.stream.beforeRead = async (shardId) => {
    if (shardId !== throttled) return;
    throw new StoreError('retryable', 'LimitExceededException', 'Too many reads of the shard.');
  };
}

/** The shard of all items is closed, and goes on in a child. */
export function splitShard(stage: Stage): void {
  stage.stream.close('S');
  stage.stream.open('S2', 'S');
  stage.shardOf = () => 'S2';
}

/** Nodes that have an edge to a parent, whose name they copy. The observer has begun. */
export async function parentOf(
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
export async function childSeenLate(shardOf: (name: string) => string, shards: string[]): Promise<Stage> {
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
