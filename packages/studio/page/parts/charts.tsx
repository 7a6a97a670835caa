import { Chart, Legend, LinearScale, LineController, LineElement, PointElement, Tooltip } from 'chart.js';
import { useEffect, useRef, useState } from 'preact/hooks';
import { figureText } from '../../../../src/foundation/figure.ts';
import { onTheme } from './theme.tsx';

Chart.register(Legend, LinearScale, LineController, LineElement, PointElement, Tooltip);

/** A line: what was at each moment, in milliseconds. */
export interface LineSeries {
  name: string;
  values: readonly number[];
}

/** A line with at most this many points marks each of them. */
const MOST_MARKS = 20;
/** The shortest time that an axis shows, in milliseconds. */
const LEAST_MS = 10_000;
/** The axis of each line, and the side where the axis is. */
const AXES = ['left', 'right'] as const;

/** Two lines over time, the first with its axis at the left, the second with its own at the right. */
export function Lines(props: { label: string; atMs: readonly number[]; series: readonly [LineSeries, LineSeries] }) {
  const { label, atMs, series } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  // A canvas keeps the colours that it was drawn with.
  const [drawings, setDrawings] = useState(0);
  useEffect(() => onTheme(() => setDrawings((before) => before + 1)), []);
  useEffect(() => {
    const chart = new Chart(canvas.current!, optionsOf(canvas.current!, atMs, series));
    return () => chart.destroy();
  }, [drawings, atMs.length, atMs.at(-1)]);
  return (
    <div class="chart">
      <canvas ref={canvas} role="img" aria-label={label} />
    </div>
  );
}

function optionsOf(
  canvas: HTMLCanvasElement,
  atMs: readonly number[],
  series: readonly [LineSeries, LineSeries],
): ConstructorParameters<typeof Chart<'line'>>[1] {
  const { fontSize, fontFamily } = getComputedStyle(canvas);
  const [text, line] = [colourOf(canvas, '--quiet'), colourOf(canvas, '--line')];
  const colours = [colourOf(canvas, '--accent'), colourOf(canvas, '--second')];
  const first = atMs[0] ?? 0;
  const ofNumbers = { beginAtZero: true, suggestedMax: 1, ticks: { color: text, precision: 0 } };
  return {
    type: 'line',
    data: {
      datasets: series.map(({ name, values }, which) => ({
        ...{ label: name, yAxisID: AXES[which]!, borderColor: colours[which]!, backgroundColor: colours[which]! },
        data: values.map((y, i) => ({ x: atMs[i]!, y })),
        pointRadius: values.length > MOST_MARKS ? 0 : 3,
      })),
    },
    options: {
      animation: false,
      maintainAspectRatio: false,
      font: { family: fontFamily, size: Number.parseFloat(fontSize) * 0.8 },
      interaction: { mode: 'index', intersect: false },
      plugins: {
        legend: { labels: { color: text } },
        tooltip: {
          callbacks: {
            title: ([one]) => timeOfDay(one?.parsed.x ?? first),
            label: ({ dataset, parsed }) => `${dataset.label}: ${figureText(parsed.y ?? 0)}`,
          },
        },
      },
      scales: {
        x: {
          type: 'linear',
          min: first,
          max: Math.max(atMs.at(-1) ?? 0, first + LEAST_MS),
          grid: { display: false },
          ticks: { color: text, maxTicksLimit: 6, maxRotation: 0, callback: (ms) => timeOfDay(Number(ms)) },
        },
        left: { ...ofNumbers, position: 'left', grid: { color: line } },
        right: { ...ofNumbers, position: 'right', grid: { display: false } },
      },
    },
  };
}

/** The time of day here. */
function timeOfDay(ms: number): string {
  return new Date(ms).toTimeString().slice(0, 'hh:mm:ss'.length);
}

/** A colour of the page as a canvas takes it. */
function colourOf(canvas: HTMLCanvasElement, name: string): string {
  canvas.style.color = `var(${name})`;
  const { color } = getComputedStyle(canvas);
  canvas.style.color = '';
  return color;
}
