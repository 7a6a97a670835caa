import { VIEW_KEY } from '../../core/items/keys.ts';
import type { Difference, Suspect } from '../../core/kinds/difference.ts';
import type { Runtime } from '../../foundation/runtime.ts';
import { type JudgeContext, type Judgment, judge } from '../../reconcile/judge.ts';
import { type ConsumerContext, hasStreamPassed } from './consumer-position.ts';
import { Gathered } from './gathered.ts';
import type { Nominated } from './partition.ts';

export interface ConfirmContext extends JudgeContext, ConsumerContext, Pick<Runtime, 'wait' | 'remainingMs'> {}

/** `unconfirmed`: there wasn't enough time for a second look. */
export type Outcome = 'drift' | 'superseded' | 'pending' | 'unconfirmed';

export interface Confirmed {
  suspect: Suspect;
  isLive: boolean;
  /** The differences with this outcome. Empty if the suspect is superseded. */
  differences: readonly Difference[];
  outcome: Outcome;
  /** The suspect is pending because the registry changed during the check. */
  isOfChange?: boolean;
}

/** An item that still changes after this many rounds is pending. */
const MOST_ROUNDS = 10;
/** An unchanged difference is drift after this many rounds, even if the item is written all the time. */
const STEADY_ROUNDS = 2;

interface Open {
  look: Look;
  differences: readonly Steady[];
}

interface Steady {
  difference: Difference;
  rounds: number;
}

/** Looks made at the same time share `moment`, and so wait for the stream only once. */
interface Look {
  judgment: Judgment;
  moment: { atMs: number; passing?: Promise<'passed' | 'behind' | 'no-time'> };
}

export type Looker = Gathered<Nominated, Look>;

/**
 * The first look reuses the item if the nomination has read it. If the consumer has written the item since then, the
 * second look sees another revision, so the difference isn't drift yet.
 */
export function lookerOf(context: ConfirmContext): Looker {
  return new Gathered(async (nominated) => {
    const known = nominated.filter(({ read }) => read !== undefined);
    const unknown = nominated.filter(({ read }) => read === undefined);
    const suspectsOf = (of: readonly Nominated[]) => of.map(({ suspect }) => suspect);
    const read = known.map(({ read }) => read!.derived);
    const seen = [...(await judge(context, suspectsOf(known), read)), ...(await judge(context, suspectsOf(unknown)))];
    const moment = { atMs: context.now() };
    const looks = new Map([...known, ...unknown].map((one, i) => [one, { judgment: seen[i]!, moment }]));
    return nominated.map((one) => looks.get(one)!);
  });
}

/**
 * Distinguishes lag from drift. Judges each suspect, and judges it again once the stream has passed that look, until
 * all are decided. Every write raises an item's revision, so a difference under the same revision won't go away by
 * itself (decision 008).
 */
export async function confirm(
  context: ConfirmContext,
  looker: Looker,
  nominated: readonly Nominated[],
): Promise<Confirmed[]> {
  const confirmed: Confirmed[] = [];
  let open: Open[] = [];
  for (const look of await looker.answers(nominated)) {
    const { differences } = look.judgment;
    // rule: drift-takes-a-second-look
    if (differences.length > 0)
      open.push({ look, differences: differences.map((difference) => ({ difference, rounds: 0 })) });
    else confirmed.push(outcomeOf('superseded', look.judgment));
  }
  for (let round = 1; open.length > 0; round++) {
    const { moment } = open[0]!.look;
    moment.passing ??= waitForStream(context, moment.atMs);
    const passed = round > MOST_ROUNDS ? 'behind' : await moment.passing;
    if (passed === 'no-time') {
      for (const { look } of open) confirmed.push(outcomeOf('unconfirmed', look.judgment));
      break;
    }
    const again = await looker.answers(open.map(({ look }) => ({ suspect: look.judgment.suspect })));
    const still: Open[] = [];
    for (const [i, before] of open.entries()) {
      const look = again[i]!;
      const found = compareLooks(before, look.judgment, passed);
      confirmed.push(...found.confirmed);
      if (found.open.length > 0) still.push({ look, differences: found.open });
    }
    open = still;
  }
  return confirmed;
}

function outcomeOf(outcome: Outcome, judgment: Judgment, differences = judgment.differences): Confirmed {
  const { isLive } = judgment;
  return { suspect: narrowed(judgment.suspect, differences), isLive, differences, outcome };
}

function narrowed(suspect: Suspect, differences: readonly Difference[]): Suspect {
  if (suspect.sortKey !== VIEW_KEY) return suspect;
  const about = new Set(differences.map((one) => (one.kind === 'attributes' ? suspect.source : one.about)));
  const { bases, returning, ...key } = suspect;
  return {
    ...key,
    ...(bases !== undefined && { bases: bases.filter(({ target }) => about.has(target)) }),
    ...(returning !== undefined && { returning: returning.filter((type) => about.has(type)) }),
  };
}

function compareLooks(
  { look: { judgment: earlier }, differences: before }: Open,
  judgment: Judgment,
  passed: 'passed' | 'behind',
): { confirmed: Confirmed[]; open: Steady[] } {
  const isUnmoved = judgment.revision === earlier.revision;
  const pending: Difference[] = [];
  const drift: Difference[] = [];
  const open: Steady[] = [];
  for (const difference of judgment.differences) {
    const { kind, about, base, stored, fanOut } = difference;
    const known = before.find((one) => one.difference.kind === kind && one.difference.about === about);
    if (known === undefined) continue;
    const was = known.difference;
    const isFanOutUnmoved = fanOut?.revision === was.fanOut?.revision;
    const rounds = was.base === base && was.stored === stored && isFanOutUnmoved ? known.rounds + 1 : 0;
    const isLeft = isUnmoved && isFanOutUnmoved;
    // The fan-out has begun or moved since the earlier look, so it will still reach this item.
    const isOnItsWay = fanOut?.place !== undefined && fanOut.place !== was.fanOut?.place;
    // rule: suspect-written-meanwhile-is-looked-at-again
    if (passed === 'behind' || isOnItsWay) pending.push(difference);
    else if (isLeft || rounds >= STEADY_ROUNDS) drift.push(difference);
    else open.push({ difference, rounds });
  }
  const confirmed: Confirmed[] = [];
  if (pending.length > 0) confirmed.push(outcomeOf('pending', judgment, pending));
  if (drift.length > 0) confirmed.push(outcomeOf('drift', judgment, drift));
  if (confirmed.length + open.length === 0) confirmed.push(outcomeOf('superseded', judgment, []));
  return { confirmed, open };
}

async function waitForStream(context: ConfirmContext, sinceMs: number): Promise<'passed' | 'behind' | 'no-time'> {
  const { consumer, graceMs, now, wait, remainingMs } = context;
  const deadlineMs = sinceMs + graceMs;
  const pauseMs = Math.max(1, Math.min(1_000, graceMs / 10));
  for (;;) {
    const passing = await hasStreamPassed(context, sinceMs);
    if (passing === 'passed' || passing === 'behind') return passing;
    // If the consumer's position stays unknown, the grace period decides.
    if (passing === 'over' && remainingMs() > 0) return 'passed';
    const leftMs = Math.max(0, deadlineMs - now());
    const nextMs = consumer === undefined ? leftMs : Math.min(leftMs, pauseMs) || consumer.msUntilNextQuestion;
    if (nextMs >= remainingMs()) return 'no-time';
    await wait(nextMs);
  }
}
