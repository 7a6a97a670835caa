import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Change, drop, dropElse, setValue } from '../simulator/planted/changes.ts';
import { typeProblems } from '../simulator/planted/compiled.ts';
import { marksByName, marksOf, ROOT } from '../simulator/planted/marks.ts';
import type { Mutant } from '../simulator/planted/mutant.ts';
import { applied, marksWithoutBug, namesTwice } from '../simulator/planted/problems.ts';
import { rulesPage } from '../simulator/planted/table.ts';

describe('planted bugs', () => {
  it('stand in the table of rules', async () => {
    await expect(rulesPage()).toMatchFileSnapshot('../simulator/RULES.md');
  });
});

describe('npm run lint', () => {
  const file = 'src/foundation/for-each.ts';
  const all = marksByName(marksOf(file, '// rule: one\nexport const a: number = 1;\n// rule: two\na.toFixed();\n'));
  const bug = (name: string, ...changes: Change[]): Mutant => ({ name, rule: '', changes });

  it('names a bug that misses its mark, and one that does not fit the marked code', () => {
    const { planted, problems } = applied(
      [bug('list-is-code', drop('three')), bug('other', dropElse('one')), bug('fits', drop('two'))],
      all,
    );
    expect(planted.map(({ mutant }) => mutant.name)).toEqual(['fits']);
    expect(problems).toEqual([
      expect.stringContaining(
        'test/simulator/packs/evolution/planted.ts: the planted bug list-is-code does not apply: No comment "// rule: three" marks',
      ),
      expect.stringContaining(
        `the planted bug other does not apply: The code that keeps the rule one, in ${file}, has no`,
      ),
    ]);
  });

  it('names a mark without a bug, and a name of two bugs', () => {
    const bugs = [bug('b', drop('one')), bug('b')];
    expect(marksWithoutBug(bugs, all)).toEqual([
      expect.stringContaining(`${file}: no planted bug breaks the rule two.`),
    ]);
    expect(namesTwice(bugs)).toEqual([expect.stringContaining('Two planted bugs have the name b.')]);
  });

  it('names a bug that does not compile, and the line', async () => {
    const planted = (name: string, value: string) => applied([bug(name, setValue('one', value))], all).planted;
    await mkdir(join(ROOT, '.cache'), { recursive: true });
    const folder = await mkdtemp(join(ROOT, '.cache/planted-'));
    try {
      const problems = await typeProblems([...planted('no name', 'b'), ...planted('right', '2')], folder);
      expect(problems).toEqual([
        `${file}:2: the planted bug no name does not compile: error TS2304: Cannot find name 'b'.`,
      ]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
