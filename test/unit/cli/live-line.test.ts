import { describe, expect, it } from 'vitest';
import { LiveLine, type Verified } from '../../../packages/cli/shared/live-line.ts';

/** A live line whose time, table and terminal are the test's. */
function liveLine({ isTTY = true, quarantined = 0, behind = 0, verified = undefined as Verified | undefined } = {}) {
  const written: string[] = [];
  const world = { nowMs: 1_000_000, asked: 0, behind };
  const line = new LiveLine({
    stream: { isTTY, write: (text) => written.push(text) },
    quarantined: async () => quarantined,
    behindSeconds: async () => {
      world.asked += 1;
      return world.behind;
    },
    verified: () => verified,
    now: () => world.nowMs,
  });
  const after = async (milliseconds: number): Promise<string | undefined> => {
    world.nowMs += milliseconds;
    const before = written.length;
    await line.showIfDue();
    return written.slice(before).join('') || undefined;
  };
  return { line, after, world };
}

describe('the live line of dev on a terminal', () => {
  it('says the rate, how far behind the projector is, and what is in quarantine, in the place of the line before', async () => {
    const { line, after } = liveLine({ quarantined: 3 });
    line.addProjected({ records: 1_500, writes: 4_000, newestRecordAgeMs: 2_340 });
    expect(await after(1_000)).toBe(
      '\r\u001b[2Kprojected: 1,500 records, 4,000 writes, 1,500 records/s, 2.3 s behind, 3 in quarantine',
    );
    line.addProjected({ records: 1_600, writes: 4_200, newestRecordAgeMs: 100 });
    expect(await after(2_000)).toContain('1,600 records, 4,200 writes, 50 records/s, 0.1 s behind');
  });

  it('says through when the observer has verified what is projected, and what is wrong', async () => {
    const verifiedThroughMs = Date.UTC(2026, 0, 2, 16, 58, 3);
    expect(await liveLine({ verified: { verifiedThroughMs, drift: 0 } }).after(1_000)).toMatch(
      /, verified through 16:58:03Z$/,
    );
    expect(await liveLine({ verified: { verifiedThroughMs, drift: 1_200 } }).after(1_000)).toMatch(
      /, verified through 16:58:03Z but for 1,200 differences$/,
    );
    expect(await liveLine({ verified: { verifiedThroughMs: undefined, drift: 0 } }).after(1_000)).toMatch(
      / in quarantine$/,
    );
  });

  it('asks the stream when nothing moves: that may be the end', async () => {
    const { line, after, world } = liveLine();
    line.addProjected({ records: 10, writes: 10, newestRecordAgeMs: 90_000 });
    expect(await after(1_000)).toContain('90 s behind');
    expect(await after(1_000)).toContain('0 records/s, at the end');
    expect(await after(1_000)).toContain('at the end');
    expect(world.asked).toBe(1);
  });

  it('asks the stream again after a while: new records may fail at the end', async () => {
    const { line, after, world } = liveLine();
    line.addProjected({ records: 10, writes: 10, newestRecordAgeMs: 10 });
    await after(1_000);
    expect(await after(1_000)).toContain('at the end');
    world.behind = 4.5;
    expect(await after(4_999)).toContain('at the end');
    // A batch of which nothing was applied.
    line.addProjected({ records: 10, writes: 10, newestRecordAgeMs: 4_500 });
    expect(await after(1)).toContain('0 records/s, 4.5 s behind');
    expect(world.asked).toBe(2);
  });
});

describe('the live line of dev without a terminal', () => {
  it('counts the time of a long batch, in which nothing moves, into the rate', async () => {
    const { line, after, world } = liveLine({ isTTY: false });
    line.addProjected({ records: 100, writes: 100 });
    await after(10_000);
    for (let second = 0; second < 72; second++) expect(await after(1_000)).toBeUndefined();
    line.addProjected({ records: 6_557, writes: 9_000, batchMs: 72_000 });
    expect(await after(0)).toContain('6,557 records, 9,000 writes, 89.7 records/s');
    // A rest before a batch is no work.
    for (let second = 0; second < 60; second++) await after(1_000);
    world.nowMs += 5_000;
    line.addProjected({ records: 7_057, writes: 9_500, batchMs: 5_000 });
    expect(await after(0)).toContain('100 records/s');
  });

  it('comes every five seconds while something moves, and a quiet table says nothing', async () => {
    const { line, after, world } = liveLine({ isTTY: false });
    expect(await after(10_000)).toBeUndefined();
    line.addProjected({ records: 50, writes: 50, newestRecordAgeMs: 500 });
    expect(await after(1_000)).toBe('projected: 50 records, 50 writes, 50 records/s, 0.5 s behind, 0 in quarantine\n');
    line.addProjected({ records: 60, writes: 60, newestRecordAgeMs: 500 });
    expect(await after(4_999)).toBeUndefined();
    expect(await after(1)).toContain('2 records/s');
    expect(await after(60_000)).toBeUndefined();
    expect(world.asked).toBe(0);
  });
});
