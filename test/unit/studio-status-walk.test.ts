import { describe, expect, it } from 'vitest';
import { KEPT_MS, StatusWalk } from '../../packages/studio/base/status-walk.ts';

/** A table whose looks are counted, and whose stream is read when it is told. */
function lookedTable() {
  const looks = { facts: 0, positions: 0 };
  const waiting: { read: (position: string) => void; fail: (error: Error) => void }[] = [];
  const look = {
    facts: async () => {
      looks.facts += 1;
      return `facts ${looks.facts}`;
    },
    position: () => {
      looks.positions += 1;
      return new Promise<string>((read, fail) => {
        waiting.push({ read, fail });
      });
    },
  };
  const clock = { nowMs: 1_000 };
  const walk = new StatusWalk<string, string>(() => clock.nowMs);
  return { looks, waiting, look, clock, walk };
}

describe('the walk over the status that a studio keeps', () => {
  it('is shared by all who ask, and is there before the stream is read', async () => {
    const { looks, waiting, look, walk } = lookedTable();
    const quick = await Promise.all([walk.ask(look, true), walk.ask(look, true)]);
    expect(quick).toEqual(Array(2).fill({ atMs: 1_000, facts: 'facts 1', stream: { state: 'reading' } }));
    const whole = walk.ask(look, false);
    waiting[0]!.read('end');
    expect((await whole).stream).toEqual({ state: 'read', position: 'end' });
    expect((await walk.ask(look, true)).stream).toEqual({ state: 'read', position: 'end' });
    expect(looks).toEqual({ facts: 1, positions: 1 });
  });

  it('is walked again once it is old, and after a write; later looks at the stream are waited for', async () => {
    const { looks, waiting, look, clock, walk } = lookedTable();
    const first = walk.ask(look, false);
    waiting[0]!.read('first');
    await first;
    clock.nowMs += KEPT_MS - 1;
    await walk.ask(look, true);
    expect(looks.facts).toBe(1);
    clock.nowMs += 1;
    const second = walk.ask(look, true);
    waiting[1]!.read('second');
    expect(await second).toEqual({
      atMs: 1_000 + KEPT_MS,
      facts: 'facts 2',
      stream: { state: 'read', position: 'second' },
    });
    walk.forget();
    const third = walk.ask(look, true);
    waiting[2]!.read('third');
    expect((await third).facts).toBe('facts 3');
  });

  it('is not begun again beside one that takes longer than it is kept', async () => {
    const { looks, look, clock, walk } = lookedTable();
    await walk.ask(look, true);
    clock.nowMs += 10 * KEPT_MS;
    expect((await walk.ask(look, true)).atMs).toBe(1_000);
    expect(looks).toEqual({ facts: 1, positions: 1 });
  });

  it('tells why the stream cannot be read, and is walked again where the table does not answer', async () => {
    const { waiting, look, walk } = lookedTable();
    const asked = walk.ask(look, false);
    waiting[0]!.fail(Object.assign(new Error('The stream is away.'), { code: 'stream-gone', hint: 'Wait.' }));
    expect((await asked).stream).toEqual({
      state: 'failed',
      error: { code: 'stream-gone', message: 'The stream is away.', hint: 'Wait.' },
    });
    walk.forget();
    const broken = { ...look, facts: () => Promise.reject(new Error('throttled')) };
    await expect(walk.ask(broken, true)).rejects.toThrow('throttled');
    expect((await walk.ask(look, true)).facts).toBe('facts 2');
  });
});
