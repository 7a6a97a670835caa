import { drop, setValue } from '../../planted/changes.ts';
import type { Mutant } from '../../planted/mutant.ts';

/** Planted in the low watermark as the observer's tail moves it. */
export const MARK: readonly Mutant[] = [
  {
    name: 'mark-passes-what-is-not-read',
    rule: "A low watermark that a tail moves isn't later than what the tail has read.",
    changes: [setValue('low-watermark-is-not-later-than-the-reading', '{ source: listener, now }')],
  },
  {
    name: 'mark-of-the-end-of-the-look',
    rule: "A low watermark isn't later than the beginning of its look, because the look doesn't cover later records.",
    changes: [setValue('low-watermark-is-of-the-begin-of-its-look', 'appliedUpToMsOf(shards, this.context.now())')],
  },
  {
    name: 'saved-mark-passes-what-is-unclaimed',
    rule: 'The saved place of a shard passes only applied records, because a restart has to look for claims of all others.',
    changes: [setValue('saved-place-passes-only-what-is-applied', 'this.reader.lastRead')],
  },
  {
    name: 'records-before-the-tail-are-skipped',
    rule: 'Records between the saved place and the place where the tail began are read from the stream itself.',
    changes: [setValue('records-from-before-the-tail-are-read', 'readKept(shard, place, limit)')],
  },
  {
    name: 'claims-are-dropped-before-their-records',
    rule: 'A claim is kept until its records are read, because a tail may lag behind the consumers.',
    changes: [setValue('claim-is-kept-until-its-records-are-read', 'this.newestClaimMs ?? 0')],
  },
  {
    name: 'gone-records-hold-the-mark',
    rule: "A record that has left the stream doesn't hold back the low watermark, because nobody can apply or claim it any more.",
    changes: [drop('record-that-has-left-the-stream-holds-nothing-back')],
  },
  {
    name: 'walk-goes-on-after-another-mover',
    rule: 'After another process has moved the low watermark, a walk begins again at the applied places of the shards.',
    changes: [drop('walk-begins-again-after-another-mover')],
  },
  {
    name: 'new-stream-forgets-the-one-before',
    rule: 'A table with a new stream has no low watermark while the earlier stream may hold records, because the consumer may be behind.',
    changes: [setValue('low-watermark-of-a-new-stream-waits-for-the-one-before', 'ofStream?.renewedMs')],
  },
];
