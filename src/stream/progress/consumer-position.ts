import type { Runtime } from '../../foundation/runtime.ts';
/**
 * The position of the stream's consumer, for a check. An answer says what was applied when its question was asked. Reading the
 * position of a large stream takes time.
 */

/** Reports how far the consumer of the stream has come. */
export interface ConsumerPosition {
  /**
   * Every record made before this time has been projected, in milliseconds since 1970; undefined if that is not known.
   *
   * @param sinceMs the time that the caller asks about. An answer found before that time does not help. Default: any answer.
   */
  appliedUpToMs(sinceMs?: number): Promise<number | undefined>;
}

/** An answer about the consumer's position. */
export interface PositionAnswer {
  /** When the question was asked. The answer says nothing about records made later. */
  askedAtMs: number;
  /** At `askedAtMs`, every record made before this time was projected; undefined: not known. */
  appliedMs: number | undefined;
}

/** For how long a new question gets the last answer, in milliseconds: each question reads the stream, which serves few readers a second. */
const ANSWER_HOLDS_MS = 350;

/**
 * One consumer position that all parts of a check share. One question at a time is under way. Callers that ask meanwhile wait for
 * its answer; those that need a later one share the next question.
 */
export class SharedPosition {
  /** The newest answer; undefined before the first. */
  latest: PositionAnswer | undefined;
  private asking: Promise<PositionAnswer> | undefined;
  private questions = 0;
  private begunAtMs = Number.NEGATIVE_INFINITY;

  /** @param now clock in milliseconds since 1970. */
  constructor(
    private readonly consumer: ConsumerPosition,
    private readonly now: () => number,
  ) {}

  /** Returns an answer whose question was asked after the given time, or the latest one where it is too early to ask again. */
  async answerAfter(momentMs: number): Promise<PositionAnswer> {
    const known = this.latest;
    if (known !== undefined && known.askedAtMs > momentMs) return known;
    const before = this.questions;
    if (this.asking !== undefined) {
      const answer = await this.asking;
      if (answer.askedAtMs > momentMs) return answer;
    }
    // A question that another caller has asked meanwhile is later than this call: its answer is new enough.
    if (this.questions === before && (this.latest === undefined || this.msUntilNextQuestion <= 0))
      this.startQuestion(momentMs);
    return await (this.asking ?? this.latest!);
  }

  /** Milliseconds until the stream is read again, however many ask. */
  get msUntilNextQuestion(): number {
    return Math.max(0, this.begunAtMs + ANSWER_HOLDS_MS - this.now());
  }

  private startQuestion(sinceMs: number): void {
    this.questions += 1;
    this.asking = this.answer(sinceMs).finally(() => {
      this.asking = undefined;
    });
    // The caller of `startQuestion` awaits the promise and gets its error.
    this.asking.catch(() => undefined);
  }

  private async answer(sinceMs: number): Promise<PositionAnswer> {
    const askedAtMs = this.now();
    this.begunAtMs = askedAtMs;
    this.latest = { askedAtMs, appliedMs: await this.consumer.appliedUpToMs(sinceMs) };
    return this.latest;
  }
}

/** The values that waiting for the consumer needs. */
export interface ConsumerContext extends Pick<Runtime, 'now'> {
  /** How long a difference may last if the consumer's position is unknown, in milliseconds. */
  graceMs: number;
  consumer?: SharedPosition;
}

/** Tells whether the consumer was behind by more than `graceMs` when it was asked. Then a check reports no difference. */
export async function isFarBehind({ consumer, graceMs, now }: ConsumerContext): Promise<boolean> {
  const answer = await consumer?.answerAfter(now() - Math.max(graceMs, ANSWER_HOLDS_MS));
  return answer?.appliedMs !== undefined && answer.appliedMs < answer.askedAtMs - graceMs;
}

/**
 * True if every record made before a given time has been projected. `passed`: yes; `behind`: no; `over`: `graceMs` has passed and
 * the position cannot be known; `unknown`: not known yet.
 */
export type Passing = 'passed' | 'behind' | 'over' | 'unknown';

/**
 * Returns whether the stream has passed a given time, as far as that is known now. The answer `behind` needs a question that was
 * asked after `graceMs` was over. If the position cannot be known, the passed time alone decides.
 *
 * @param freshMs how old an answer may be that does not confirm the passing.
 */
export async function hasStreamPassed(
  { consumer, graceMs, now }: ConsumerContext,
  sinceMs: number,
  freshMs: number = ANSWER_HOLDS_MS,
): Promise<Passing> {
  const deadlineMs = sinceMs + graceMs;
  if (consumer === undefined) return now() >= deadlineMs ? 'passed' : 'unknown';
  if ((consumer.latest?.appliedMs ?? sinceMs) > sinceMs) return 'passed';
  const isOver = now() >= deadlineMs;
  const { appliedMs, askedAtMs } = await consumer.answerAfter(
    isOver ? deadlineMs - 1 : Math.max(sinceMs, now() - freshMs),
  );
  // rule: second-look-waits-for-the-stream
  if (appliedMs !== undefined && appliedMs > sinceMs) return 'passed';
  if (askedAtMs < deadlineMs) return 'unknown';
  return appliedMs === undefined ? 'over' : 'behind';
}
