import type { Plot } from '../friends/plots.ts';
import { loadPlotLibrary, type PlotLibrary, svgOf, TEXT_COLOR } from '../plots/library.ts';
import type { FigureFile, MeasuredBenchmark } from '../support/figure-file.ts';
import { type Figure, middleOf, rangeText } from '../support/report.ts';

/** Draws medians as bars, with the range of the runs. */

interface Bar {
  name: string;
  figure: Figure;
}

interface ChartSettings {
  name: string;
  title: string;
  subtitle: string;
  axis: string;
  isLog?: boolean;
}

interface Chart extends ChartSettings {
  bars: Bar[];
}

const WIDTH = 860;
const ROW_HEIGHT = 46;
const FRAME = { left: 330, right: 160, top: 86, bottom: 58 };
const OURS = '#0072B2';
const OTHERS = '#BBBBBB';

/** Edgeloom's bars come first. `of` selects figures by name. */
const CHARTS: readonly (ChartSettings & {
  benchmark: string;
  report: string;
  of: readonly (readonly [figure: string, bar: string])[];
})[] = [
  {
    benchmark: 'throughput',
    report: 'throughput',
    name: 'figures-cpu-a-record',
    title: 'CPU of one projected record',
    subtitle: 'decode, plan and write, against one write of a bare loop through the DocumentClient',
    axis: 'times the CPU of a write in the loop',
    of: [
      ["CPU a record against a write of a DocumentClient's loop", 'projector, in batches of 10,000'],
      ['the same, in batches of 100', 'projector, in batches of 100'],
      ['the same, in batches of 25', 'projector, in batches of 25'],
    ],
  },
  {
    benchmark: 'cpu',
    report: 'cpu',
    name: 'figures-planning',
    title: 'Planning a batch of records',
    subtitle: 'decode, fold and plan, against JSON.parse of the event that brings them',
    axis: 'times the CPU of JSON.parse',
    of: [
      ['against JSON.parse, edge sets, 1,000 records', 'edge sets, 1,000 records'],
      ['against JSON.parse, edge sets, 10,000 records', 'edge sets, 10,000 records'],
      ['against JSON.parse, full model, 1,000 records', 'edge sets, indexes, searches, 1,000 records'],
      ['against JSON.parse, full model, 10,000 records', 'edge sets, indexes, searches, 10,000 records'],
    ],
  },
  {
    benchmark: 'batch',
    report: 'batch',
    name: 'figures-capacity',
    title: 'Write capacity of 10,000 records over 2,000 sources',
    subtitle: 'edge sets alone; the largest has about 3,000 members',
    axis: 'write capacity units',
    isLog: true,
    of: [
      ['write capacity', 'projector'],
      ['write capacity, lower bound', 'lower bound'],
      ['one by one: write capacity', 'one update a record'],
    ],
  },
  {
    benchmark: 'peers',
    report: 'peers',
    name: 'figures-peers-capacity',
    title: 'Write capacity of 11,000 records, by consumers that users write',
    subtitle: 'edge sets, index items and search items; delivered once',
    axis: 'write capacity units',
    isLog: true,
    of: [
      ['projector: write capacity', 'projector'],
      ['DocumentClient: write capacity', 'DocumentClient'],
      ['Powertools batch, sequential: write capacity', 'Powertools batch, sequential'],
      ['Powertools batch, default: write capacity', 'Powertools batch, default'],
      ['aws-lambda-stream: write capacity', 'aws-lambda-stream'],
      ['dynamodb-toolbox: write capacity', 'dynamodb-toolbox'],
    ],
  },
  {
    benchmark: 'peers',
    report: 'peers-late',
    name: 'figures-peers-wrong',
    title: 'Wrong items after half of them came a second time',
    subtitle: 'views and index items that are not those of the base items',
    axis: 'items',
    of: [
      ['projector: wrong items', 'projector'],
      ['DocumentClient: wrong items', 'DocumentClient'],
      ['Powertools batch, sequential: wrong items', 'Powertools batch, sequential'],
      ['Powertools batch, default: wrong items', 'Powertools batch, default'],
      ['aws-lambda-stream: wrong items', 'aws-lambda-stream'],
      ['dynamodb-toolbox: wrong items', 'dynamodb-toolbox'],
    ],
  },
];

export async function figurePlots({ benchmarks }: FigureFile): Promise<Plot[]> {
  const library = await loadPlotLibrary();
  return CHARTS.flatMap(({ benchmark, report, of, ...chart }) => {
    const measured: MeasuredBenchmark | undefined = benchmarks[benchmark];
    const figures = measured?.reports.find(({ name }) => name === report)?.figures ?? [];
    const bars = of.flatMap(([name, bar]): Bar[] => {
      const figure = figures.find((one) => one.name === name);
      return figure === undefined ? [] : [{ name: bar, figure }];
    });
    return bars.length === 0 ? [] : [{ name: chart.name, title: chart.title, svg: draw(library, { ...chart, bars }) }];
  });
}

function draw(library: PlotLibrary, { title, subtitle, axis, isLog = false, bars }: Chart): string {
  const height = FRAME.top + FRAME.bottom + bars.length * ROW_HEIGHT;
  return svgOf(
    library,
    { width: WIDTH, height },
    {
      ...{ title, subtitle, left: 20, grid: FRAME },
      xAxis: {
        type: isLog ? 'log' : 'value',
        name: isLog ? `${axis} (log scale)` : axis,
        nameLocation: 'middle',
        nameGap: 32,
        nameTextStyle: { fontSize: 13, color: TEXT_COLOR },
        axisLabel: { fontSize: 12, color: TEXT_COLOR },
      },
      yAxis: {
        type: 'category',
        inverse: true,
        data: bars.map(({ name }) => name),
        axisLabel: { fontSize: 13, color: TEXT_COLOR, width: FRAME.left - 30, overflow: 'break' },
        axisTick: { show: false },
      },
      series: [
        {
          type: 'bar',
          barWidth: 24,
          data: bars.map(({ figure }, place) => ({
            value: middleOf(figure),
            itemStyle: { color: place === 0 ? OURS : OTHERS },
            label: {
              show: true,
              position: 'right',
              fontSize: 12,
              color: TEXT_COLOR,
              formatter: rangeText(figure, short),
            },
          })),
        },
      ],
    },
  );
}

function short(value: number): string {
  return value >= 10 ? Math.round(value).toLocaleString('en-US') : value.toFixed(2).replace(/\.?0+$/, '');
}
