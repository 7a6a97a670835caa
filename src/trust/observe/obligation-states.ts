import type { Compared, Suspect } from '../../core/kinds/part.ts';
import type { ObservedDrift, Spread, Touch } from './obligation.ts';

/**
 * The states of the observer's obligations, and the events that lead from one to another. A part of a derived item is an obligation from the
 * record that touches it until it is known to be right; a fan-out is one until all its parts are named. `obligations.ts` raises the events.
 */

/**
 * The stage of a part.
 *
 * - `fresh`: a record has touched it, and the projector has its time. Further records put the first look off, so that it answers them too.
 * - `looked-at`: a look reads it now.
 * - `doubted`: a look found a difference, and a record that explains it may still come.
 * - `waiting`: it is not known to be right after a look, and waits for the next one.
 * - `closed`: it is right, or another part or a build answers for it.
 */
export type PartStage =
  | { at: 'fresh'; dueMs: number; latestDueMs: number }
  | { at: 'looked-at'; later: Touch[] }
  | { at: 'doubted'; mismatch: Mismatch }
  | { at: 'waiting'; dueMs: number }
  | { at: 'closed' };

/** The stage that follows each event in each stage. An event that a stage does not name cannot come in it. */
export const PART_STAGES = {
  fresh: {
    'a record touches it': 'fresh',
    'earlier drift is kept': 'waiting',
    'a look begins': 'looked-at',
  },
  'looked-at': {
    'a record touches it': 'looked-at',
    'the look fails': 'waiting',
    'the look finds it right': 'closed',
    'the look finds it right before later records': 'waiting',
    'the look finds another part wrong': 'closed',
    'the look finds a difference': 'doubted',
  },
  doubted: {
    'a record touches it': 'doubted',
    'the difference may pass': 'waiting',
    'the difference is drift': 'waiting',
    'the difference is left to a build': 'closed',
  },
  waiting: {
    'a record touches it': 'waiting',
    'earlier drift is kept': 'waiting',
    'a look begins': 'looked-at',
  },
  closed: { 'a record touches it': 'fresh' },
} as const satisfies Transitions<PartStage['at'], string>;

/**
 * The knowledge about a part that is open.
 *
 * - `unknown`: it may be right, or become right. It holds the verified time.
 * - `holding`: it is drift, and holds the time, since the list of exceptions is full.
 * - `excepted`: it is drift and is listed as such, so that the time goes on. It stays so until it is right.
 */
export type Finding =
  | { at: 'unknown' }
  | { at: 'holding'; drift: ObservedDrift }
  | { at: 'excepted'; drift: ObservedDrift };

/** The finding that follows each event. */
export const FINDINGS = {
  unknown: { 'no longer wrong': 'unknown', 'found wrong': 'holding', listed: 'excepted' },
  holding: { 'no longer wrong': 'unknown', 'found wrong': 'holding', listed: 'excepted' },
  excepted: { 'no longer wrong': 'unknown', listed: 'excepted' },
} as const satisfies Transitions<Finding['at'], string>;

/**
 * The stage of a fan-out.
 *
 * - `unasked`: a Query has to name its parts.
 * - `asked`: the Query is under way.
 * - `named`: its parts are obligations of their own. A child that came during the Query may still come as a record.
 * - `closed`: all of these were received.
 */
export type SpreadStage =
  | { at: 'unasked' }
  | { at: 'asked'; later: Touch[] }
  | { at: 'named'; queriedMs: number }
  | { at: 'closed' };

/** The stage that follows each event in each stage of a fan-out. */
export const SPREAD_STAGES = {
  unasked: { 'a record touches it': 'unasked', 'the Query begins': 'asked' },
  asked: {
    'a record touches it': 'asked',
    'the Query ends': 'named',
    'the Query fails or a record comes meanwhile': 'unasked',
  },
  named: { 'a record touches it': 'unasked', 'all before its end is received': 'closed' },
  closed: { 'a record touches it': 'unasked' },
} as const satisfies Transitions<SpreadStage['at'], string>;

type Transitions<State extends string, Event extends string> = {
  readonly [From in State]: { readonly [On in Event]?: State };
};
type EventOf<Table> = { [From in keyof Table]: keyof Table[From] }[keyof Table];

/** An event of a part. */
export type PartEvent = EventOf<typeof PART_STAGES>;
/** An event that changes what is known about a part. */
export type FindingEvent = EventOf<typeof FINDINGS>;
/** An event of a fan-out. */
export type SpreadEvent = EventOf<typeof SPREAD_STAGES>;

/** A part that is not known to be right. */
export interface Obligation {
  readonly name: string;
  suspect: Suspect;
  stage: PartStage;
  finding: Finding;
  /** The oldest record of each shard that touched it, as far as no look has answered it. */
  touches: Touch[];
  /** Looks in a row that found it wrong. */
  wrongLooks: number;
}

/** A difference, and when it was seen. */
export interface Mismatch extends Compared {
  /** The observer's clock before the first read and after the last one. */
  fromMs: number;
  toMs: number;
  /** The low watermark, asked for before the first read; undefined: not known. */
  lowWatermarkMs: number | undefined;
  /** True if a fan-out has still to visit it. */
  isAwaited: boolean;
  /**
   * Set for a part of a projection that is being built: the time since which writers maintain it. The part is compared with what they
   * maintain, and is no drift.
   */
  builtSinceMs?: number | undefined;
  /** For a copy: the reverse item that its edge lacks. Without it no fan-out finds the copy. */
  behind?: Suspect | undefined;
}

