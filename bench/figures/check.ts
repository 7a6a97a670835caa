import type { MeasuredBenchmark } from '../support/figure-file.ts';
import { type Figure, isTime, middleOf, numberText, rangeText } from '../support/report.ts';

/**
 * A count differs if it is off by more than `varies`, a ratio if each median is outside the other's range. Ignores
 * times, and figures that depend on a run's duration.
 */
export function unconfirmed(name: string, documented: MeasuredBenchmark, here: MeasuredBenchmark): string[] {
  return here.reports.flatMap((report, i) => {
    const known = documented.reports[i]?.figures ?? [];
    const measured = report.figures;
    const gone = known.filter((figure) => !measured.some((other) => isSame(figure, other)));
    return [
      ...gone.map((figure) => `${name}: ${figure.name}: is in docs/project/figures.json, and measured no more`),
      ...measured.flatMap((figure) => {
        const old = known.find((other) => isSame(figure, other));
        if (old === undefined) return [`${name}: ${figure.name}: is not in docs/project/figures.json`];
        if (isTime(figure) || figure.varies === true || isConfirmed(old, figure)) return [];
        return [
          `${name}: ${figure.name}: ${rangeText(old, numberText)} ${figure.unit} in docs/project/figures.json, ${rangeText(figure, numberText)} here`,
        ];
      }),
    ];
  });
}

function isSame(left: Figure, right: Figure): boolean {
  return left.name === right.name && left.unit === right.unit;
}

function isConfirmed(documented: Figure, here: Figure): boolean {
  const [old, now] = [middleOf(documented), middleOf(here)];
  if (typeof here.varies === 'number') return Math.abs(now - old) <= here.varies * old;
  return isWithin(old, here) || isWithin(now, documented);
}

function isWithin(value: number, { value: measured }: Figure): boolean {
  if (typeof measured === 'number') return value === measured;
  return measured.min <= value && value <= measured.max;
}
