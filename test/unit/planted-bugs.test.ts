import { describe, expect, it } from 'vitest';
import { PLANTED } from '../simulator/planted/all.ts';
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
import { marks, marksByName, marksOf } from '../simulator/planted/marks.ts';
import { rulesPage } from '../simulator/planted/table.ts';

/** Every planted bug is planted here. `test/property` tells whether it is found, and what is planted with the compiler's help. */

const texts = new Map([...marks().values()].map(({ file, text }) => [file, text]));

describe('the marks of rules', () => {
  it('have planted bugs, all of them, and no bug misses its mark', () => {
    const used = PLANTED.flatMap(({ mutant }) => mutant.changes.flatMap((change) => change.marks));
    expect([...marks().keys()].sort()).toEqual([...new Set(used)].sort());
  });

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
  it('have names of their own', () => {
    const names = PLANTED.map(({ mutant }) => mutant.name);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });

  it('change each file that they name', () => {
    const same = PLANTED.flatMap(({ mutant }) =>
      [...plantedFiles(mutant.changes)].filter(([file, text]) => text === texts.get(file)).map(() => mutant.name),
    );
    expect(same).toEqual([]);
  });

  it('stand in the table of rules', async () => {
    await expect(rulesPage()).toMatchFileSnapshot('../simulator/RULES.md');
  });
});
