import { describe, expect, it } from 'vitest';
import { KEPT_IN, type KeepingPack, keptFor, keptNames } from '../simulator/kernel/kept.ts';
import { PACK_NAMES, packOf } from '../simulator/kernel/packs.ts';
import { Runner } from '../simulator/kernel/runner.ts';
import { PLANTED } from '../simulator/planted/all.ts';
import { SHOWN_BY } from '../simulator/planted/shown.ts';

/** Each schedule that is kept for a planted bug still shows it, and the code as it is passes. */

describe.each(PACK_NAMES.filter((pack) => pack in KEPT_IN) as KeepingPack[])(
  'the kept schedules of the pack %s',
  (pack) => {
    const folder = KEPT_IN[pack];
    // A kept schedule was looked at: that one of model changes does not come to rest is what the bug does.
    const shownBy = [...SHOWN_BY[pack], ...(pack === 'evolution' ? ['endless'] : [])];

    it('are some', () => {
      expect(keptNames(folder)).not.toEqual([]);
    });

    it.each(keptNames(folder))('%s', async (name) => {
      const file = `${folder}/${name}.json`;
      const mutant = PLANTED.find((one) => one.mutant.name === name)?.mutant;
      if (mutant === undefined) expect.fail(`${file}: there is no planted bug of this name.`);
      const kept = keptFor(pack, name)!;
      const failures = await (await Runner.load(mutant)).play(pack, kept);
      if (!failures.some(({ kind }) => shownBy.includes(kind))) {
        const kinds = failures.map(({ kind }) => kind).join(', ') || 'nothing';
        expect.fail(
          `${file} does not show the planted bug ${name} any more (${mutant.rule}): ${kinds} failed. ` +
            `Find another one, npm run simulate -- ${pack} --mutant ${name} --runs 300000 --pin, or delete it if draws find the bug.`,
        );
      }
      const { play } = await packOf(pack);
      expect((await play!(kept)).failures).toEqual([]);
    });
  },
);
