import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { minifySync, transformSync } from 'rolldown/utils';
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
import { type Mark, marks, marksByName, marksOf, ROOT } from '../simulator/planted/marks.ts';
import { rulesPage } from '../simulator/planted/table.ts';

/** Every planted bug is planted here; whether it is found, the tests of the schedules say. */

const run = promisify(execFile);
const texts = new Map([...marks().values()].map(({ file, text }) => [file, text]));

const programsOfTexts = new Map<string, string>();

/** The program of a text: what is left without its comments and its format. */
function programOf(text: string): string {
  const known = programsOfTexts.get(text);
  if (known !== undefined) return known;
  const { code } = transformSync('file.ts', text, { tsconfig: false, typescript: { onlyRemoveTypeImports: true } });
  const program = minifySync('file.js', code, { mangle: false }).code;
  programsOfTexts.set(text, program);
  return program;
}

/** The programs that a bug makes, by their files. */
function programs(changes: readonly Change[], all?: ReadonlyMap<string, Mark>): Map<string, string> {
  return new Map([...plantedFiles(changes, all)].map(([file, text]) => [file, programOf(text)]));
}

/** Runs a program of a package in a folder; gives what it prints, also where it fails. */
async function printed(program: string, args: string[], cwd = ROOT): Promise<string> {
  const found = await run(process.execPath, [join(ROOT, 'node_modules', program), ...args], { cwd }).catch(
    (error: { stdout: string }) => error,
  );
  return found.stdout;
}

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

  it('make another program of each file that they change', () => {
    const real = new Map([...texts].map(([file, text]) => [file, programOf(text)]));
    const same = PLANTED.flatMap(({ mutant }) =>
      [...programs(mutant.changes)].filter(([file, program]) => program === real.get(file)).map(() => mutant.name),
    );
    expect(same).toEqual([]);
  });

  it('are right by their types: no name in them has gone, no value is another than they take it for', async () => {
    await mkdir(join(ROOT, '.cache'), { recursive: true });
    const folder = await mkdtemp(join(ROOT, '.cache/planted-'));
    try {
      for (const { mutant } of PLANTED) {
        for (const [file, text] of plantedFiles(mutant.changes)) {
          // The file's folder is another, so that its imports name theirs in full.
          const inFull = text.replace(/(from |import\()'(\.[^']+)'/g, (_, before: string, path: string) => {
            return `${before}'${resolve(ROOT, dirname(file), path)}'`;
          });
          await writeFile(join(folder, `${mutant.name}.${file.replaceAll('/', '.')}`), inFull);
        }
      }
      const compilerOptions = {
        rewriteRelativeImportExtensions: false,
        noUnusedLocals: false,
        noUnusedParameters: false,
      };
      const config = { extends: '../../tsconfig.json', compilerOptions, include: ['*.ts'], exclude: [] };
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
      expect(await printed('typescript/bin/tsc', ['-p', folder], folder)).toBe('');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('are the same in code that is formatted otherwise and lies elsewhere', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'edgeloom-formatted-'));
    try {
      const format = { lineWidth: 60, indentStyle: 'tab', indentWidth: 4 };
      const quotes = { formatter: { quoteStyle: 'double', semicolons: 'asNeeded', trailingCommas: 'none' } };
      const config = { root: true, formatter: format, javascript: quotes };
      await writeFile(join(folder, 'biome.json'), JSON.stringify(config));
      const names = [...texts.keys()].map((file) => [file, file.replaceAll('/', '.')] as const);
      for (const [file, name] of names) await writeFile(join(folder, name), texts.get(file)!);
      await printed('@biomejs/biome/bin/biome', ['format', '--write', '.'], folder);
      const found = await Promise.all(
        names.map(async ([, name]) => marksOf(name, await readFile(join(folder, name), 'utf8'))),
      );
      const all = marksByName(found.flat());
      expect(all.size).toBe(marks().size);
      const asTheyAre = new Set(texts.values());
      expect([...all.values()].filter(({ text }) => asTheyAre.has(text)).map(({ file }) => file)).toEqual([]);
      const misfits = PLANTED.filter(({ mutant }) => {
        const elsewhere = [...programs(mutant.changes, all).values()];
        return String(elsewhere) !== String([...programs(mutant.changes).values()]);
      });
      expect(misfits.map(({ mutant }) => mutant.name)).toEqual([]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('stand in the table of rules', async () => {
    await expect(rulesPage()).toMatchFileSnapshot('../simulator/RULES.md');
  });
});
