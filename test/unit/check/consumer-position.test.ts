import { describe, expect, it } from 'vitest';
import { hasStreamPassed, isFarBehind, SharedPosition } from '../../../src/trust/check/consumer-position.ts';

/** A consumer whose position is told when a test says so, by a clock that stands still. */
function slowConsumer() {
  const clock = { nowMs: 1_000 };
  const questions: { answer(appliedMs: number | undefined): void; fail(error: Error): void }[] = [];
  const position = new SharedPosition(
    {
      appliedUpToMs: () =>
        new Promise((resolve, reject) => {
          questions.push({ answer: resolve, fail: reject });
        }),
    },
    () => clock.nowMs,
  );
  return { clock, questions, position };
}

/** Lets promises go on that wait for nothing. */
async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

describe('a position that many ask for', () => {
  it('has one question on its way at a time, and a next one for all who came meanwhile', async () => {
    const { clock, questions, position } = slowConsumer();
    const first = position.answerAfter(900);
    clock.nowMs = 2_000;
    const later = Array.from({ length: 120 }, (_, i) => position.answerAfter(1_500 + i));
    await turn();
    expect(questions).toHaveLength(1);
    questions[0]!.answer(950);
    expect(await first).toEqual({ askedAtMs: 1_000, appliedMs: 950 });
    await turn();
    // What was asked before a moment says nothing of it.
    expect(questions).toHaveLength(2);
    questions[1]!.answer(2_000);
    expect(new Set(await Promise.all(later))).toEqual(new Set([{ askedAtMs: 2_000, appliedMs: 2_000 }]));
    expect(questions).toHaveLength(2);
  });

  it('answers by what is on its way where that was asked late enough', async () => {
    const { clock, questions, position } = slowConsumer();
    const first = position.answerAfter(500);
    clock.nowMs = 1_200;
    const second = position.answerAfter(999);
    questions[0]!.answer(1_000);
    expect(await second).toBe(await first);
    expect(await position.answerAfter(999)).toBe(await first);
    expect(questions).toHaveLength(1);
  });

  it('throws what a question threw, and asks again afterwards', async () => {
    const { questions, position } = slowConsumer();
    const waiting = [position.answerAfter(1_500), position.answerAfter(1_500)];
    questions[0]!.fail(new Error('no answer'));
    for (const one of waiting) await expect(one).rejects.toThrow('no answer');
    const next = position.answerAfter(1_500);
    questions[1]!.answer(undefined);
    expect(await next).toEqual({ askedAtMs: 1_000, appliedMs: undefined });
  });
});

describe('whether the stream has passed a moment', () => {
  it('is not known by an answer that was asked before the time was over, however late it comes', async () => {
    const { clock, questions, position } = slowConsumer();
    const context = { graceMs: 2_000, consumer: position, now: () => clock.nowMs };
    const early = hasStreamPassed(context, 1_000);
    // The look takes longer than the consumer may.
    clock.nowMs = 9_000;
    questions[0]!.answer(400);
    expect(await early).toBe('unknown');
    const late = hasStreamPassed(context, 1_000);
    await turn();
    questions[1]!.answer(8_000);
    expect(await late).toBe('passed');
  });

  it('is denied by an answer that was asked after it, and decided by time where no position can be known', async () => {
    const { clock, questions, position } = slowConsumer();
    const context = { graceMs: 2_000, consumer: position, now: () => clock.nowMs };
    clock.nowMs = 3_000;
    const behind = hasStreamPassed(context, 1_000);
    questions[0]!.answer(999);
    expect(await behind).toBe('behind');
    clock.nowMs = 6_000;
    const over = hasStreamPassed(context, 4_000);
    questions[1]!.answer(undefined);
    expect(await over).toBe('over');
    expect(await hasStreamPassed({ graceMs: 2_000, now: () => 2_999 }, 1_000)).toBe('unknown');
    expect(await hasStreamPassed({ graceMs: 2_000, now: () => 3_000 }, 1_000)).toBe('passed');
  });

  it('calls a consumer far behind by what it was when it was asked, not by the age of the answer', async () => {
    const { clock, questions, position } = slowConsumer();
    const context = { graceMs: 30_000, consumer: position, now: () => clock.nowMs };
    clock.nowMs = 100_000;
    const first = isFarBehind(context);
    questions[0]!.answer(85_000);
    expect(await first).toBe(false);
    clock.nowMs = 125_000;
    expect(await isFarBehind(context)).toBe(false);
    clock.nowMs = 131_000;
    const second = isFarBehind(context);
    await turn();
    questions[1]!.answer(85_000);
    expect(await second).toBe(true);
  });
});
