import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Item } from '../../core/items/attribute-value.ts';
import { VIEW_KEY } from '../../core/items/keys.ts';
import type { Difference, Suspect } from '../../core/kinds/difference.ts';
import type { Runtime } from '../../foundation/runtime.ts';
import { type JudgeContext, type Judgement, judge } from '../../reconcile/judge.ts';
import { type ConsumerContext, hasStreamPassed } from '../../stream/progress/consumer-position.ts';
import type { CheckCursor, Looked } from './cursor.ts';
import { Gathered } from './gathered.ts';

/**
 * Distinguishes lag from drift. A suspect is judged, and again after the stream has passed the first look. A write of the projector in
 * between changes the revision. Without such a write, a difference will not go away by itself. In a derived item that is written all the
 * time, drift is the same wrong content by the same base images in three looks, two waits apart.
 *
 * A copy may also be wrong because a fan-out has not reached it. The fan-out's continuation shows that: each page changes it,
 * driven by the record of the last change. So the continuation is part of the look. While it changes, the copy is on its
 * way. If it has not changed although the stream has passed its last record, the fan-out is stuck and nothing will come.
 */

/** The values that confirming needs. */
export interface ConfirmContext extends JudgeContext, ConsumerContext, Pick<Runtime, 'wait' | 'remainingMs'> {}

/** The result for a suspect. `unconfirmed`: there was no time to wait. */
export type Outcome = 'drift' | 'superseded' | 'pending' | 'unconfirmed';

/** What became of a suspect, or of some of its differences. */
export interface Confirmed {
  suspect: Suspect;
  /** True if the derived item exists as more than a tombstone. */
  isLive: boolean;
  /** As they were seen last; none if it is superseded. */
  differences: readonly Difference[];
  outcome: Outcome;
  /** True if it is pending because the registry has changed meanwhile. */
  isOfChange?: boolean;
}

/** The most looks at a busy derived item: after these it is left for another night. */
const MOST_ROUNDS = 10;
/** The number of waits during which a difference in a busy derived item must stay the same to be drift. */
const STEADY_ROUNDS = 2;

interface Open {
  look: Look;
  /** The differences to be confirmed. */
  differences: readonly Steady[];
}

/** A difference, and the number of waits that it has stayed the same for. */
interface Steady {
  difference: Difference;
  rounds: number;
}

/** A suspect, with its derived item where that was read already. */
export interface Nominated {
  suspect: Suspect;
  read?: { derived: Item | undefined } | undefined;
}

/** What was seen at one moment: the look waits for the stream at most once, whoever asks. */
interface Look {
  judgement: Judgement;
  moment: { atMs: number; passing?: Promise<'passed' | 'behind' | 'no-time'> };
}

/** Looks at the suspects of all inspections, a hundred of them in two calls. */
export type Looker = Gathered<Nominated, Look>;

/**
 * Makes a looker. The derived item of a nomination is not read again: if the consumer has written the item since, the second look sees another
 * revision, and does not count.
 */
export function lookerOf(context: ConfirmContext): Looker {
  return new Gathered(async (nominated) => {
    const known = nominated.filter(({ read }) => read !== undefined);
    const unknown = nominated.filter(({ read }) => read === undefined);
    const suspectsOf = (of: readonly Nominated[]) => of.map(({ suspect }) => suspect);
    const read = known.map(({ read }) => read!.derived);
    const seen = [...(await judge(context, suspectsOf(known), read)), ...(await judge(context, suspectsOf(unknown)))];
    const moment = { atMs: context.now() };
    const looks = new Map([...known, ...unknown].map((one, i) => [one, { judgement: seen[i]!, moment }]));
    return nominated.map((one) => looks.get(one)!);
  });
}

