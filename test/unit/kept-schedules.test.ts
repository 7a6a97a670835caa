import { describe, expect, it } from 'vitest';
import * as evolution from '../simulator/evolution/schedule.ts';
import * as observer from '../simulator/observer/schedule.ts';
import { KEPT, keptFile, keptNames } from '../simulator/planted/kept.ts';
import { plantedModules } from '../simulator/planted/modules.ts';
import * as projector from '../simulator/schedule.ts';

/** Each schedule that is kept for a planted bug still shows it, and the code as it is passes. */

/** The programs on the code as it is. Imported, so that `npm run test:changed` knows what this depends on. */
const REAL: Readonly<Record<string, unknown>> = {
  'test/simulator/schedule.ts': projector,
  'test/simulator/observer/schedule.ts': observer,
  'test/simulator/evolution/schedule.ts': evolution,
};

describe.each(KEPT)('the schedules kept for bugs of the $simulator', (kept) => {
  it('are some', () => {
    expect(keptNames(kept)).not.toEqual([]);
  });

  it.each(keptNames(kept))('%s', async (name) => {
    const file = keptFile(kept, name);
    const mutant = kept.mutants.find((one) => one.name === name);
    if (mutant === undefined) expect.fail(`${file}: the ${kept.simulator} has no planted bug of this name.`);
    const { failures } = await kept.play(await plantedModules.load(kept.program, mutant), file);
    if (!failures.some(({ kind }) => kept.shownBy.includes(kind))) {
      const kinds = failures.map(({ kind }) => kind).join(', ') || 'nothing';
      expect.fail(
        `${file} does not show the planted bug ${name} any more (${mutant.rule}): ${kinds} failed. ` +
          `Find another one, npm run ${kept.command} --mutant ${name} --runs 300000 --pin, or delete it if draws find the bug.`,
      );
    }
    expect((await kept.play(REAL[kept.program], file)).failures).toEqual([]);
  });
});
