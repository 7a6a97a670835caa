import { EdgeloomError } from '../foundation/errors.ts';
import type { CompiledModel } from './model/compiled.ts';

/** Work that is observed as a whole, besides operations of readers and writers. */
export interface ObservedWork {
  /** A batch of stream records, a check, a redrive, a migration, or a step of one. */
  kind: 'batch' | 'check' | 'redrive' | 'migrate' | 'step';
  /** The name of the table. */
  table: string;
  /** The number of records of a batch. */
  records?: number;
  /** A migration's step, with the projection that it is about. */
  step?: { kind: string; projection: string };
}

/**
 * Reports to an observer what the library does. Use `openTelemetry()` of `edgeloom/telemetry`. Without telemetry
 * nothing is observed, at no cost.
 */
export interface Telemetry {
  /** Wraps a store to observe its calls. */
  store<S extends object>(store: S, graph: CompiledModel): S;
  /** Wraps a reader or writer to observe its operations. */
  client<C extends object>(client: C, graph: CompiledModel): C;
  /** Runs work, and observes its time, result and error. */
  run<R>(work: ObservedWork, run: () => Promise<R>): Promise<R>;
}

/** An option of what can be observed. */
export interface TelemetryOption {
  /** Sends spans and metrics: `openTelemetry()` of `edgeloom/telemetry`. Default: sends none. */
  telemetry?: Telemetry | undefined;
}

/** The store, observed if the options have telemetry. Throws `invalid-option` for invalid telemetry. */
export function observedStore<S extends object>(
  { store, telemetry }: { store: S } & TelemetryOption,
  graph: CompiledModel,
): S {
  if (telemetry === undefined) return store;
  if (typeof telemetry?.store === 'function') return telemetry.store(store, graph);
  throw new EdgeloomError(
    'invalid-option',
    'telemetry should be what openTelemetry() of edgeloom/telemetry gives.',
    'Leave it out to observe nothing.',
  );
}

/** Runs work with its options' store, both observed if the options have telemetry. */
export async function runObserved<Options extends { graph: CompiledModel; store: object } & TelemetryOption, R>(
  kind: ObservedWork['kind'],
  options: Options,
  run: (options: Options) => Promise<R>,
): Promise<R> {
  const { graph, telemetry } = options;
  const store = observedStore(options, graph);
  if (telemetry === undefined) return await run(options);
  return await telemetry.run({ kind, table: graph.table.name }, () => run({ ...options, store }));
}
