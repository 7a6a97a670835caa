import { EdgeloomError } from '../foundation/errors.ts';
import type { CompiledModel } from './model/compiled.ts';

/** Work that is observed as a whole, besides the operations of readers and writers. */
export interface ObservedWork {
  /** A batch of stream records, a check, a redrive, a migration, or one step of a migration. */
  kind: 'batch' | 'check' | 'redrive' | 'migrate' | 'step';
  /** The name of the table. */
  table: string;
  /** The number of records of a batch. */
  records?: number;
  /** The step of a migration, with the projection that it is about. */
  step?: { kind: string; projection: string };
}

/**
 * Tells an observer what the library does. `openTelemetry()` of `edgeloom/telemetry` makes one. Where an option of this kind is
 * absent, nothing is observed and nothing is paid.
 */
export interface Telemetry {
  /** Returns the store with each of its calls observed. */
  store<S extends object>(store: S, graph: CompiledModel): S;
  /** Returns the reader or the writer with each of its operations observed. */
  client<C extends object>(client: C, graph: CompiledModel): C;
  /** Runs work, and observes its time, its result and its error. */
  run<R>(work: ObservedWork, run: () => Promise<R>): Promise<R>;
}

/** An option of what can be observed. */
export interface TelemetryOption {
  /** Sends spans and metrics: `openTelemetry()` of `edgeloom/telemetry`. Default: sends none. */
  telemetry?: Telemetry | undefined;
}

/** Returns the store of options, observed if they have telemetry. Throws `invalid-option` if that is none. */
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

/** Runs work with the store of its options, both observed if the options have telemetry. */
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