/** Distinguishes lag from drift. */
export async function confirm(
  context: ConfirmContext,
  looker: Looker,
  nominated: readonly Nominated[],
): Promise<Confirmed[]> {
  const confirmed: Confirmed[] = [];
  let open: Open[] = [];
  for (const look of await looker.answers(nominated)) {
    const { differences } = look.judgement;
    // rule: drift-takes-a-second-look
    if (differences.length > 0) open.push({ look, differences: differences.map(firstSeen) });
    else confirmed.push(outcomeOf('superseded', look.judgement));
  }
  for (let round = 1; open.length > 0; round++) {
    // They were seen together.
    const { moment } = open[0]!.look;
    moment.passing ??= waitForStream(context, moment.atMs);
    const passed = round > MOST_ROUNDS ? 'behind' : await moment.passing;
    if (passed === 'no-time') {
      for (const { look } of open) confirmed.push(outcomeOf('unconfirmed', look.judgement));
      break;
    }
    const again = await looker.answers(open.map(({ look }) => ({ suspect: look.judgement.suspect })));
    const still: Open[] = [];
    for (const [i, before] of open.entries()) {
      const look = again[i]!;
      const found = compareLooks(before, look.judgement, passed);
      confirmed.push(...found.confirmed);
      if (found.open.length > 0) still.push({ look, differences: found.open });
    }
    open = still;
  }
  return confirmed;
}

function firstSeen(difference: Difference): Steady {
  return { difference, rounds: 0 };
}

function outcomeOf(outcome: Outcome, judgement: Judgement, differences = judgement.differences): Confirmed {
  const { isLive } = judgement;
  return { suspect: narrowed(judgement.suspect, differences), isLive, differences, outcome };
}

/** A suspect with no more than what differs. */
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

/** Compares a look with the one before: only what differs in both of them is lag or drift. */
function compareLooks(
  { look: { judgement: earlier }, differences: before }: Open,
  judgement: Judgement,
  passed: 'passed' | 'behind',
): { confirmed: Confirmed[]; open: Steady[] } {
  const isUnmoved = judgement.revision === earlier.revision;
  const pending: Difference[] = [];
  const drift: Difference[] = [];
  const open: Steady[] = [];
  for (const difference of judgement.differences) {
    const known = before.find((one) => isOfSame(one.difference, difference));
    if (known === undefined) continue;
    const { fanOut: fanOutBefore } = known.difference;
    const { fanOut } = difference;
    const rounds = isSame(known.difference, difference) ? known.rounds + 1 : 0;
    const isLeft = isUnmoved && fanOut?.revision === fanOutBefore?.revision;
    // A fan-out that has still to come by has begun, or has moved on.
    const isOnItsWay = fanOut?.place !== undefined && fanOut.place !== fanOutBefore?.place;
    // rule: suspect-written-meanwhile-is-looked-at-again
    if (passed === 'behind' || isOnItsWay) pending.push(difference);
    else if (isLeft || rounds >= STEADY_ROUNDS) drift.push(difference);
    else open.push({ difference, rounds });
  }
  const confirmed: Confirmed[] = [];
  if (pending.length > 0) confirmed.push(outcomeOf('pending', judgement, pending));
  if (drift.length > 0) confirmed.push(outcomeOf('drift', judgement, drift));
  if (confirmed.length + open.length === 0) confirmed.push(outcomeOf('superseded', judgement, []));
  return { confirmed, open };
}

function isOfSame(left: Difference, right: Difference): boolean {
  return left.kind === right.kind && left.about === right.about;
}

function isSame(left: Difference, right: Difference): boolean {
  return left.base === right.base && left.stored === right.stored && left.fanOut?.revision === right.fanOut?.revision;
}

/** Waits until every record made before the given time must have been projected, or is known to be unprojected. */
async function waitForStream(context: ConfirmContext, sinceMs: number): Promise<'passed' | 'behind' | 'no-time'> {
  const { consumer, graceMs, now, wait, remainingMs } = context;
  const deadlineMs = sinceMs + graceMs;
  const pauseMs = Math.max(1, Math.min(1_000, graceMs / 10));
  for (;;) {
    const passing = await hasStreamPassed(context, sinceMs);
    if (passing === 'passed' || passing === 'behind') return passing;
    // If the position cannot be known, the passed time decides alone.
    if (passing === 'over' && remainingMs() > 0) return 'passed';
    const leftMs = Math.max(0, deadlineMs - now());
    const nextMs = consumer === undefined ? leftMs : Math.min(leftMs, pauseMs) || consumer.msUntilNextQuestion;
    if (nextMs >= remainingMs()) return 'no-time';
    await wait(nextMs);
  }
}

