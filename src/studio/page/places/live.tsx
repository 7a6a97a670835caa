import type { EChartsCoreOption } from 'echarts/core';
import { useCallback } from 'preact/hooks';
import { figure } from '../../../figure.ts';
import type { StatusAnswer } from '../../api/overview.ts';
import { type Colours, Plot } from '../parts/plot.tsx';

/** How things were at a moment. */
interface Moment {
  atMs: number;
  lagSeconds: number;
  recordsPerSecond: number;
}

/** Moments that are kept: an hour of them. */
const MOST_MOMENTS = 720;
/** What was seen since the page was opened; it outlives a walk to another place. */
const moments: Moment[] = [];

/** Keeps what a status says of lag and throughput. */
export function noteMoment({ atMs, shards, consumers }: StatusAnswer): void {
  if (moments.at(-1)?.atMs === atMs) return;
  const running = consumers.filter(({ isStopped }) => !isStopped);
  moments.push({
    atMs,
    lagSeconds: Math.max(0, ...shards.map(({ behindSeconds }) => behindSeconds)),
    recordsPerSecond: running.reduce((sum, { recordsPerSecond }) => sum + recordsPerSecond, 0),
  });
  if (moments.length > MOST_MOMENTS) moments.shift();
}

/** Lag and throughput over the time that one has looked. `at`: the newest moment. */
export function Live({ at }: { at: number }) {
  const option = useCallback((colours: Colours) => lines(colours, at), [at]);
  const last = moments.at(-1);
  return (
    <>
      <Plot
        label={`Lag and throughput since the page was opened, ${moments.length} moments`}
        option={option}
        height="low"
      />
      <p>
        now: {figure(last?.lagSeconds ?? 0)} s behind, {figure(last?.recordsPerSecond ?? 0)} records/s
      </p>
    </>
  );
}

function lines(colours: Colours, at: number): EChartsCoreOption {
  const shown = moments.filter(({ atMs }) => atMs <= at);
  const axis = { axisLabel: { color: colours.quiet }, splitLine: { lineStyle: { color: colours.line } }, min: 0 };
  const series = (name: string, yAxisIndex: number, color: string, of: (moment: Moment) => number) => ({
    ...{ name, type: 'line', yAxisIndex, color, showSymbol: shown.length < 20 },
    data: shown.map((moment) => [moment.atMs, of(moment)]),
  });
  return {
    animation: false,
    grid: { left: 8, right: 8, top: 34, bottom: 4, containLabel: true },
    legend: { textStyle: { color: colours.text }, top: 0 },
    tooltip: { trigger: 'axis' },
    xAxis: { type: 'time', axisLabel: { color: colours.quiet, hideOverlap: true } },
    yAxis: [
      { ...axis, type: 'value', minInterval: 1 },
      { ...axis, type: 'value', minInterval: 1, splitLine: { show: false } },
    ],
    series: [
      series('behind (s)', 0, colours.second, ({ lagSeconds }) => lagSeconds),
      series('records/s', 1, colours.accent, ({ recordsPerSecond }) => recordsPerSecond),
    ],
  };
}
