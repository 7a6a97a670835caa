import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KEPT_IN } from '../simulator/kernel/kept.ts';
import {
  addToFile,
  type Change,
  drop,
  dropElse,
  dropProperty,
  insertAfter,
  insertBefore,
  moveAhead,
  moveBehind,
  plantedFiles,
  replace,
  replaceIn,
  setCondition,
  setProperty,
  setValue,
} from '../simulator/planted/changes.ts';
import { typeProblems } from '../simulator/planted/compiled.ts';
import { marksByName, marksOf, ROOT } from '../simulator/planted/marks.ts';
import { bugNamed, bugsNamed, type Mutant } from '../simulator/planted/mutant.ts';
import { applied, keptForNoBug, marksWithoutBug, namesTwice } from '../simulator/planted/problems.ts';
import { rulesPage } from '../simulator/planted/table.ts';

/** How bugs are planted. `npm run lint` plants each of them (`scripts/check-planted.ts`); `test/property` tells whether it is found. */

describe('the marks of rules', () => {
  it('mark the code right below them, however many stand there', () => {
    const text = '// rule: one\n// Why.\n// rule: two\nif (a) b();\nf(\n  // rule: three\n  { c },\n);\n';
    const found = marksOf('x.ts', text).map(({ name, node }) => [name, text.slice(node.start, node.end)]);
    expect(found).toEqual([
      ['one', 'if (a) b();'],
      ['two', 'if (a) b();'],
      ['three', '{ c }'],
    ]);
  });

  it('are refused where they are not written as marks are, or mark nothing', () => {
    expect(() => marksOf('x.ts', '// rule: Two Words\na();\n')).toThrow('x.ts has a comment that marks no rule');
    expect(() => marksOf('x.ts', '// rule: last\n')).toThrow(
      'x.ts: nothing begins right below the mark of the rule last',
    );
  });

  it('stand once, and a bug says which mark it misses', () => {
    const twice = ['a.ts', 'b.ts'].flatMap((file) => marksOf(file, '// rule: one\na();\n'));
    expect(() => marksByName(twice)).toThrow('The rule one is marked in a.ts and in b.ts.');
    expect(() => plantedFiles([drop('none')], new Map())).toThrow('No comment "// rule: none" marks the code');
  });
});

describe('a change at a mark', () => {
  const code = `
    // rule: order, first
    a();
    between();
    // rule: order, then
    b();
    // rule: choice
    if (x > 1) c({ y: 2, z, });
    else d();
    // rule: value
    const v = (e +
      f) || g;
  `;
  const changed = (...changes: Change[]): string => {
    const all = marksByName(marksOf('x.ts', code));
    return plantedFiles(changes, all)
      .get('x.ts')!
      .replace(/\/\/.*$/gm, '')
      .replace(/\s+/g, ' ')
      .trim();
  };
  const plain = changed(insertBefore('value', ''));

  it.each([
    ['leaves out', drop('order, first'), 'a(); between();', 'between();'],
    ['leaves out what is done otherwise', dropElse('choice'), ' else d();', ''],
    ['leaves out a property', dropProperty('choice', 'y'), 'y: 2, z', 'z'],
    ['replaces', replace('order, then', (old) => `if (no) ${old}`), 'b();', 'if (no) b();'],
    ['sets a value', setValue('value', 'h'), '(e + f) || g', 'h'],
    ['sets a condition', setCondition('choice', (old) => `${old} && i`), 'x > 1', 'x > 1 && i'],
    ['sets a property', setProperty('choice', 'y', '3'), 'y: 2', 'y: 3'],
    ['sets a short property', setProperty('choice', 'z', (old) => `${old}()`), ' z,', ' z: z(),'],
    ['replaces an expression in it, whatever its format', replaceIn('value', 'e + f', 'k'), 'e + f', 'k'],
    ['inserts before', insertBefore('choice', 'l();'), 'if (x', 'l(); if (x'],
    ['inserts after', insertAfter('order, then', 'm();'), 'b();', 'b(); m();'],
    ['moves behind', moveBehind('order'), 'a(); between(); b();', 'between(); b(); a();'],
    ['moves ahead', moveAhead('order'), 'a(); between(); b();', 'b(); a(); between();'],
    ['adds to the file', addToFile('value', 'n();'), '|| g;', '|| g; n();'],
  ])('%s', (_what, change, before, after) => {
    expect(plain).toContain(before);
    expect(changed(change)).toBe(plain.replace(before, after));
  });

  it('says where the code lacks what it names', () => {
    expect(() => changed(setCondition('order, first', 'true'))).toThrow(
      'keeps the rule order, first, in x.ts, has 0 times',
    );
    expect(() => changed(replaceIn('value', 'e', 'e'), setValue('value', 'h'))).toThrow('Two changes of x.ts overlap.');
    expect(() => changed(setValue('value', '('))).toThrow(SyntaxError);
  });
});

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

  it('names a bug that changes nothing but the format', () => {
    const { problems } = applied([bug('same', setValue('one', '(1)'), insertBefore('two', '// Why.'))], all);
    expect(problems).toEqual([`${file}: the planted bug same leaves the program as it is. Change the bug.`]);
  });

  it('names a mark without a bug, and a name of two bugs', () => {
    const bugs = [bug('b', drop('one')), bug('b')];
    expect(marksWithoutBug(bugs, all)).toEqual([
      expect.stringContaining(`${file}: no planted bug breaks the rule two.`),
    ]);
    expect(namesTwice(bugs)).toEqual([expect.stringContaining('Two planted bugs have the name b.')]);
  });

  it('names a bug that a list names and that is not there', () => {
    const bugs = [bug('a'), bug('b')];
    expect(bugsNamed(bugs, new Set(['b']))).toEqual([bugs[1]]);
    expect(() => bugsNamed(bugs, new Set(['b', 'c']))).toThrow('A list names the planted bug c, and there is none.');
    expect(() => bugNamed(bugs, 'd')).toThrow('the planted bug d');
  });

  it('names a kept schedule without a bug', () => {
    const file = `${KEPT_IN.evolution}/evolution-shares-of-another-walk.json`;
    expect(keptForNoBug([])).toContainEqual(expect.stringContaining(`${file}: no planted bug has this name.`));
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
