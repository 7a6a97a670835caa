import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Item } from '../../core/items/attribute-value.ts';
import type { JudgeContext, Suspect } from '../../core/kinds/part.ts';
import type { Runtime } from '../../foundation/runtime.ts';
import { type ConsumerContext, hasStreamPassed } from '../../stream/progress/consumer-position.ts';
import type { CheckCursor, Looked } from './cursor.ts';
import { Gathered } from './gathered.ts';
import { isWrong, judge, type Observation } from './judge.ts';

/**
 * Distinguishes lag from drift. A suspect is observed (derived item, then base item), and again after the stream has passed the
 * first observation. A write of the projector in between changes the revision. Without such a write, a difference will not go away
 * by itself. A derived item that is written all the time is judged by its part: drift is the same base image and the same wrong
 * content in three observations, two waits apart.
 *
 * A copy may also be wrong because a fan-out has not reached it. The fan-out's continuation shows that: each page changes it,
 * driven by the record of the last change. So the continuation is part of the observation. While it changes, the copy is on its
 * way. If it has not changed although the stream has passed its last record, the fan-out is stuck and nothing will come.
 */

/** The values that confirming needs. */
export interface ConfirmContext extends JudgeContext, ConsumerContext, Pick<Runtime, 'wait' | 'remainingMs'> {}

/** The result for a suspect. `unconfirmed`: there was no time to wait. */
export type Outcome = 'drift' | 'superseded' | 'pending' | 'unconfirmed';

/** A suspect with its last observation. */
export interface Confirmed {
  suspect: Suspect;
  observation: Observation;
  outcome: Outcome;
  /** True if it is pending because the registry has changed meanwhile. */
  isOfChange?: boolean;
}

/** The most observations of a busy derived item: after these it is left for another night. */
const MOST_ROUNDS = 10;
/** The number of waits during which a part of a busy derived item must stay the same to be drift. */
const STEADY_ROUNDS = 2;

interface Open {
  suspect: Suspect;
  look: Look;
  steadyRounds: number;
}

/** A suspect, with its derived item where that was read already. */
export interface Nominated {
  suspect: Suspect;
  read?: { derived: Item | undefined } | undefined;
}

/** What was seen at one moment: the look waits for the stream at most once, whoever asks. */
interface Look {
  observation: Observation;
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
    const looks = new Map([...known, ...unknown].map((one, i) => [one, { observation: seen[i]!, moment }]));
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
  for (const [i, look] of (await looker.answers(nominated)).entries()) {
    const { suspect } = nominated[i]!;
    // rule: drift-takes-a-second-look
    if (isWrong(look.observation)) open.push({ suspect, look, steadyRounds: 0 });
    else confirmed.push({ suspect, observation: look.observation, outcome: 'superseded' });
  }
  for (let round = 1; open.length > 0; round++) {
    // They were seen together.
    const { moment } = open[0]!.look;
    moment.passing ??= waitForStream(context, moment.atMs);
    const passed = round > MOST_ROUNDS ? 'behind' : await moment.passing;
    if (passed === 'no-time') {
      for (const { suspect, look } of open)
        confirmed.push({ suspect, observation: look.observation, outcome: 'unconfirmed' });
      break;
    }
    const again = await looker.answers(open.map(({ suspect }) => ({ suspect })));
    const still: Open[] = [];
    for (const [i, { suspect, look: before, steadyRounds: steadyBefore }] of open.entries()) {
      const look = again[i]!;
      const { observation } = look;
      const steadyRounds = isSameObservation(before.observation, observation) ? steadyBefore + 1 : 0;
      // rule: suspect-written-meanwhile-is-looked-at-again
      if (!isWrong(observation)) confirmed.push({ suspect, observation, outcome: 'superseded' });
      else if (passed === 'behind' || hasFanOutMoved(before.observation, observation)) {
        confirmed.push({ suspect, observation, outcome: 'pending' });
      } else if (observation.revision === before.observation.revision || steadyRounds >= STEADY_ROUNDS) {
        confirmed.push({ suspect, observation, outcome: 'drift' });
      } else still.push({ suspect, look, steadyRounds });
    }
    open = still;
  }
  return confirmed;
}

/** Tells whether a fan-out that has still to visit the copy has begun, or has moved on, between two observations. */
function hasFanOutMoved(before: Observation, after: Observation): boolean {
  return after.fanOut !== undefined && after.fanOut !== before.fanOut;
}

function isSameObservation(before: Observation, after: Observation): boolean {
  return before.base === after.base && before.stored === after.stored;
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
   * Returns the outcome for the parts of an item that are wrong now: `drift` or `pending` if the call before saw the same and the
   * stream's position is known, else `unconfirmed`.
   */
  async outcomeOf(wrong: readonly Looking[]): Promise<'drift' | 'pending' | 'unconfirmed'> {
    const { before } = this;
    if (before === undefined || !this.earlier.has(digestOfParts(wrong))) return 'unconfirmed';
    const passing = await hasStreamPassed(this.context, before.atMs);
    if (passing === 'unknown') return 'unconfirmed';
    return passing === 'behind' ? 'pending' : 'drift';
  }

  /** Keeps looks for the next call. */
  keepForNextCall(looks: readonly Looking[]): void {
    // One time is stored for all looks, that of the last one. So the stream has to pass a slightly later time than necessary.
    this.lookedAtMs = this.context.now();
    for (const wrong of wrongByItem(looks)) if (!this.isFull) this.next.add(digestOfParts(wrong));
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

/** Like `confirm`, but with the looks of the last call: it does not wait, and what it sees for the first time is unconfirmed. */
export async function confirmByLooks(
  looker: Looker,
  looks: Looks,
  nominated: readonly Nominated[],
): Promise<Confirmed[]> {
  const seen = (await looker.answers(nominated)).map(
    ({ observation }, i): Looking => ({ suspect: nominated[i]!.suspect, observation }),
  );
  const right = seen.filter(({ observation }) => !isWrong(observation));
  const confirmed = right.map((one): Confirmed => ({ ...one, outcome: 'superseded' }));
  for (const wrong of wrongByItem(seen)) {
    const outcome = await looks.outcomeOf(wrong);
    confirmed.push(...wrong.map((one) => ({ ...one, outcome })));
  }
  return confirmed;
}

/** A suspect at the time of a look. */
type Looking = Pick<Confirmed, 'suspect' | 'observation'>;

/** Groups the wrong parts by derived item. */
function wrongByItem(looks: readonly Looking[]): Iterable<Looking[]> {
  const items = new Map<string, Looking[]>();
  for (const one of looks) {
    if (!isWrong(one.observation)) continue;
    const name = JSON.stringify([one.suspect.source, one.suspect.sortKey]);
    const wrong = items.get(name);
    if (wrong === undefined) items.set(name, [one]);
    else wrong.push(one);
  }
  return items.values();
}

function digestOfParts(wrong: readonly Looking[]): string {
  const [{ suspect: first } = { suspect: undefined }] = wrong;
  const parts = wrong.map(({ suspect: { part }, observation: { revision, fanOut } }) =>
    JSON.stringify([part, revision ?? null, fanOut ?? null]),
  );
  const text = JSON.stringify([first?.source, first?.sortKey, parts.sort()]);
  return hash('sha256', text, 'base64url').slice(0, DIGEST_CHARACTERS);
}
