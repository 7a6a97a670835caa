import { describe, expect, it } from 'vitest';
import { Choices } from '../simulator/kernel/choices.ts';
import { Runner } from '../simulator/kernel/runner.ts';
import { chooseModel, graphOf } from '../simulator/packs/projecting/models.ts';
import { PACK } from '../simulator/packs/projecting/schedule.ts';
import { drop } from '../simulator/planted/changes.ts';
import { plantedModules } from '../simulator/planted/modules.ts';
import type { Mutant } from '../simulator/planted/mutant.ts';
import { MUTANTS } from '../simulator/planted/mutants.ts';
import { SHOWN_AT } from '../simulator/planted/shown.ts';

describe('schedules', () => {
  it('are the same for the same seed, and for the script recorded of it', async () => {
    for (const seed of [3, 14, 159]) {
      const first = await PACK.run(seed, true);
      const again = await PACK.run(seed, true);
      const replayed = await PACK.play(first);
      expect(again).toEqual(first);
      expect(replayed).toEqual(first);
    }
  });

  it('differ from seed to seed', async () => {
    const scripts = new Set<string>();
    for (let seed = 1; seed <= 20; seed++) scripts.add(JSON.stringify((await PACK.run(seed, true)).script));
    expect(scripts.size).toBe(20);
  });

  it('that fail are shortened to a script that fails too, and that the real code passes', async () => {
    const mutant = MUTANTS.find(({ name }) => name === 'index-fields-left')!;
    const runner = await Runner.load(mutant);
    // The search begins at the seed that is kept for the bug.
    const first = SHOWN_AT.projecting?.[mutant.name] ?? 1;
    const { seeds } = await runner.runSeeds({ first, count: 2_000, mostFailures: 1, pack: 'projecting' });
    const { kept, failures, trace } = await runner.shorten('projecting', seeds[0]!.seed);
    expect(failures).not.toEqual([]);
    expect(await runner.play('projecting', kept)).toEqual(failures);
    expect(Object.keys(kept.script!).length).toBeLessThan(40);
    expect(trace.join('\n')).toContain('producer');
    expect((await PACK.play(kept)).failures).toEqual([]);
  });

  it('do not begin where a bug cannot be planted', async () => {
    const bugAt = (mark: string): Mutant => ({ name: 'no-bug', rule: '', changes: [drop(mark)] });
    await expect(Runner.load(bugAt('no-such-rule'))).rejects.toThrow(
      'No comment "// rule: no-such-rule" marks the code',
    );
    const withoutWriter = 'test/simulator/kernel/random.ts';
    const bug = bugAt('update-is-made-of-the-item-as-seen');
    await expect(plantedModules.load(withoutWriter, bug)).rejects.toThrow(
      'src/client/write/update/seen.ts is no part of test/simulator/kernel/random.ts',
    );
  });
});

describe('a script that names no order by name and no owner', () => {
  it('is of a model without them, as it was before there were any', () => {
    const plain = chooseModel(Choices.scripted({ 'model.inbound': 2 }));
    expect(plain).toMatchObject({ inbound: 'rank-date', named: 'none', owner: 'none' });
    const { nodes, edges } = graphOf(plain);
    expect([...edges.keys()]).toEqual(['MEMBER', 'LINK']);
    expect([...edges.get('MEMBER')!.inbound!.orders.keys()]).toEqual(['gsi0', 'gsi1']);
    expect(nodes.get('GOAL')!.includedBy).toEqual([]);
  });
});
