import { figureText } from '../../../../src/foundation/figure.ts';
import type { StatusAnswer } from '../../api/model-and-status.ts';
import { Lines } from '../parts/charts.tsx';

/** How things were at a moment. */
interface Moment {
  atMs: number;
  lagSeconds: number;
  recordsPerSecond: number;
}

/** How long the rate of a consumer holds after it was seen, in milliseconds: while it applies records it is seen every 10 s. */
const RATE_HOLDS_MS = 20_000;

/** Records a second that a consumer applies at a moment; undefined: it has stopped, or was not seen lately. */
export function presentRate(
  { seen, isStopped, recordsPerSecond }: StatusAnswer['consumers'][number],
  atMs: number,
): number | undefined {
  return isStopped || atMs - Date.parse(seen) > RATE_HOLDS_MS ? undefined : recordsPerSecond;
}

/** Moments that are kept: an hour of them. */
const MOST_MOMENTS = 720;
/** Moments since the page was opened; they survive a change to another place. */
const moments: Moment[] = [];

/** Keeps what a status says of lag and throughput. */
export function noteMoment({ atMs, shards, consumers }: StatusAnswer): void {
  if (moments.at(-1)?.atMs === atMs) return;
  moments.push({
    atMs,
    lagSeconds: Math.max(0, ...shards.map(({ behindSeconds }) => behindSeconds ?? 0)),
    recordsPerSecond: consumers.reduce((sum, consumer) => sum + (presentRate(consumer, atMs) ?? 0), 0),
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
