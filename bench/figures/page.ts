import type { Plot } from '../friends/plots.ts';
import type { FigureFile, MeasuredBenchmark } from '../support/figure-file.ts';
import { isTime, type MeasuredReport, middleOf, numberText, targetText } from '../support/report.ts';

export function figuresPage({ machine, benchmarks }: FigureFile, plots: readonly Plot[]): string {
  const { cores, memoryGB, platform, architecture, node } = machine;
  return `# Figures

<!-- Written by \`npm run bench -- figures\` from docs/project/figures.json. Change bench/figures/page.ts, not this file. -->

Costs and speed, as counts and ratios: times are those of one machine, and only a benchmark prints them. Measured on a
shared virtual machine with ${cores} cores and ${memoryGB} GB (${platform}, ${architecture}, Node ${node.replace('v', '')}), under other load. Speed is CPU
time, and compared things run in turn: a ratio is the median of the ratios of neighboring runs, with the
smallest and the largest. Code is compiled as it is shipped. Calls and
capacity are counted on a table in memory or on the embedded engine; where CPU is counted, the table is a process that answers at once,
whatever it is asked.

In a clone \`npm run bench -- figures --check\` measures them where you are, and says which differ: a count with ± by more than that, one that says what
was done in this run never. \`npm run bench -- figures --measure\` measures all of it again and makes this page; a benchmark is stopped after three
minutes, on a loaded machine later. A target that is missed says so.

${plots.map(({ name, title }) => `![${title}](img/${name}.svg)\n`).join('\n')}
${Object.entries(benchmarks)
  .filter(([, { reports }]) => reports.some(hasMoreThanTimes))
  .map(([name, benchmark]) => section(name, benchmark))
  .join('\n')}`;
}

function section(name: string, { measuredOn, loadAverage, reports }: MeasuredBenchmark): string {
  const load = loadAverage === undefined ? '' : `, load average ${numberText(loadAverage)}`;
  return `## ${name}

\`npm run bench -- ${name}\` · measured on ${measuredOn}${load}

${reports.filter(hasMoreThanTimes).map(table).join('\n')}`;
}

function variesText({ varies }: MeasuredReport['figures'][number]): string {
  if (varies === undefined) return '';
  return varies === true ? 'in this run' : `± ${Math.round(varies * 100)} %`;
}

function hasMoreThanTimes({ figures }: MeasuredReport): boolean {
  return !figures.every(isTime);
}

function table({ title, figures }: MeasuredReport): string {
  const rows = figures
    .filter((figure) => !isTime(figure))
    .map((figure) => {
      const { value } = figure;
      const median = numberText(middleOf(figure));
      const range =
        typeof value === 'number' ? variesText(figure) : `${numberText(value.min)} to ${numberText(value.max)}`;
      return `| ${figure.name} | ${median} | ${range} | ${figure.unit} | ${targetText(figure)} |`;
    });
  return `${title.charAt(0).toUpperCase()}${title.slice(1)}:

| figure | median | runs | unit | target |
|---|---|---|---|---|
${rows.join('\n')}
`;
}
