import { describe, expect, it, vi } from 'vitest';
import { type EvolveResult, runEvolve } from '../../packages/workbench/demo/evolve/evolve.ts';
import { edgeloom } from '../support/command.ts';

// In this process alone, so for `runEvolve` below: readers whose clock stands still, and who never look at the registry again.
vi.mock('../../src/registry/reader-lease.ts', async (original) => {
  const real = await original<typeof import('../../src/registry/reader-lease.ts')>();
  const registryLeases: typeof real.registryLeases = (own, store) =>
    real.registryLeases(own, store, () => ({ steadyMs: 0, wallMs: 0 }));
  return { ...real, registryLeases };
});

describe('the demo of a model change', () => {
  it('counts answers beside a migration: right ones and "not ready", none that is wrong or misses something', async () => {
    const { code, stdout } = await edgeloom(['demo', '--evolve', '--json']);
    const result = JSON.parse(stdout) as EvolveResult;
    expect(result.mistakes).toEqual([]);
    expect(result.answers).toMatchObject({ wrong: 0, partial: 0 });
    expect(result.drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
    expect(code).toBe(0);
    expect(result.writes).toBeGreaterThan(100);
    const phases = new Map(result.phases.map(({ name, ...phase }) => [name, phase]));
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

  it('counts wrong answers where readers never look at the registry again: its verdict can fail', async () => {
    const { answers, mistakes } = await runEvolve({
      say: () => undefined,
      airports: 10,
    });
    expect(answers.wrong + answers.partial).toBeGreaterThan(0);
    expect(mistakes.map(({ phase }) => phase)).not.toContain('before');
  });

  it('is not shown in the studio', async () => {
    const { code, stderr } = await edgeloom(['demo', '--evolve', '--studio']);
    expect(code).toBe(2);
    expect(stderr).toContain('Give one of --studio and --evolve');
  });
});
