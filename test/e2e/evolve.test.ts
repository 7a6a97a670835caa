import { describe, expect, it } from 'vitest';
import { runEvolve } from '../support/evolve/evolve.ts';

describe('a change of the model under traffic', () => {
  it('gives right answers and "not ready", none that is wrong or misses something', async () => {
    const { tally, drift, unknown, writes } = await runEvolve();
    expect(tally.mistakes).toEqual([]);
    expect(tally.sums()).toMatchObject({ wrong: 0, partial: 0 });
    expect({ drift, unknown }).toEqual({ drift: { missing: 0, stale: 0, orphan: 0 }, unknown: 0 });
    expect(writes).toBeGreaterThan(100);
    const phases = new Map(tally.phases.map(({ name, ...phase }) => [name, phase]));
    // Each side is answered all the while; it is told that something is not ready only where its own model lacks it.
    for (const phase of phases.values()) {
      expect(phase.old.right).toBeGreaterThan(0);
      expect(phase.new.right).toBeGreaterThan(0);
    }
    expect(phases.get('before')).toMatchObject({ old: { notReady: 0 } });
    expect(phases.get('before')!.new.notReady).toBeGreaterThan(0);
    expect(phases.get('while migrate runs')).toMatchObject({ old: { notReady: 0 } });
    expect(phases.get('retired')!.old.notReady).toBeGreaterThan(0);
    expect(phases.get('at rest')).toMatchObject({ new: { notReady: 0 } });
  });

  it('gives wrong answers where the clocks of readers stand still, so that they never look at the registry again', async () => {
    const { tally } = await runEvolve({ airports: 10, moment: () => ({ steadyMs: 0, wallMs: 0 }) });
    const { wrong, partial } = tally.sums();
    expect(wrong + partial).toBeGreaterThan(0);
    expect(tally.mistakes.map(({ phase }) => phase)).not.toContain('before');
  });
});
