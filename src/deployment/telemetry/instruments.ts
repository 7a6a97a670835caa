import type { Attributes, Counter, Histogram, Meter } from '@opentelemetry/api';

export const DESCRIPTIONS = {
  'db.client.operation.duration': 'Time of a call to DynamoDB.',
  'edgeloom.operation.duration': 'Time of a read, a write, a check, a redrive or a migration.',
  'messaging.process.duration': 'Time of projecting a batch of stream records.',
  'messaging.client.consumed.messages': 'Records of the stream that were projected.',
  'edgeloom.capacity.read': 'Read units that a call to DynamoDB has consumed.',
  'edgeloom.capacity.write': 'Write units that a call to DynamoDB has consumed.',
  'edgeloom.conditions_failed': 'Calls to DynamoDB whose condition did not hold.',
} as const;

/** In seconds, as OpenTelemetry's conventions advise. */
const CALL_BOUNDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];
const WORK_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

export class Instruments {
  private readonly counters = new Map<string, Counter>();
  private readonly durations: Readonly<Record<'call' | 'operation' | 'batch', Histogram>>;

  constructor(private readonly meter: Meter) {
    const histogram = (name: keyof typeof DESCRIPTIONS, bounds: number[]): Histogram =>
      meter.createHistogram(name, {
        ...{ description: DESCRIPTIONS[name], unit: 's', advice: { explicitBucketBoundaries: bounds } },
      });
    this.durations = {
      call: histogram('db.client.operation.duration', CALL_BOUNDS),
      operation: histogram('edgeloom.operation.duration', WORK_BOUNDS),
      batch: histogram('messaging.process.duration', WORK_BOUNDS),
    };
  }

  recordDuration(of: 'call' | 'operation' | 'batch', seconds: number, attributes: Attributes): void {
    this.durations[of].record(seconds, attributes);
  }

  /** Also adds 0, which creates the metric. */
  add(name: string, value: number, attributes: Attributes): void {
    let counter = this.counters.get(name);
    if (counter === undefined) {
      counter = this.meter.createCounter(name, { description: DESCRIPTIONS[name as keyof typeof DESCRIPTIONS] });
      this.counters.set(name, counter);
    }
    counter.add(value, attributes);
  }
}
