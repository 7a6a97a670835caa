import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FONT, loadPlotLibrary, type PlotLibrary, svgOf, TEXT_COLOR } from '../plots/library.ts';
import type { NetworkCost } from './findings.ts';
import { LAYOUTS } from './layouts/index.ts';
import { OPERATIONS, type Operation } from './layouts/layout.ts';

export interface Plot {
  name: string;
  title: string;
  svg: string;
}

interface Panel {
  axis: string;
  value: (cost: NetworkCost) => number;
}

interface Chart {
  title: string;
  subtitle: string;
  panels: readonly Panel[];
}

const PANEL_WIDTH = 640;
const HEIGHT = 470;
const MARGIN = { left: 80, right: 30, top: 125, bottom: 60 };
const PNG_SCALE = 2;
const LINE_COLOR = '#dddddd';
/** With a larger ratio, a linear axis would hide small values. */
const LOG_RATIO = 40;

/**
 * Later lines are thinner and dashed, so that overlapping lines stay visible. Colors for the color-blind: Okabe and
 * Ito.
 */
const STYLES = [
  { color: '#D55E00', symbol: 'circle', width: 6, dash: 'solid' },
  { color: '#E69F00', symbol: 'diamond', width: 2.5, dash: 'solid' },
  { color: '#009E73', symbol: 'triangle', width: 2.5, dash: [7, 4] },
  { color: '#56B4E9', symbol: 'rect', width: 6, dash: 'solid' },
  { color: '#222222', symbol: 'emptyCircle', width: 2, dash: [2, 3] },
] as const;

const TITLES: Readonly<Record<Operation, string>> = {
  add: 'Adding a friend',
  check: 'Checking for a friend',
  list: 'Listing all friends',
  remove: 'Removing a friend',
};

export async function drawPlots(costs: readonly NetworkCost[]): Promise<Plot[]> {
  const library = await loadPlotLibrary();
  const time = OPERATIONS.map((operation) => ({
    operation,
    name: `friends-time-${operation}`,
    title: `${TITLES[operation]}: time`,
    subtitle: 'five layouts on DynamoDB (embedded engine); median over the lists of a network',
    panels: [{ axis: 'time per operation, in checks in row', value: ({ time: checks }: NetworkCost) => checks }],
  }));
  const capacity = OPERATIONS.map((operation) => ({
    operation,
    name: `friends-capacity-${operation}`,
    title: `${TITLES[operation]}: capacity units and bytes moved`,
    subtitle: 'five layouts on DynamoDB; mean over the lists of a network',
    panels: [
      { axis: 'capacity units (RCU + WCU) per operation', value: ({ rcu, wcu }: NetworkCost) => rcu + wcu },
      { axis: 'bytes moved per operation', value: ({ bytes }: NetworkCost) => bytes },
    ],
  }));
  return [...time, ...capacity].map(({ operation, name, ...chart }) => ({
    name,
    title: chart.title,
    svg: draw(
      library,
      chart,
      costs.filter((cost) => cost.operation === operation),
    ),
  }));
}

export async function writePlots(plots: readonly Plot[], folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const library = await loadPlotLibrary();
  const files: string[] = [];
  for (const { name, svg } of plots) {
    const path = join(folder, name);
    await writeFile(`${path}.svg`, `${svg}\n`);
    await writeFile(`${path}.png`, toPng(library, svg));
    files.push(`${path}.svg`, `${path}.png`);
  }
  return files;
}

function toPng({ resvg, fonts }: PlotLibrary, svg: string): Buffer {
  // The machine's own fonts would make different pictures.
  const fontFiles = ['DejaVuSans.ttf', 'DejaVuSans-Bold.ttf'].map((file) => join(fonts, file));
  return new resvg.Resvg(svg, {
    fitTo: { mode: 'zoom', value: PNG_SCALE },
    font: { loadSystemFonts: false, fontFiles, defaultFontFamily: FONT },
  })
    .render()
    .asPng();
}

function draw(library: PlotLibrary, { title, subtitle, panels }: Chart, costs: readonly NetworkCost[]): string {
  return svgOf(
    library,
    { width: PANEL_WIDTH * panels.length, height: HEIGHT },
    {
      ...{ title, subtitle, left: MARGIN.left },
      legend: {
        data: LAYOUTS.map(({ name }) => name),
        left: MARGIN.left,
        top: 72,
        itemWidth: 44,
        itemGap: 22,
        textStyle: { fontSize: 13, color: TEXT_COLOR },
      },
      grid: panels.map((_, place) => ({
        left: place * PANEL_WIDTH + MARGIN.left,
        width: PANEL_WIDTH - MARGIN.left - MARGIN.right,
        top: MARGIN.top,
        bottom: MARGIN.bottom,
      })),
      xAxis: panels.map((_, place) => ({
        ...sizeAxis([...new Set(costs.map(({ size }) => size))]),
        gridIndex: place,
      })),
      yAxis: panels.map((panel, place) => ({
        ...axis(panel.axis, isWide(costs.map(panel.value)), 56),
        gridIndex: place,
      })),
      series: panels.flatMap((panel, place) =>
        LAYOUTS.map(({ name }, style) => line(name, style, place, panel, costs)),
      ),
    },
  );
}

function line(name: string, style: number, place: number, { value }: Panel, costs: readonly NetworkCost[]) {
  const { color, symbol, width, dash } = STYLES[style]!;
  return {
    name,
    type: 'line' as const,
    xAxisIndex: place,
    yAxisIndex: place,
    symbol,
    symbolSize: 9,
    color,
    lineStyle: { color, width, type: typeof dash === 'string' ? dash : [...dash] },
    data: costs.filter(({ layout }) => layout === name).map((cost) => [cost.size, value(cost)]),
  };
}

function axis(name: string, isLog: boolean, nameGap: number) {
  return {
    type: isLog ? ('log' as const) : ('value' as const),
    name: isLog ? `${name} (log scale)` : name,
    nameLocation: 'middle' as const,
    nameGap,
    nameTextStyle: { fontSize: 13, color: TEXT_COLOR },
    axisLabel: { fontSize: 12, color: TEXT_COLOR },
    axisLine: { show: true, lineStyle: { color: TEXT_COLOR } },
    splitLine: { lineStyle: { color: LINE_COLOR } },
  };
}

function sizeAxis(sizes: readonly number[]) {
  const base = axis('users in the network', isWide(sizes), 34);
  return {
    ...base,
    min: Math.min(...sizes),
    max: Math.max(...sizes),
    axisTick: { customValues: [...sizes] },
    axisLabel: { ...base.axisLabel, customValues: [...sizes] },
    splitLine: { show: false },
  };
}

function isWide(values: readonly number[]): boolean {
  return Math.max(...values) / Math.min(...values) > LOG_RATIO;
}
