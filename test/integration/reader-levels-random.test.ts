import { expect, it } from 'vitest';
import { runs } from '../support/extent.ts';
import { runLevels } from '../support/levels/levels-run.ts';
import { testTable } from '../support/table.ts';

it('K41: pages with random levels are what an oracle says, on the engine', async () => {
  for (let seed = 1; seed <= runs({ part: 4, whole: 20 }); seed++) {
    const found = await runLevels(10_000 + seed, async (model) => {
      const { store, projectAll } = await testTable(model);
      return { store, project: projectAll };
    });
    expect(found.ownWrites).toBe(true);
  }
});
