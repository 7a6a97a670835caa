import { scaleLinear } from 'd3-scale';
import { figureText } from '../../../../src/foundation/figure.ts';
import { Drawing, Legend, type Picture, type Room, widthOf } from './drawing.tsx';
import { momentsBetween } from './moments.ts';

/** A line: what was at each moment, in milliseconds. */
export interface LineSeries {
  name: string;
  values: readonly number[];
}

/** Two lines over time, the first with its axis at the left, the second with its own at the right. */
export function Lines(props: { label: string; atMs: readonly number[]; series: readonly [LineSeries, LineSeries] }) {
  const { label, atMs, series } = props;
  return (
    <>
      <Legend names={series.map(({ name }) => name)} />
      <Drawing label={label} draw={(room) => drawLines(room, atMs, series)} />
    </>
  );
}

/** Letters in the height of a chart. */
const HEIGHT = 13;
/** The size of letters on an axis, by that of the page. */
const SMALL = 0.8;
/** A line with at most this many points marks each of them. */
const MOST_MARKS = 20;
/** The shortest time that an axis shows, in milliseconds. */
const LEAST_MS = 10_000;

/** An axis of whole numbers from 0 on, the height of the chart. */
function axisOf(values: readonly number[], bottom: number, top: number) {
  const scale = scaleLinear()
    .domain([0, Math.max(1, ...values)])
    .nice(5)
    .range([bottom, top]);
  const ticks = scale.ticks(5).filter(Number.isInteger);
  return { scale, ticks };
}

/** The width that the labels of an axis need, and a gap. */
function marginOf(ticks: readonly number[], em: number): number {
  return Math.max(...ticks.map((tick) => widthOf(figureText(tick), em * SMALL))) + em * 0.6;
}

function drawLines({ width, em }: Room, atMs: readonly number[], series: readonly [LineSeries, LineSeries]): Picture {
  const [height, top, size] = [HEIGHT * em, em * 0.7, em * SMALL];
  const bottom = height - 1.6 * em;
  const axes = series.map(({ values }) => axisOf(values, bottom, top));
  const [left, right] = [marginOf(axes[0]!.ticks, em), width - marginOf(axes[1]!.ticks, em)];
  const first = atMs[0] ?? 0;
  const last = Math.max(atMs.at(-1) ?? 0, first + LEAST_MS);
  const time = scaleLinear().domain([first, last]).range([left, right]);
  const label = widthOf('00:00:00', size);
  const half = label / 2;
  const moments = momentsBetween(first, last, Math.max(2, Math.floor((right - left) / (label * 2.2))));
  const shown = moments.filter((moment) => time(moment) >= half && time(moment) <= width - half);
  const step = atMs.length > 1 ? (time(atMs.at(-1)!) - left) / (atMs.length - 1) : em;
  const content = (
    <>
      <Ticks ticks={axes[0]!.ticks} at={axes[0]!.scale} x={left - em * 0.4} size={size} line={[left, right]} />
      <Ticks ticks={axes[1]!.ticks} at={axes[1]!.scale} x={width} size={size} />
      {shown.map((moment) => (
        <text key={moment} class="quiet" text-anchor="middle" font-size={size} x={time(moment)} y={bottom + em * 1.2}>
          {timeOfDay(moment)}
        </text>
      ))}
      {series.map(({ name, values }, which) => (
        <g key={name} class={`line colour-${which}`}>
          <polyline points={values.map((value, i) => `${time(atMs[i]!)},${axes[which]!.scale(value)}`).join(' ')} />
          {values.length < MOST_MARKS &&
            values.map((value, i) => (
              <circle key={atMs[i]} cx={time(atMs[i]!)} cy={axes[which]!.scale(value)} r={em * 0.2} />
            ))}
        </g>
      ))}
      {atMs.map((at, i) => (
        <g key={at} class="band">
          <title>{`${timeOfDay(at)}: ${series.map(({ name, values }) => `${name} ${figureText(values[i]!)}`).join(', ')}`}</title>
          <rect class="ground" x={time(at) - step / 2} y={top} width={step} height={bottom - top} />
        </g>
      ))}
    </>
  );
  return { width, height, content };
}

interface TicksProps {
  ticks: readonly number[];
  at: (tick: number) => number;
  /** Where the labels end. */
  x: number;
  size: number;
  /** From where to where a line goes through each. */
  line?: readonly [from: number, to: number];
}

function Ticks({ ticks, at, x, size, line }: TicksProps) {
  return (
    <>
      {ticks.map((tick) => (
        <g key={tick}>
          {line !== undefined && <line class="tick" x1={line[0]} x2={line[1]} y1={at(tick)} y2={at(tick)} />}
          <text class="quiet" text-anchor="end" font-size={size} x={x} y={at(tick) + size * 0.35}>
            {figureText(tick)}
          </text>
        </g>
      ))}
    </>
  );
}

/** The time of day here. */
function timeOfDay(ms: number): string {
  return new Date(ms).toTimeString().slice(0, 'hh:mm:ss'.length);
}
