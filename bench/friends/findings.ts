import { median } from '../support/statistics.ts';
import type { Sample } from './experiment.ts';
import { type Fit, fitGrowth, type Point } from './fit.ts';
import { LAYOUTS } from './layouts/index.ts';
import { type Growth, OPERATIONS, type Operation } from './layouts/layout.ts';

/** What is measured of an operation. */
export type Measure = 'time' | 'capacity' | 'bytes';

/** The mean cost of one operation of one layout on one network. */
export interface NetworkCost {
  layout: string;
  operation: Operation;
  /** Users in the network. */
  size: number;
  /** Timed operations. */
  operations: number;
  /** Mean length of the lists. */
  friends: number;
  /** Median, as a multiple of `checkMilliseconds`: a mean would tell of the machine's other work. */
  time: number;
  rcu: number;
  wcu: number;
  bytes: number;
}

/** How the costs of one operation of one layout grow with the number of friends. */
export interface Finding {
  layout: string;
  operation: Operation;
  /** What the article claims, on HBase; nothing of listing. */
  claim?: Growth;
  /** As a multiple of `checkMilliseconds`. */
  time: Fit;
  /** RCU and WCU together. */
  capacity: Fit;
  /** Bytes moved. */
  bytes: Fit;
}

/** The measurements of a fit are put together to so many points, each of about as many measurements. */
const POINTS = 20;

const VALUE: Readonly<Record<Measure, (sample: Sample) => number>> = {
  time: ({ milliseconds }) => milliseconds,
  capacity: ({ rcu, wcu }) => rcu + wcu,
  bytes: ({ bytes }) => bytes,
};

/**
 * The median time of a check in `row`, which reads one small item. Results give times as multiples of this one, because multiples are
 * about the same on every machine, and milliseconds are not.
 */
export function checkMilliseconds(samples: readonly Sample[]): number {
  const checks = samples.filter(({ layout, operation }) => layout === 'row' && operation === 'check');
  return median(checks.map(({ milliseconds }) => milliseconds));
}

/** The costs network by network, by size; layouts that stopped before a size are left out there. */
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

/** The length of the longest list that an operation was timed on. */
export function longestList(samples: readonly Sample[]): number {
  return samples.reduce((longest, { friends }) => Math.max(longest, friends), 0);
}

/** The growth of every cost, for each layout and operation. */
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

/**
 * Measurements at about the same number of friends as one point; never two points at the same number. Of times it is the
 * median that counts.
 */
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
