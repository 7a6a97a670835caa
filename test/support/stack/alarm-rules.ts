import type { TemplateResource } from './template.ts';

/** The states of an alarm. */
export type AlarmState = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';

/** What makes an alarm tell its topic: it goes into a state that has an action. */
export interface Ring {
  minute: number;
  state: AlarmState;
}

const MINUTES_A_DAY = 1440;
const SECONDS_A_MINUTE = 60;

/** Values of metrics, minute by minute. A metric that counted nothing in a minute has no value there. */
export class Metrics {
  private readonly values = new Map<string, Map<number, number[]>>();

  add(minute: number, metric: string, value: number): void {
    const minutes = this.values.get(metric) ?? new Map<number, number[]>();
    this.values.set(metric, minutes);
    const values = minutes.get(minute);
    if (values === undefined) minutes.set(minute, [value]);
    else values.push(value);
  }

  /** Makes the points of a metric: what a statistic is over the minutes before another; undefined where nothing was counted. */
  points(metric: string, statistic: string, periodMinutes: number): (until: number) => number | undefined {
    const minutes = this.values.get(metric);
    const known: (number | undefined)[] = [];
    const point = (until: number): number | undefined => {
      let found: number | undefined;
      for (let minute = Math.max(0, until - periodMinutes); minute < until; minute++) {
        for (const value of minutes?.get(minute) ?? []) {
          found = statistic === 'Sum' ? (found ?? 0) + value : Math.max(found ?? value, value);
        }
      }
      return found;
    };
    return (until) => {
      if (minutes === undefined || until <= 0) return undefined;
      if (!(until in known)) known[until] = point(until);
      return known[until];
    };
  }
}

/** Namespace, name and dimensions of a metric as one text. */
export function metricText(namespace: string, name: string, dimensions: readonly { Name: string; Value: unknown }[]) {
  return [namespace, name, ...dimensions.map((one) => `${one.Name}=${one.Value}`)].join(' ');
}

/** A metric as a template names it. */
interface WatchedMetric {
  Namespace: string;
  MetricName: string;
  Dimensions: { Name: string; Value: string }[];
}

/** The properties of an alarm with its metrics: one that it names directly, or several that an expression fills with zero and adds up. */
export function watchedOf({ Properties }: TemplateResource): {
  // biome-ignore lint/suspicious/noExplicitAny: as the properties of a resource
  [name: string]: any;
  isFilled: boolean;
  metrics: WatchedMetric[];
} {
  const { Metrics: expressions } = Properties;
  if (expressions === undefined) return { ...Properties, isFilled: false, metrics: [Properties as WatchedMetric] };
  const [filled, ...counted] = expressions as {
    Id: string;
    Expression: string;
    MetricStat: { Metric: WatchedMetric; Stat: string; Period: number };
  }[];
  const sum = counted.map(({ Id }) => `FILL(${Id}, 0)`).join(' + ');
  if (filled!.Expression !== sum) throw new Error(`${filled!.Expression} is not known here`);
  const { Stat, Period } = counted[0]!.MetricStat;
  const metrics = counted.map(({ MetricStat }) => MetricStat.Metric);
  return { ...Properties, Statistic: Stat, Period, isFilled: true, metrics };
}

/**
 * Replays metrics through an alarm by CloudWatch's rules, as its documentation has them: each minute, or each hour where the alarm
 * looks at more than a day, the last periods are looked at. If points are missing and enough real ones lie a little further back,
 * these decide; else the missing ones count as the alarm says. Metrics of DynamoDB ignore what it says, and keep the state.
 * An alarm begins without data, and tells only of changes.
 *
 * @param more how many periods further back are looked at: CloudWatch does not promise a number.
 */
export function rings(alarm: TemplateResource, metrics: Metrics, minutes: number, more: number): Ring[] {
  const watched = watchedOf(alarm);
  const { Statistic, Period, isFilled } = watched;
  const { EvaluationPeriods, DatapointsToAlarm, Threshold, ComparisonOperator, TreatMissingData } = alarm.Properties;
  const periodMinutes = Number(Period) / SECONDS_A_MINUTE;
  const step = periodMinutes * EvaluationPeriods > MINUTES_A_DAY ? 60 : 1;
  const isOfDynamoDB = watched.metrics.some(({ Namespace }) => Namespace === 'AWS/DynamoDB');
  const missing = isOfDynamoDB && !isFilled ? 'ignore' : TreatMissingData;
  const isBreaching = (value: number): boolean =>
    ComparisonOperator === 'LessThanThreshold' ? value < Threshold : value >= Threshold;

  const points = watched.metrics.map(({ Namespace, MetricName, Dimensions }) =>
    metrics.points(metricText(Namespace, MetricName, Dimensions), Statistic, periodMinutes),
  );
  const pointAt = (minute: number, back: number): number | undefined =>
    isFilled
      ? points.reduce((sum, point) => sum + (point(minute - back * periodMinutes) ?? 0), 0)
      : points[0]!(minute - back * periodMinutes);
  const stateAt = (minute: number, before: AlarmState): AlarmState => {
    let real = 0;
    let breaching = 0;
    for (let back = 0; back < EvaluationPeriods + more; back++) {
      const point = pointAt(minute, back);
      // Points further back count only instead of missing ones.
      if (point === undefined || real >= EvaluationPeriods) continue;
      real += 1;
      if (isBreaching(point)) breaching += 1;
    }
    if (real === 0 && missing === 'missing') return 'INSUFFICIENT_DATA';
    const gaps = EvaluationPeriods - real;
    if (breaching + (missing === 'breaching' ? gaps : 0) >= DatapointsToAlarm) return 'ALARM';
    return missing === 'ignore' && gaps > 0 ? before : 'OK';
  };

  const found: Ring[] = [];
  let state: AlarmState = 'INSUFFICIENT_DATA';
  for (let minute = step; minute <= minutes; minute += step) {
    const next = stateAt(minute, state);
    const actions = next === 'ALARM' ? 'AlarmActions' : next === 'OK' ? 'OKActions' : 'InsufficientDataActions';
    if (next !== state && (alarm.Properties[actions]?.length ?? 0) > 0) found.push({ minute, state: next });
    state = next;
  }
  return found;
}
