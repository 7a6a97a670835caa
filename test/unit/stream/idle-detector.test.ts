import { expect, it } from 'vitest';
import { IdleDetector } from '../../../src/stream/idle-detector.ts';

it('is quiet when every shard was polled twice in vain', () => {
  const quiet = new IdleDetector();
  quiet.noteOpened('a');
  quiet.noteOpened('b');
  expect(quiet.isQuiet()).toBe(false);
  for (const shardId of ['a', 'b', 'a']) {
    quiet.noteEmptyPoll(shardId);
    expect(quiet.isQuiet()).toBe(false);
  }
  quiet.noteEmptyPoll('b');
  expect(quiet.isQuiet()).toBe(true);
});

it('starts anew for all shards when anything is read in one of them', () => {
  const quiet = new IdleDetector();
  for (const shardId of ['a', 'b']) {
    quiet.noteOpened(shardId);
    quiet.noteEmptyPoll(shardId);
    quiet.noteEmptyPoll(shardId);
  }
  quiet.noteActivity();
  quiet.noteEmptyPoll('a');
  quiet.noteEmptyPoll('a');
  expect(quiet.isQuiet()).toBe(false);
  quiet.noteEmptyPoll('b');
  quiet.noteEmptyPoll('b');
  expect(quiet.isQuiet()).toBe(true);
});

it('is not quiet while a known shard waits for its parent, and a closed shard does not count', () => {
  const quiet = new IdleDetector();
  quiet.noteOpened('a');
  quiet.noteOpened('parent');
  quiet.noteWaiting(1);
  quiet.noteEmptyPoll('a');
  quiet.noteEmptyPoll('a');
  quiet.noteClosed('parent');
  expect(quiet.isQuiet()).toBe(false);
  quiet.noteWaiting(0);
  expect(quiet.isQuiet()).toBe(true);
});
