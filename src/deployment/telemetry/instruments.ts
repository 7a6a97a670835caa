import type { Attributes, Counter, Histogram, Meter } from '@opentelemetry/api';

/** The bounds that the conventions advise for durations, in seconds: of calls to a database, and of work on messages. */
const CALL_BOUNDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];
const WORK_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** The metrics, each made when it is needed first. */
export class Instruments {
  private readonly counters = new Map<string, Counter>();
  private readonly durations: Readonly<Record<'call' | 'operation' | 'batch', Histogram>>;

  constructor(private readonly meter: Meter) {
    const histogram = (name: string, description: string, bounds: number[]): Histogram =>
      meter.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries: bounds } });
    this.durations = {
      call: histogram('db.client.operation.duration', 'Time of a call to DynamoDB.', CALL_BOUNDS),
      operation: histogram(
        'edgeloom.operation.duration',
        'Time of a read, a write, a check, a redrive or a migration.',
        WORK_BOUNDS,
      ),
      batch: histogram('messaging.process.duration', 'Time of projecting a batch of stream records.', WORK_BOUNDS),
    };
  }

  /** Records how long something took. */
  recordDuration(of: 'call' | 'operation' | 'batch', seconds: number, attributes: Attributes): void {
    this.durations[of].record(seconds, attributes);
  }

  /** Adds to a counter; 0 is added too, so that the metric is there. */
  add(name: string, value: number, attributes: Attributes): void {
    let counter = this.counters.get(name);
    if (counter === undefined) {
      counter = this.meter.createCounter(name);
      this.counters.set(name, counter);
    }
    counter.add(value, attributes);
  }
}
