/**
 * How far the stream's consumer has come, as a check asks for it. The position is never certain at once: an answer says what was
 * applied when its question was asked, and a look at a large stream takes its time.
 */

/** Tells how far the consumer of the stream has come. */
export interface ConsumerPosition {
  /**
   * Every record made before this moment has been projected, in milliseconds since 1970; undefined where it is not known.
   *
   * @param sinceMs the moment that the answer is for: one that was found out before it says too little. Default: any.
   */
  appliedUpToMs(sinceMs?: number): Promise<number | undefined>;
}

/** An answer of a consumer's position. */
export interface PositionAnswer {
  /** When its question was asked: of what was made later it says nothing. */
  askedAtMs: number;
  /** Every record made before this moment was projected then; undefined: not known. */
  appliedMs: number | undefined;
}

/** How long an answer serves those who ask again, in milliseconds. */
const ANSWER_HOLDS_MS = 200;

/**
 * A consumer's position for everything that a check has open: one question is on its way at a time, whoever waits for it. What is
 * asked while it is on its way is answered by it where that is enough, else by one next question for all.
 */
export class SharedPosition {
  /** The newest answer; undefined before the first. */
  latest: PositionAnswer | undefined;
  private asking: Promise<PositionAnswer> | undefined;
  private questions = 0;

  /** @param now clock in milliseconds since 1970. */
  constructor(
    private readonly consumer: ConsumerPosition,
    private readonly now: () => number,
  ) {}

  /** An answer whose question was asked after a moment, or in this call. */
  async after(momentMs: number): Promise<PositionAnswer> {
    const known = this.latest;
    if (known !== undefined && known.askedAtMs > momentMs) return known;
    const before = this.questions;
    if (this.asking !== undefined) {
      const answer = await this.asking;
      if (answer.askedAtMs > momentMs) return answer;
    }
    // What somebody else has asked meanwhile was asked after this call began.
    if (this.questions === before) this.ask(momentMs);
    return await (this.asking ?? this.latest!);
  }

  private ask(sinceMs: number): void {
    this.questions += 1;
    this.asking = this.answer(sinceMs).finally(() => {
      this.asking = undefined;
    });
    // Awaited by whoever asked.
    this.asking.catch(() => undefined);
  }

  private async answer(sinceMs: number): Promise<PositionAnswer> {
    const askedAtMs = this.now();
    this.latest = { askedAtMs, appliedMs: await this.consumer.appliedUpToMs(sinceMs) };
    return this.latest;
  }
}

/** What waiting for the consumer needs. */
export interface ConsumerContext {
  /** How long the stream's consumer may take, in milliseconds, where its position is unknown. */
  settleMs: number;
  consumer?: SharedPosition;
  now: () => number;
}

/** Whether the consumer was further behind than it may be late when it was asked: then nothing is told about what differs. */
export async function isFarBehind({ consumer, settleMs, now }: ConsumerContext): Promise<boolean> {
  const answer = await consumer?.after(now() - Math.max(settleMs, ANSWER_HOLDS_MS));
  return answer?.appliedMs !== undefined && answer.appliedMs < answer.askedAtMs - settleMs;
}

/**
 * What is known about whether every record made before a moment has been projected. `over`: the consumer's time is over, and its
 * position cannot be known; `unknown`: not known yet.
 */
export type Passing = 'passed' | 'behind' | 'over' | 'unknown';

/**
 * Whether the stream has passed a moment, as far as it is known now. Only an answer to a question that was asked once the time was
 * over tells that the consumer is behind; where its position cannot be known the time alone decides.
 *
 * @param freshMs how old an answer may be where it does not say that the moment has passed.
 */
export async function passingOf(
  { consumer, settleMs, now }: ConsumerContext,
  sinceMs: number,
  freshMs: number = ANSWER_HOLDS_MS,
): Promise<Passing> {
  const deadlineMs = sinceMs + settleMs;
  if (consumer === undefined) return now() >= deadlineMs ? 'passed' : 'unknown';
  if ((consumer.latest?.appliedMs ?? sinceMs) > sinceMs) return 'passed';
  const isOver = now() >= deadlineMs;
  const { appliedMs, askedAtMs } = await consumer.after(isOver ? deadlineMs - 1 : Math.max(sinceMs, now() - freshMs));
  // rule: second-look-waits-for-the-stream
  if (appliedMs !== undefined && appliedMs > sinceMs) return 'passed';
  if (askedAtMs < deadlineMs) return 'unknown';
  return appliedMs === undefined ? 'over' : 'behind';
}
