import { expect, it } from 'vitest';
import { IdleDetector } from '../../../src/stream/idle-detector.ts';

it('is quiet when every shard was polled twice in vain', () => {
  const quiet = new IdleDetector();
  quiet.opened('a');
  quiet.opened('b');
  expect(quiet.isQuiet()).toBe(false);
  for (const shardId of ['a', 'b', 'a']) {
    quiet.emptyPoll(shardId);
    expect(quiet.isQuiet()).toBe(false);
  }
  quiet.emptyPoll('b');
  expect(quiet.isQuiet()).toBe(true);
});

it('starts anew for all shards when anything is read in one of them', () => {
  const quiet = new IdleDetector();
  for (const shardId of ['a', 'b']) {
    quiet.opened(shardId);
    quiet.emptyPoll(shardId);
    quiet.emptyPoll(shardId);
  }
  quiet.activity();
  quiet.emptyPoll('a');
  quiet.emptyPoll('a');
  expect(quiet.isQuiet()).toBe(false);
  quiet.emptyPoll('b');
  quiet.emptyPoll('b');
  expect(quiet.isQuiet()).toBe(true);
});

it('is not quiet while a known shard waits for its parent, and a closed shard does not count', () => {
  const quiet = new IdleDetector();
  quiet.opened('a');
  quiet.opened('parent');
  quiet.waiting(1);
  quiet.emptyPoll('a');
  quiet.emptyPoll('a');
  quiet.closed('parent');
  expect(quiet.isQuiet()).toBe(false);
  quiet.waiting(0);
  expect(quiet.isQuiet()).toBe(true);
});
