import { describe, expect, it } from 'vitest';
import { createProjector } from '../../src/admin.ts';
import { memoryRig } from '../matrix/rig.ts';
import { runs } from '../support/extent.ts';
import { type Met, runLevels } from '../support/levels/levels-run.ts';
import { SIZES } from '../support/sizes.ts';

describe('K41: pages with random levels over random graphs', () => {
  it('are what an oracle says: evicted types, copies, levels that enter, own writes and bounds included', async () => {
    const met: Partial<Met> = {};
    for (let seed = 1; seed <= runs(SIZES.levels); seed++) {
      try {
        const found = await runLevels(seed, async (model) => {
          const rig = memoryRig(model);
          const projector = createProjector(model, { store: rig.store });
          let done = 0;
          const project = async (): Promise<void> => {
            const records = (await rig.records()).slice(done);
            done += records.length;
            const { error } = await projector.project(records);
            if (error !== undefined) throw error;
          };
          return { store: rig.store, project };
        });
        for (const name of Object.keys(found) as (keyof Met)[]) met[name] = met[name] === true || found[name];
      } catch (error) {
        throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
      }
    }
    const all = [
      'evicted',
      'copied',
      'inbound',
      'truncatedByNodes',
      'truncatedByDepth',
      'ownWrites',
      'cutQuery',
      'ownInEvicted',
    ];
    expect(met).toEqual(Object.fromEntries(all.map((name) => [name, true])));
  });
});
