import { fixedModel } from '../../../../src/registry/writer-model.ts';
import { redrive } from '../../../../src/trust/repair/redrive.ts';
import { Operation } from './operation.ts';
import type { World } from './world.ts';

/** An operator redrives what is quarantined. */
export function startRedrive(world: World, name: string): void {
  world.count('redrives');
  new Operation(world, name, async (_operation, store) => {
    const { entries, repaired } = await redrive(world.graph, {
      model: fixedModel(world.graph),
      store,
      now: () => world.agenda.now,
    });
    world.count('entries redriven', entries);
    return `${repaired} of ${entries} entries are settled`;
  }).start();
}
