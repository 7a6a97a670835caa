import type { Choices } from '../../kernel/choices.ts';
import type { Random } from '../../kernel/random.ts';

import { LONGEST_TIMEOUT, SECOND } from './time.ts';

/** How long things take, in milliseconds: each is drawn evenly from 0 to here. What overlaps depends on their ratios. */
export interface Tempo {
  /** Between two writes of producers. */
  pause: number;
  /** Until a shard's reader sees a record, or tries again. */
  poll: number;
  /** Until a call to the table takes effect, and until its answer is there. */
  call: number;
  /** The function's timeout. */
  timeout: number;
}

/**
 * How rough a schedule is: probabilities of its draws. Half of the power of a simulator lies in schedules that differ in
 * kind, since a rare interleaving is buried where everything fails at once.
 */
export interface Climate {
  tempo: Tempo;
  /** A call to the table fails in one of the ways of `FAULTS`. */
  fault: number;
  /** A call takes up to the function's timeout. */
  slow: number;
  /** An invocation stands still for a long time before one of its first calls, while everything else goes on. */
  stalled: number;
  /** The same for one that is not alone: its records come to another one too. */
  stalledTwin: number;
  /** An invocation is given up by the mapping while it still runs. */
  abandoned: number;
  /** A batch that was delivered comes again. */
  duplicate: number;
  /** A shard's reader forgets its checkpoint and starts again from an older record. */
  rewind: number;
  /** A reader of a shard falls hours behind. */
  lag: number;
  /** Producers pause for hours, in which DynamoDB's TTL deletes what has expired. */
  pause: number;
  /** A shard splits before a write. */
  split: number;
  /** The stream is re-created before a write. */
  recreated: number;
  /** A write has an attribute that cannot be derived from. */
  poison: number;
  /** An operator redrives what is quarantined, before a write or when all is quiet. */
  redrive: number;
  /** An operator starts a check, a repair or a rebuild before a write. */
  check: number;
  /** Derived items of a table at rest are broken. */
  damage: number;
  /** A base item has an expiry of its own. */
  expiring: number;
  /** A projector's clock is wrong. */
  skewed: number;
  /** The item is deleted instead of put. */
  deletion: number;
  /** A Query or Scan reads its items at two moments, and a transaction takes its time. */
  torn: number;
}

/** Draws the climate of a schedule. */
export function chooseClimate(choices: Choices): Climate {
  return choices.shape((random) =>
    withRedrives(random, {
      tempo: chooseTempo(random),
      fault: some(random, 0.6, [0.02, 0.08, 0.2]),
      slow: some(random, 0.3, [0.03, 0.1, 0.3]),
      stalled: some(random, 0.6, [0.1, 0.3]),
      stalledTwin: some(random, 0.7, [0.3, 0.7]),
      abandoned: some(random, 0.35, [0.05, 0.2, 0.5]),
      duplicate: some(random, 0.55, [0.2, 0.5, 0.8]),
      rewind: some(random, 0.25, [0.05, 0.15]),
      lag: some(random, 0.15, [0.1, 0.3]),
      pause: some(random, 0.25, [0.1, 0.3]),
      split: some(random, 0.5, [0.05, 0.15, 0.3]),
      recreated: some(random, 0.12, [0.1]),
      poison: some(random, 0.15, [0.2]),
      check: some(random, 0.2, [0.2, 0.5]),
      damage: some(random, 0.1, [0.5]),
      expiring: some(random, 0.08, [0.3]),
      skewed: some(random, 0.2, [0.2]),
      deletion: random.oneOf([0.2, 0.4, 0.5, 0.7]),
      torn: some(random, 0.5, [0.2, 0.5]),
    }),
  );
}

/** Without poison nothing is quarantined. */
function withRedrives(random: Random, climate: Omit<Climate, 'redrive'>): Climate {
  return { ...climate, redrive: climate.poison > 0 ? some(random, 0.7, [0.2, 0.5]) : 0 };
}

function chooseTempo(random: Random): Tempo {
  const call = random.oneOf([3, 20, 20, 200, SECOND]);
  const pause = random.oneOf([2, 20, 200, SECOND]);
  const poll = random.oneOf([2, 20, 200, SECOND]);
  return {
    call,
    pause,
    poll,
    // A batch has to get something done before its time is over.
    timeout: random.chance(0.7) ? LONGEST_TIMEOUT : Math.min(LONGEST_TIMEOUT, call * random.oneOf([8, 30])),
  };
}

/** What is left when a schedule has lasted long enough: everything works, and at once. */
export const CALM: Climate = {
  tempo: { pause: 1, poll: 1, call: 1, timeout: LONGEST_TIMEOUT },
  fault: 0,
  slow: 0,
  stalled: 0,
  stalledTwin: 0,
  abandoned: 0,
  duplicate: 0,
  rewind: 0,
  lag: 0,
  pause: 0,
  split: 0,
  recreated: 0,
  poison: 0,
  redrive: 0,
  check: 0,
  damage: 0,
  expiring: 0,
  skewed: 0,
  deletion: 0,
  torn: 0,
};

/** How long a call takes. */
export function callDuration({ tempo, slow }: Climate, random: Random): number {
  return random.below(random.chance(slow) ? tempo.timeout : tempo.call);
}

/** How late an echo is: a batch that comes again, a zombie's write, a process that stood still. */
export function echoDelay({ tempo }: Climate, random: Random): number {
  const { call, pause, poll } = tempo;
  return random.below(random.oneOf([call, pause, poll, 5 * Math.max(call, pause, poll)]));
}

function some(random: Random, probability: number, rates: readonly [number, ...number[]]): number {
  return random.chance(probability) ? random.oneOf(rates) : 0;
}
