import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writePlots } from '../friends/plots.ts';
import { FIGURES, readFigures } from '../support/figure-file.ts';
import { PAGES_WITH_FIGURES, withFigures } from './blocks.ts';
import { figuresPage } from './page.ts';
import { figurePlots } from './plots.ts';

/** `npm run figures`: writes docs/figures.md, its plots and the tables of figures in other pages from docs/figures.json. */
const file = await readFigures();
if (file === undefined) {
  process.stderr.write(`There is no ${FIGURES}. Run "npm run bench -- all --json" first.\n`);
  process.exitCode = 2;
} else {
  const plots = await figurePlots(file);
  const page = join('docs', 'figures.md');
  await writeFile(page, figuresPage(file, plots));
  const others = PAGES_WITH_FIGURES.map((name) => join('docs', name));
  for (const other of others) await writeFile(other, withFigures(await readFile(other, 'utf8'), file));
  const files = [page, ...others, ...(await writePlots(plots, join('docs', 'img')))];
  process.stdout.write(`${files.join('\n')}\n`);
}
