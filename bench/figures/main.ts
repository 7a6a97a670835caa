import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { writePlots } from '../friends/plots.ts';
import { measureAll } from '../support/command.ts';
import { FIGURES, type FigureFile, readFigures } from '../support/figure-file.ts';
import { PAGES_WITH_FIGURES, withFigures } from './blocks.ts';
import { unconfirmed } from './check.ts';
import { figuresPage } from './page.ts';
import { figurePlots } from './plots.ts';

const USAGE = `Usage: npm run figures [-- --check [NAME...]]

Writes docs/figures.md, its plots and the tables of figures in other pages from docs/figures.json.

  --check  measure all benchmarks here, or those named, and say which figure of docs/figures.json is not within the spread of five runs
           here; 1 is the exit code where one is not. Times are not compared
`;
/** The program of the benchmarks. */
const BENCHMARKS = fileURLToPath(new URL('../main.js', import.meta.url));
const REPETITIONS = 5;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { check: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
});
const file = await readFigures();
const unknown = positionals.filter((name) => file?.benchmarks[name] === undefined);
if (values.help || (positionals.length > 0 && !values.check)) {
  (values.help ? process.stdout : process.stderr).write(USAGE);
  process.exitCode = values.help ? 0 : 2;
} else if (file === undefined || unknown.length > 0) {
  const lacking = unknown.length > 0 && file !== undefined ? `has no benchmark ${unknown.join(', ')}` : 'is not there';
  process.stderr.write(`${FIGURES} ${lacking}. "npm run bench -- all --json" writes it.\n`);
  process.exitCode = 2;
} else if (values.check) await check(file, positionals);
else await write(file);

/** Measures benchmarks, and prints which figures of the file are not confirmed. */
async function check(documented: FigureFile, names: readonly string[]): Promise<void> {
  const chosen = names.length > 0 ? names : Object.keys(documented.benchmarks);
  const options = { program: BENCHMARKS, repetitions: String(REPETITIONS), json: true };
  const here = await measureAll(chosen, options, false);
  const lines = Object.entries(here.benchmarks).flatMap(([name, measured]) =>
    unconfirmed(name, documented.benchmarks[name]!, measured),
  );
  process.stdout.write([...lines, `${lines.length} figures are not confirmed.`].map((line) => `${line}\n`).join(''));
  if (lines.length > 0) process.exitCode = 1;
}

async function write(figures: FigureFile): Promise<void> {
  const plots = await figurePlots(figures);
  const page = join('docs', 'figures.md');
  await writeFile(page, figuresPage(figures, plots));
  const others = PAGES_WITH_FIGURES.map((name) => join('docs', name));
  for (const other of others) await writeFile(other, withFigures(await readFile(other, 'utf8'), figures));
  const files = [page, ...others, ...(await writePlots(plots, join('docs', 'img')))];
  process.stdout.write(`${files.join('\n')}\n`);
}
