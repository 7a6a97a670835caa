import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { minifySync, transformSync } from 'rolldown/utils';
import { describe, expect, it } from 'vitest';
import { PLANTED } from '../simulator/planted/all.ts';
import { type Change, plantedFiles } from '../simulator/planted/changes.ts';
import { type Mark, marks, marksByName, marksOf, ROOT } from '../simulator/planted/marks.ts';

/** The code that planted bugs make: with the compiler and the formatter, which take too long for unit tests. */

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

describe('planted bugs', () => {
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
});
