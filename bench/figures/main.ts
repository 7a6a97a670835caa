import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writePlots } from '../friends/plots.ts';
import { FIGURES, readFigures } from '../support/figure-file.ts';
import { figuresPage } from './page.ts';
import { figurePlots } from './plots.ts';

/** `npm run figures`: makes docs/figures.md and its plots of docs/figures.json. */
const file = await readFigures();
if (file === undefined) {
  process.stderr.write(`There is no ${FIGURES}. Run "npm run bench -- all --json" first.\n`);
  process.exitCode = 2;
} else {
  const plots = figurePlots(file);
  const page = join('docs', 'figures.md');
  await writeFile(page, figuresPage(file, plots));
  const files = [page, ...(await writePlots(plots, join('docs', 'img')))];
  process.stdout.write(`${files.join('\n')}\n`);
}
