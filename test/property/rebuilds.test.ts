import { describe, expect, it } from 'vitest';
import { runRebuilds } from '../simulator/packs/rebuilds/schedule.ts';
import { seeds } from '../support/extent.ts';

/** `npm run simulate -- rebuilds --runs 300000` runs more of them. */
const SCHEDULES = seeds({ part: 50, whole: 1_500 });

describe('batches of two models and a rebuild of a table without a registry', () => {
  it('leave every derived item as the new model wants it', async () => {
    const failures: string[] = [];
    for (let i = 0; i < SCHEDULES.count; i++) failures.push(...(await runRebuilds(SCHEDULES.first + i)));
    expect(failures).toEqual([]);
  }, 900_000);
});
