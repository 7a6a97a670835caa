import type { Runtime } from '../../foundation/runtime.ts';

/** Reports how far the stream's consumer has come. */
export interface ConsumerPosition {
  /**
   * Every record made before this time is projected, in milliseconds since 1970; undefined if unknown.
   *
   * @param sinceMs the time that the caller asks about: earlier answers don't help. Default: any answer.
   */
  appliedUpToMs(sinceMs?: number): Promise<number | undefined>;
}

export interface PositionAnswer {
  askedAtMs: number;
  appliedMs: number | undefined;
}

/** Each question reads the stream, and a shard serves five reads a second to all readers. */
const ANSWER_HOLDS_MS = 350;

export class SharedPosition {
  latest: PositionAnswer | undefined;
  private asking: Promise<PositionAnswer> | undefined;
  private questions = 0;
  private begunAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly consumer: ConsumerPosition,
    private readonly now: () => number,
  ) {}

  /** The answer to a question asked after the given time, or the latest one while it is too early to ask again. */
  async answerAfter(momentMs: number): Promise<PositionAnswer> {
    const known = this.latest;
    if (known !== undefined && known.askedAtMs > momentMs) return known;
    const before = this.questions;
    if (this.asking !== undefined) {
      const answer = await this.asking;
      if (answer.askedAtMs > momentMs) return answer;
    }
    // Another caller's question is later than this call, so its answer is new enough.
    if (this.questions === before && (this.latest === undefined || this.msUntilNextQuestion <= 0))
      this.startQuestion(momentMs);
    return await (this.asking ?? this.latest!);
  }

  get msUntilNextQuestion(): number {
    return Math.max(0, this.begunAtMs + ANSWER_HOLDS_MS - this.now());
  }

  private startQuestion(sinceMs: number): void {
    this.questions += 1;
    this.asking = this.answer(sinceMs).finally(() => {
      this.asking = undefined;
    });
    // The caller of `startQuestion` gets the error.
    this.asking.catch(() => undefined);
  }

  private async answer(sinceMs: number): Promise<PositionAnswer> {
    const askedAtMs = this.now();
    this.begunAtMs = askedAtMs;
    this.latest = { askedAtMs, appliedMs: await this.consumer.appliedUpToMs(sinceMs) };
    return this.latest;
  }
}

export interface ConsumerContext extends Pick<Runtime, 'now'> {
  /** How long a difference may last if the consumer's position is unknown. */
  graceMs: number;
  consumer?: SharedPosition;
}

export async function isFarBehind({ consumer, graceMs, now }: ConsumerContext): Promise<boolean> {
  const answer = await consumer?.answerAfter(now() - Math.max(graceMs, ANSWER_HOLDS_MS));
  return answer?.appliedMs !== undefined && answer.appliedMs < answer.askedAtMs - graceMs;
}

/** `over`: `graceMs` has passed and the position can't be known; `unknown`: not yet. */
export type Passing = 'passed' | 'behind' | 'over' | 'unknown';

/**
 * Whether every record made before `sinceMs` is projected. `behind` needs a question asked after `graceMs` was over.
 *
 * @param freshMs how old an answer may be that doesn't confirm it.
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
