import { figureText } from '../../../../src/foundation/figure.ts';
import type { StatusAnswer } from '../../api/model-and-status.ts';
import { Lines } from '../parts/charts.tsx';

/** How things were at a moment. */
interface Moment {
  atMs: number;
  lagSeconds: number;
  recordsPerSecond: number;
}

/** Moments that are kept: an hour of them. */
const MOST_MOMENTS = 720;
/** Moments since the page was opened; they survive a change to another place. */
const moments: Moment[] = [];

/** Keeps what a status says of lag and throughput. */
export function noteMoment({ atMs, shards, consumers }: StatusAnswer): void {
  if (moments.at(-1)?.atMs === atMs) return;
  const running = consumers.filter(({ isStopped }) => !isStopped);
  moments.push({
    atMs,
    lagSeconds: Math.max(0, ...shards.map(({ behindSeconds }) => behindSeconds ?? 0)),
    recordsPerSecond: running.reduce((sum, { recordsPerSecond }) => sum + recordsPerSecond, 0),
  });
  if (moments.length > MOST_MOMENTS) moments.shift();
}

/** Lag and throughput over the time that one has looked. `at`: the newest moment. */
export function Live({ at }: { at: number }) {
  const shown = moments.filter(({ atMs }) => atMs <= at);
  const last = moments.at(-1);
  return (
    <>
      <Lines
        label={`Lag and throughput since the page was opened, ${shown.length} moments`}
        atMs={shown.map(({ atMs }) => atMs)}
        series={[
          { name: 'behind (s)', values: shown.map(({ lagSeconds }) => lagSeconds) },
          { name: 'records/s', values: shown.map(({ recordsPerSecond }) => recordsPerSecond) },
        ]}
      />
      <p>
        now: {figureText(last?.lagSeconds ?? 0)} s behind, {figureText(last?.recordsPerSecond ?? 0)} records/s
      </p>
    </>
  );
}
