import { EdgeloomError } from '../foundation/errors.ts';
import type { CompiledModel } from './model/compiled.ts';

/** Work whose time, result and error are observed as a whole. */
export interface ObservedWork {
  kind: 'batch' | 'check' | 'redrive' | 'migrate' | 'step';
  table: string;
  /** The number of records in a batch. */
  records?: number;
  /** The step of a migration. */
  step?: { kind: string; projection: string };
}

/** Reports the library's work to an observer: see `openTelemetry()` of `edgeloom/telemetry`. */
export interface Telemetry {
  store<S extends object>(store: S, graph: CompiledModel): S;
  client<C extends object>(client: C, graph: CompiledModel): C;
  /** Runs the work, and observes its time, result and error. */
  run<R>(work: ObservedWork, run: () => Promise<R>): Promise<R>;
}

/** The `telemetry` option of everything that can be observed. */
export interface TelemetryOption {
  /** Sends spans and metrics: `openTelemetry()` of `edgeloom/telemetry`. Default: none. */
  telemetry?: Telemetry | undefined;
}

export function observedStore<S extends object>(
  { store, telemetry }: { store: S } & TelemetryOption,
  graph: CompiledModel,
): S {
  if (telemetry === undefined) return store;
  if (typeof telemetry?.store === 'function') return telemetry.store(store, graph);
  throw new EdgeloomError(
    'invalid-argument',
    'telemetry should be what openTelemetry() of edgeloom/telemetry gives.',
    'Leave it out to observe nothing.',
  );
}

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
