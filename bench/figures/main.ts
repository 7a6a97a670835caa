import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { writePlots } from '../friends/plots.ts';
import { measureAll } from '../support/command.ts';
import { FIGURES, type FigureFile, readFigures } from '../support/figure-file.ts';
import { PAGES_WITH_FIGURES, withFigures } from './blocks.ts';
import { unconfirmed } from './check.ts';
import { forgetKept, readKept, writeKept } from './kept.ts';
import { figuresPage } from './page.ts';
import { figurePlots } from './plots.ts';

const USAGE = `Usage: npm run bench -- figures [-- --measure [NAME...] | --check [NAME...]]

Writes docs/project/figures.md, its plots and the tables of figures in other pages from docs/project/figures.json.

  --measure  measure all benchmarks before, or those named, and put what they find into docs/project/figures.json; half an hour on an idle machine
  --check    measure them, and say which figure of docs/project/figures.json is not that of five runs here; 1 is the exit code where one is not.
             A count may differ as far as it varies from run to run, a ratio as far as its runs do. Times are not compared.
             It ends within ten minutes; 3 is the exit code where benchmarks are left, with which the same command goes on
`;
const BENCHMARKS = fileURLToPath(new URL('../main.js', import.meta.url));
const REPETITIONS = 5;
const CALL_SECONDS = 570;
const UNFINISHED = 3;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    measure: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const isRun = values.measure !== values.check;
const file = await readFigures();
// A benchmark that is measured for the first time isn't in the file.
const unknown = values.measure ? [] : positionals.filter((name) => file?.benchmarks[name] === undefined);
if (values.help || (!isRun && (positionals.length > 0 || values.check))) {
  (values.help ? process.stdout : process.stderr).write(USAGE);
  process.exitCode = values.help ? 0 : 2;
} else if (file === undefined || unknown.length > 0) {
  const lacking = unknown.length > 0 && file !== undefined ? `has no benchmark ${unknown.join(', ')}` : 'is not there';
  process.stderr.write(`${FIGURES} ${lacking}. "npm run bench -- all --json" writes it.\n`);
  process.exitCode = 2;
} else if (values.check) await check(file, positionals);
else if (values.measure) await write(await measured(file, positionals));
else await write(file);

async function measured(documented: FigureFile, names: readonly string[]): Promise<FigureFile> {
  const chosen = names.length > 0 ? names : Object.keys(documented.benchmarks);
  await measureAll(chosen, { program: BENCHMARKS, json: true }, true);
  return (await readFigures()) ?? documented;
}

/** Measures until the time is up. The next call continues. */
async function check(documented: FigureFile, names: readonly string[]): Promise<void> {
  const chosen = names.length > 0 ? names : Object.keys(documented.benchmarks);
  const kept = await readKept();
  const start = performance.now();
  const secondsLeft = (): number => CALL_SECONDS - (performance.now() - start) / 1000;
  // A loaded machine takes proportionally longer.
  const share = (): number => Math.max(1, loadavg()[0]! / availableParallelism());
  const secondsOf = (name: string): number => documented.benchmarks[name]!.seconds * share();
  const isLeft = (name: string): boolean => kept.benchmarks[name] === undefined;
  for (const [i, name] of chosen.filter(isLeft).entries()) {
    // The first benchmark may take the whole call: otherwise, a long one would never be measured.
    if (i > 0 && secondsOf(name) > secondsLeft()) break;
    const mostSeconds = Math.max(1, secondsLeft());
    const options = { program: BENCHMARKS, repetitions: String(REPETITIONS), json: true, mostSeconds };
    const { benchmarks } = await measureAll([name], options, false);
    kept.benchmarks[name] = benchmarks[name] ?? null;
    await writeKept(kept);
  }
  const left = chosen.filter(isLeft);
  if (left.length > 0) {
    process.stdout.write(
      `${chosen.length - left.length} of ${chosen.length} benchmarks are measured. The same command goes on with ${left[0]}.\n`,
    );
    process.exitCode = UNFINISHED;
    return;
  }
  await forgetKept();
  const lines = chosen.flatMap((name) => {
    const found = kept.benchmarks[name];
    return found ? unconfirmed(name, documented.benchmarks[name]!, found) : [`${name}: did not end`];
  });
  process.stdout.write([...lines, `${lines.length} figures are not confirmed.`].map((line) => `${line}\n`).join(''));
  process.exitCode = lines.length > 0 ? 1 : 0;
}

async function write(figures: FigureFile): Promise<void> {
  const plots = await figurePlots(figures);
  const page = join('docs', 'project', 'figures.md');
  await writeFile(page, figuresPage(figures, plots));
  const others = PAGES_WITH_FIGURES.map((name) => join('docs', name));
  for (const other of others) await writeFile(other, withFigures(await readFile(other, 'utf8'), figures));
  const files = [page, ...others, ...(await writePlots(plots, join('docs', 'project', 'img')))];
  process.stdout.write(`${files.join('\n')}\n`);
}