/** The result of a look. `instead`: the registry has no place for the item, so that this is wrong and not its content. */
export type LookResult = Mismatch | 'right' | { instead: Suspect };

/** A fan-out whose parts a Query has to name. */
export interface OpenSpread {
  readonly name: string;
  readonly spread: Spread;
  stage: SpreadStage;
  touches: Touch[];
  /** When the newest record was made that touched it, in milliseconds since 1970: its parts inherit that, too. */
  newestMs: number;
}

/** The waits of an observer, in milliseconds. */
export interface ObserverPace {
  /** How long the projector has for a record, before the table is read. */
  graceMs: number;
  /** The longest wait between two looks at something that is wrong. */
  mostWaitMs: number;
  /** The wait between two looks at known drift that no record touches. */
  driftMs: number;
  /** The wait between two looks at the same count: each reads all of its items. */
  countMs: number;
  /** How much earlier than the low watermark a touch has to be: skewed clocks, late visibility, whole seconds. */
  marginMs: number;
  /** How long a difference has to last if the low watermark is not known. */
  unknownMs: number;
  /** Drift that waits for a repair and does not hold the time: beyond this number it does. */
  mostExceptions: number;
}

/** Returns a part that a record has just opened. */
export function freshPart(name: string, suspect: Suspect, nowMs: number, { graceMs }: ObserverPace): Obligation {
  const stage: PartStage = { at: 'fresh', dueMs: nowMs + graceMs, latestDueMs: nowMs + 2 * graceMs };
  return { name, suspect, stage, finding: { at: 'unknown' }, touches: [], wrongLooks: 0 };
}

/** Returns a fan-out that a record has just opened. */
export function freshSpread(name: string, spread: Spread): OpenSpread {
  return { name, spread, stage: { at: 'unasked' }, touches: [], newestMs: 0 };
}

/** Moves a part to its next stage. Throws if the table leads elsewhere. */
export function movePart(part: Pick<Obligation, 'stage'>, event: PartEvent, to: PartStage): void {
  part.stage = followed(PART_STAGES, part.stage, event, to);
}

/** Takes in what an event says about a part. Throws if the table leads elsewhere. */
export function moveFinding(part: Pick<Obligation, 'finding'>, event: FindingEvent, to: Finding): void {
  part.finding = followed(FINDINGS, part.finding, event, to);
}

/** Moves a fan-out to its next stage. Throws if the table leads elsewhere. */
export function moveSpread(open: Pick<OpenSpread, 'stage'>, event: SpreadEvent, to: SpreadStage): void {
  open.stage = followed(SPREAD_STAGES, open.stage, event, to);
}

function followed<S extends { at: string }>(
  table: { readonly [From in S['at']]: { readonly [On in string]?: S['at'] } },
  { at }: S,
  event: string,
  to: S,
): S {
  const next = table[at as S['at']][event];
  if (next !== to.at) throw new Error(`"${event}" leads from ${at} to ${next ?? 'no state'}, not to ${to.at}.`);
  return to;
}

/** The drift that is known of a part; undefined: none is. */
export function driftOf({ finding }: Pick<Obligation, 'finding'>): ObservedDrift | undefined {
  return finding.at === 'unknown' ? undefined : finding.drift;
}

/** Every record that holds a part or a fan-out open. */
export function touchesOf({ touches, stage }: Obligation | OpenSpread): readonly Touch[] {
  return 'later' in stage ? [...touches, ...stage.later] : touches;
}

/** Adds touches to a list. A touch is left out if the list has one of the same shard that is not newer. */
export function addOldestTouches(to: Touch[], touches: readonly Touch[]): void {
  for (const touch of touches) {
    const { shardId, stampMs, receipt } = touch;
    const isOlder = (one: Touch): boolean =>
      one.shardId === shardId && one.stampMs <= stampMs && one.receipt <= receipt;
    if (!to.some(isOlder)) to.push(touch);
  }
}

/** When the next look at a part is due; never while a look is made or judged. */
export function dueMsOf({ stage }: Pick<Obligation, 'stage'>): number {
  return 'dueMs' in stage ? stage.dueMs : Number.POSITIVE_INFINITY;
}

/** Sets when the next look is due. Does nothing while a look is made or judged: what follows sets its own time. */
export function postpone({ stage }: Pick<Obligation, 'stage'>, dueMs: number): void {
  if ('dueMs' in stage) stage.dueMs = dueMs;
}

/** Makes the next look come at a time at the latest. */
export function hasten(part: Pick<Obligation, 'stage'>, dueMs: number): void {
  postpone(part, Math.min(dueMsOf(part), dueMs));
}

/** The wait until the next look at a part. */
export function msUntilNextLook({ suspect, touches, wrongLooks, finding }: Obligation, pace: ObserverPace): number {
  const { graceMs, mostWaitMs, countMs, driftMs } = pace;
  // A repair is a write, and its record brings the next look. Only that look tells whether the part is right now.
  if (finding.at !== 'unknown' && touches.length === 0) return driftMs;
  const wait = Math.min(mostWaitMs, graceMs * 2 ** Math.min(wrongLooks, 10));
  return suspect.part.kind === 'count' ? Math.max(countMs, wait) : wait;
}
