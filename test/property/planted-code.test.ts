import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { PLANTED } from '../simulator/planted/all.ts';
import { type Change, plantedFiles } from '../simulator/planted/changes.ts';
import { programOf } from '../simulator/planted/compiled.ts';
import { type Mark, marks, marksByName, marksOf, ROOT } from '../simulator/planted/marks.ts';

/** Planted bugs in code of another format, which takes the formatter too long for `npm run lint`, where each is planted in the code as it is. */

const run = promisify(execFile);
const texts = new Map([...marks().values()].map(({ file, text }) => [file, text]));

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
