import type { Runtime } from '../../foundation/runtime.ts';

/** Tells how much of the stream the consumer has applied. */
export interface ConsumerPosition {
  /** Returns the time before which every record is projected, in milliseconds since 1970; undefined if unknown. */
  appliedUpToMs(): Promise<number | undefined>;
}

export interface PositionAnswer {
  askedAtMs: number;
  appliedMs: number | undefined;
}

/** Each question reads the stream, and a shard serves only five reads per second to all its readers. */
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

  /** Returns an answer to a question asked after `momentMs`, or the latest answer if it's too early to ask again. */
  async answerAfter(momentMs: number): Promise<PositionAnswer> {
    const known = this.latest;
    if (known !== undefined && known.askedAtMs > momentMs) return known;
    const before = this.questions;
    if (this.asking !== undefined) {
      const answer = await this.asking;
      if (answer.askedAtMs > momentMs) return answer;
    }
    // A question that another caller asked during the wait is new enough.
    if (this.questions === before && (this.latest === undefined || this.msUntilNextQuestion <= 0)) this.startQuestion();
    return await (this.asking ?? this.latest!);
  }

  get msUntilNextQuestion(): number {
    return Math.max(0, this.begunAtMs + ANSWER_HOLDS_MS - this.now());
  }

  private startQuestion(): void {
    this.questions += 1;
    this.asking = this.answer().finally(() => {
      this.asking = undefined;
    });
    // Callers get the error when they await `asking`; this only prevents an unhandled rejection.
    this.asking.catch(() => undefined);
  }

  private async answer(): Promise<PositionAnswer> {
    const askedAtMs = this.now();
    this.begunAtMs = askedAtMs;
    this.latest = { askedAtMs, appliedMs: await this.consumer.appliedUpToMs() };
    return this.latest;
  }
}

export interface ConsumerContext extends Pick<Runtime, 'now'> {
  /** How long the consumer may take to apply a record. */
  graceMs: number;
  consumer?: SharedPosition;
}

export async function isFarBehind({ consumer, graceMs, now }: ConsumerContext): Promise<boolean> {
  const answer = await consumer?.answerAfter(now() - Math.max(graceMs, ANSWER_HOLDS_MS));
  return answer?.appliedMs !== undefined && answer.appliedMs < answer.askedAtMs - graceMs;
}

/**
 * `unknown`: not passed, but still within `graceMs`. After that, `behind`, or `over` if the consumer's position is
 * unknown.
 */
export type Passing = 'passed' | 'behind' | 'over' | 'unknown';

/**
 * Tells whether every record made before `sinceMs` is projected. Answers `behind` only if the consumer was asked after
 * `graceMs` had passed. Without a consumer, assumes `passed` after `graceMs`.
 *
 * @param freshMs the maximum age of an answer that says "not yet".
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
