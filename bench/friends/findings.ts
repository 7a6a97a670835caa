import { median } from '../support/statistics.ts';
import type { Sample } from './experiment.ts';
import { type Fit, fitGrowth, type Point } from './fit.ts';
import { LAYOUTS } from './layouts/index.ts';
import { type Growth, OPERATIONS, type Operation } from './layouts/layout.ts';

export type Measure = 'time' | 'capacity' | 'bytes';

export interface NetworkCost {
  layout: string;
  operation: Operation;
  size: number;
  operations: number;
  friends: number;
  /** Median, as a multiple of `checkMilliseconds`. */
  time: number;
  rcu: number;
  wcu: number;
  bytes: number;
}

export interface Finding {
  layout: string;
  operation: Operation;
  /** The article's claim, for HBase. Absent for `list`. */
  claim?: Growth;
  time: Fit;
  capacity: Fit;
  bytes: Fit;
}

const POINTS = 20;

const VALUE: Readonly<Record<Measure, (sample: Sample) => number>> = {
  time: ({ milliseconds }) => milliseconds,
  capacity: ({ rcu, wcu }) => rcu + wcu,
  bytes: ({ bytes }) => bytes,
};

/**
 * Median time of a check with the layout `row`, which is one small read. Multiples of it are about the same on every
 * machine.
 */
export function checkMilliseconds(samples: readonly Sample[]): number {
  const checks = samples.filter(({ layout, operation }) => layout === 'row' && operation === 'check');
  return median(checks.map(({ milliseconds }) => milliseconds));
}

export function costsByNetwork(samples: readonly Sample[]): NetworkCost[] {
  const unit = checkMilliseconds(samples);
  const sizes = [...new Set(samples.map(({ size }) => size))].sort((left, right) => left - right);
  return eachOperation(samples).flatMap(({ layout, operation, found }) =>
    sizes.flatMap((size) => {
      const own = found.filter((sample) => sample.size === size);
      if (own.length === 0) return [];
      return {
        layout,
        operation,
        size,
        operations: own.length,
        friends: mean(own.map(({ friends }) => friends)),
        time: median(own.map(({ milliseconds }) => milliseconds)) / unit,
        rcu: mean(own.map(({ rcu }) => rcu)),
        wcu: mean(own.map(({ wcu }) => wcu)),
        bytes: mean(own.map(({ bytes }) => bytes)),
      };
    }),
  );
}

export function longestList(samples: readonly Sample[]): number {
  return samples.reduce((longest, { friends }) => Math.max(longest, friends), 0);
}

export function findGrowth(samples: readonly Sample[]): Finding[] {
  const unit = checkMilliseconds(samples);
  return eachOperation(samples).map(({ layout, operation, found }) => ({
    layout,
    operation,
    ...claimOf(layout, operation),
    time: fitGrowth(pointsOf(found, 'time').map((point) => ({ ...point, y: point.y / unit }))),
    capacity: fitGrowth(pointsOf(found, 'capacity')),
    bytes: fitGrowth(pointsOf(found, 'bytes')),
  }));
}

/** Groups measurements by the number of friends. Uses medians of times. */
export function pointsOf(samples: readonly Sample[], measure: Measure): Point[] {
  const sorted = [...samples].sort((left, right) => left.friends - right.friends);
  const points: Point[] = [];
  for (let start = 0; start < sorted.length; ) {
    let end = Math.min(sorted.length, start + Math.ceil(sorted.length / POINTS));
    while (end < sorted.length && sorted[end]!.friends === sorted[end - 1]!.friends) end += 1;
    const group = sorted.slice(start, end);
    const values = group.map(VALUE[measure]);
    points.push({
      x: mean(group.map(({ friends }) => friends)),
      y: measure === 'time' ? median(values) : mean(values),
      weight: group.length,
    });
    start = end;
  }
  return points;
}

function claimOf(layout: string, operation: Operation): { claim?: Growth } {
  return operation === 'list' ? {} : { claim: LAYOUTS.find(({ name }) => name === layout)!.claims[operation] };
}

function eachOperation(samples: readonly Sample[]) {
  return LAYOUTS.flatMap(({ name: layout }) =>
    OPERATIONS.map((operation) => ({
      layout,
      operation,
      found: samples.filter((sample) => sample.layout === layout && sample.operation === operation),
    })),
  );
}

function mean(values: readonly number[]): number {
  let total = 0;
  for (const value of values) total += value;
  return total / values.length;
}
