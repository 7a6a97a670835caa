import { expect, it } from 'vitest';
import type { BuildContext } from '../../../src/migrate/walks/build.ts';
import { verifyInIndexes } from '../../../src/migrate/walks/verify.ts';
import { Bench, inputOf } from '../../matrix/bench.ts';
import { FEATURES } from '../../matrix/features.ts';
import { compiled } from '../../matrix/model.ts';
import { memoryRig } from '../../matrix/rig.ts';

it('a migration does not call views of parts ready while one is missing or wrong', async () => {
  const features = FEATURES.filter(({ name }) => name === 'part of all attributes');
  const bench = new Bench(memoryRig(compiled(inputOf(features))), features);
  await bench.begin();
  const { rig, model: graph } = bench;
  const views = (await bench.derived()).filter(({ key }) => key.target === '~view/STATE');
  expect(views.length).toBeGreaterThan(1);
  await rig.store.delete(views[0]!.key);
  await rig.store.put({ ...views[1]!.item, attributes: { M: { mood: { S: 'forged' } } } });
  const context = {
    ...{
      graph,
      store: rig.store,
      segments: 1,
      concurrency: 2,
      stats: { rcu: 0, wcu: 0 },
      isOver: () => false,
      checkStates: async () => undefined,
      remainingMs: () => 60_000,
    },
    ...{ now: () => rig.nowMs(), wait: (milliseconds: number) => rig.wait(milliseconds), random: () => 0.5 },
  } as unknown as BuildContext;
  await verifyInIndexes(context);
  await bench.expectStored();
});
