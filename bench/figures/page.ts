import type { Plot } from '../friends/plots.ts';
import type { FigureFile, MeasuredBenchmark } from '../support/figure-file.ts';
import { type MeasuredReport, numberText, targetText } from '../support/report.ts';

/** The page `figures.md`: everything on it comes from `figures.json`. Plots are named as they lie in the folder `img`. */
export function figuresPage({ machine, benchmarks }: FigureFile, plots: readonly Plot[]): string {
  const { cores, memoryGB, platform, architecture, node } = machine;
  return `# Figures

<!-- Written by \`npm run figures\` from docs/figures.json. Change bench/figures/page.ts, not this file. -->

What it costs and how fast it is. Measured on a shared virtual machine with ${cores} cores and ${memoryGB} GB
(${platform}, ${architecture}, Node ${node.replace('v', '')}), beside other work: seconds are those of a busy machine. So CPU time is
counted where speed is the question, and compared things run in turn: a ratio is the median of the ratios of neighbouring runs, with the
smallest and the largest beside it. Code is compiled as it is shipped. Calls and
capacity are counted on a table in memory or on the embedded engine; where CPU is counted, the table is a process that answers at once,
whatever it is asked.

\`npm run bench -- all --json\` measures all of it anew, a benchmark is stopped after three minutes, and \`npm run figures\` makes this page.
A target that is missed says so. CPU rises with the load too: the cores share their caches, and half of a call is the kernel's.

${plots.map(({ name, title }) => `![${title}](img/${name}.svg)\n`).join('\n')}
${Object.entries(benchmarks)
  .map(([name, benchmark]) => section(name, benchmark))
  .join('\n')}`;
}

function section(name: string, { seconds, measuredOn, loadAverage, reports }: MeasuredBenchmark): string {
  const load = loadAverage === undefined ? '' : `, load average ${numberText(loadAverage)}`;
  return `## ${name}

\`npm run bench -- ${name}\` · ${seconds} s, measured on ${measuredOn}${load}

${reports.map(table).join('\n')}`;
}

function table({ title, figures }: MeasuredReport): string {
  const rows = figures.map((figure) => {
    const { value } = figure;
    const median = numberText(typeof value === 'number' ? value : value.median);
    const range = typeof value === 'number' ? '' : `${numberText(value.min)} to ${numberText(value.max)}`;
    return `| ${figure.name} | ${median} | ${range} | ${figure.unit} | ${targetText(figure)} |`;
  });
  return `${title.charAt(0).toUpperCase()}${title.slice(1)}:

| figure | median | runs | unit | target |
|---|---|---|---|---|
${rows.join('\n')}
`;
}