/** Characters of a digest: 66 bits. */
const DIGEST_CHARACTERS = 11;
/** The most digests of looks in a cursor: some 60 KB. */
const MOST_DIGESTS = 4_000;
/** After this many calls without progress, the next call waits between its two looks, so that busy items are decided. */
const MOST_CALLS = 5;

/**
 * The first looks of one call, for the second looks of the next: the caller waits between two calls, and no call waits. A look is a
 * digest of what is wrong in a derived item, and of what a write of the projector changes. An equal digest in the next call shows
 * the same difference without a write in between. A different digest counts as a first look.
 */
export class Looks {
  private readonly earlier: ReadonlySet<string>;
  private readonly next = new Set<string>();
  private lookedAtMs = 0;

  constructor(
    private readonly before: Looked | undefined,
    private readonly context: ConsumerContext,
  ) {
    this.earlier = new Set(before?.digests);
  }

  /** True if the cursor has no room for more looks. */
  get isFull(): boolean {
    return this.next.size >= MOST_DIGESTS;
  }

  /**
   * Returns the outcome for an item that is wrong now: `drift` or `pending` if the call before saw the same and the stream's position is
   * known, else `unconfirmed`.
   */
  async outcomeOf(wrong: Judgement): Promise<'drift' | 'pending' | 'unconfirmed'> {
    const { before } = this;
    if (before === undefined || !this.earlier.has(digestOf(wrong))) return 'unconfirmed';
    const passing = await hasStreamPassed(this.context, before.atMs);
    if (passing === 'unknown') return 'unconfirmed';
    return passing === 'behind' ? 'pending' : 'drift';
  }

  /** Keeps looks for the next call. */
  keepForNextCall(looks: readonly Judgement[]): void {
    // One time is stored for all looks, that of the last one. So the stream has to pass a slightly later time than necessary.
    this.lookedAtMs = this.context.now();
    for (const look of looks) if (look.differences.length > 0 && !this.isFull) this.next.add(digestOf(look));
  }

  /**
   * Makes the looks for the cursor. An unchanged set of places shows that this call has made no progress since the last one, which
   * counts as a round.
   */
  asCursorLooks(places: CheckCursor['open'], placesBefore: CheckCursor['open'] | undefined): Looked {
    const rounds = isDeepStrictEqual(places, placesBefore) ? (this.before?.rounds ?? 0) + 1 : 0;
    return { atMs: this.lookedAtMs, digests: [...this.next], rounds };
  }
}

/**
 * Tells whether a call should wait between its two looks itself: by the looks of the cursor, `MOST_CALLS` calls in a row have made no progress.
 */
export function hasTooManyCalls(looked: Looked | undefined): boolean {
  return looked !== undefined && looked.rounds >= MOST_CALLS;
}

/** A judgement, and what it came to. */
export interface Looking {
  judgement: Judgement;
  confirmed: Confirmed;
}

/** Like `confirm`, but with the looks of the last call: it does not wait, and what it sees for the first time is unconfirmed. */
export async function confirmByLooks(
  looker: Looker,
  looks: Looks,
  nominated: readonly Nominated[],
): Promise<Looking[]> {
  const seen = await looker.answers(nominated);
  return await Promise.all(
    seen.map(async ({ judgement }) => {
      const outcome = judgement.differences.length === 0 ? 'superseded' : await looks.outcomeOf(judgement);
      return { judgement, confirmed: outcomeOf(outcome, judgement) };
    }),
  );
}

function digestOf({ suspect: { source, sortKey }, revision, differences }: Judgement): string {
  const seen = differences.map(({ kind, about, fanOut }) =>
    JSON.stringify([kind, about ?? null, fanOut?.place ?? null, fanOut?.revision ?? null]),
  );
  const text = JSON.stringify([source, sortKey, revision ?? null, seen.sort()]);
  return hash('sha256', text, 'base64url').slice(0, DIGEST_CHARACTERS);
}
