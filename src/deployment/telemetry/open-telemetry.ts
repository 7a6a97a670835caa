import {
  type Attributes,
  type MeterProvider,
  metrics,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  type TracerProvider,
  trace,
} from '@opentelemetry/api';
import { parseNodeId } from '../../core/items/keys.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type { BaseChange } from '../../core/store-port.ts';
import type { ObservedWork, Telemetry } from '../../core/telemetry.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { checkOptions } from '../../foundation/options.ts';
import type { StoreCallName } from '../../store/forwarding.ts';
import { spentBy } from '../../store/spent.ts';
import { Instruments } from './instruments.ts';

/** Options of `openTelemetry`. */
export interface OpenTelemetryOptions {
  /** Where to send spans. Default: the SDK's registered provider. */
  tracerProvider?: TracerProvider | undefined;
  /** Where to send metrics. Default: the provider registered when `openTelemetry` is called. */
  meterProvider?: MeterProvider | undefined;
}

const SCOPE = 'edgeloom';
const STREAM_SYSTEM = 'aws.dynamodb.streams';

/** `CHANGES` has the operations of `change`. */
const OPERATIONS: Readonly<Record<Exclude<StoreCallName, 'change'> | 'scan', string>> = {
  get: 'GetItem',
  getMany: 'BatchGetItem',
  update: 'UpdateItem',
  updateMany: 'BatchExecuteStatement',
  transact: 'TransactWriteItems',
  put: 'PutItem',
  delete: 'DeleteItem',
  writeMany: 'BatchWriteItem',
  changeAll: 'TransactWriteItems',
  query: 'Query',
  queryNative: 'Query',
  scan: 'Scan',
};
const CHANGES: Readonly<Record<BaseChange['kind'], string>> = {
  put: 'PutItem',
  update: 'UpdateItem',
  delete: 'DeleteItem',
  look: 'GetItem',
};

/**
 * Returns a value for the option `telemetry` that emits spans and metrics by OpenTelemetry's conventions. They contain
 * names of tables, types and projections, counts and error codes, but no keys, attributes or messages.
 *
 * @example
 * const reader = createReader(graph, { client, telemetry: openTelemetry() });
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): Telemetry {
  checkOptions('openTelemetry', options, { tracerProvider: true, meterProvider: true });
  const { tracerProvider, meterProvider } = options;
  const tracer = (tracerProvider ?? trace.getTracerProvider()).getTracer(SCOPE);
  const instruments = new Instruments((meterProvider ?? metrics.getMeterProvider()).getMeter(SCOPE));
  return new OpenTelemetry(tracer, instruments);
}

interface SpanPlan {
  name: string;
  kind: SpanKind;
  attributes: Attributes;
}

class OpenTelemetry implements Telemetry {
  constructor(
    private readonly tracer: Tracer,
    private readonly instruments: Instruments,
  ) {}

  store<S extends object>(store: S, { table }: CompiledModel): S {
    return new Proxy(store, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]): unknown => {
          const operation = operationOf(name, args);
          const call = (): unknown => member.apply(target, args);
          if (operation === undefined) return call();
          return this.callStore(operation, table.name, args, call as () => Promise<object>);
        };
      },
    });
  }

  client<C extends object>(client: C, graph: CompiledModel): C {
    return this.withObservedMethods(client, graph, '', undefined);
  }

  async run<R>(work: ObservedWork, run: () => Promise<R>): Promise<R> {
    const { kind, table, step } = work;
    const collection = { 'db.collection.name': table };
    if (kind === 'batch') return await this.runBatch(work, run);
    const operation = step === undefined ? kind : `${kind} ${step.kind}`;
    const name = step === undefined ? `${kind} ${table}` : `${step.kind} ${step.projection}`;
    const known = {
      'edgeloom.operation': operation,
      ...collection,
      ...(step && { 'edgeloom.projection': step.projection }),
    };
    const plan = { name, kind: SpanKind.INTERNAL, attributes: known };
    return await this.inSpan(
      plan,
      'operation',
      { 'edgeloom.operation': operation, ...collection },
      run,
      (result, span) => {
        const counts = countsOf(result, `edgeloom.${kind}`);
        span.setAttributes(counts);
        // Skips a stopped check, whose totals are included in the next part's.
        const isWhole = (result as { cursor?: unknown }).cursor === undefined;
        if (isWhole) this.addCounts(counts, collection);
        return undefined;
      },
    );
  }

  private async runBatch<R>({ table, records = 0 }: ObservedWork, run: () => Promise<R>): Promise<R> {
    const common = {
      'messaging.system': STREAM_SYSTEM,
      'messaging.operation.name': 'process',
      'messaging.destination.name': table,
    };
    const attributes = { ...common, 'messaging.operation.type': 'process', 'messaging.batch.message_count': records };
    const plan = { name: `process ${table}`, kind: SpanKind.CONSUMER, attributes };
    return await this.inSpan(plan, 'batch', common, run, (result, span) => {
      const counts = countsOf(result, 'edgeloom.batch');
      span.setAttributes(counts);
      this.addCounts(counts, { 'messaging.destination.name': table });
      this.instruments.add('messaging.client.consumed.messages', records, common);
      // A batch that isn't fully applied returns its error instead of throwing it.
      return (result as { error?: unknown }).error;
    });
  }

  private addCounts(counts: Readonly<Record<string, number>>, attributes: Attributes): void {
    for (const [name, count] of Object.entries(counts)) this.instruments.add(name, count, attributes);
  }

  private callStore<R extends object>(
    operation: string,
    table: string,
    [argument]: readonly unknown[],
    run: () => Promise<R>,
  ): Promise<R> {
    const common = { 'db.system.name': 'aws.dynamodb', 'db.operation.name': operation, 'db.collection.name': table };
    const size = Array.isArray(argument) ? { 'db.operation.batch.size': argument.length } : {};
    const plan = { name: `${operation} ${table}`, kind: SpanKind.CLIENT, attributes: { ...common, ...size } };
    return this.inSpan(plan, 'call', common, run, (result, span) => {
      const { rcu, wcu } = spentBy(result);
      const { items, applied } = result as { items?: unknown[]; applied?: boolean };
      const outcomes: { applied?: boolean; error?: unknown }[] = Array.isArray(result) ? result : [{ applied }];
      const failed = outcomes.filter((outcome) => outcome.applied === false && outcome.error === undefined).length;
      const units = (rcu ?? 0) + (wcu ?? 0);
      span.setAttribute('aws.dynamodb.consumed_capacity', [JSON.stringify({ TableName: table, CapacityUnits: units })]);
      if (items !== undefined)
        span.setAttribute('db.response.returned_rows', items.filter((item) => item !== undefined).length);
      if (rcu !== undefined) this.instruments.add('edgeloom.capacity.read', rcu, common);
      if (wcu !== undefined) this.instruments.add('edgeloom.capacity.write', wcu, common);
      if (failed > 0) {
        span.setAttribute('edgeloom.condition_failed', true);
        this.instruments.add('edgeloom.conditions_failed', failed, common);
      }
      return undefined;
    });
  }

  /** Except for a search, `prefix` is empty and `type` undefined. */
  private withObservedMethods<C extends object>(
    client: C,
    graph: CompiledModel,
    prefix: string,
    type: string | undefined,
  ): C {
    const methods = Object.entries(client).map(([name, method]: [string, (...args: unknown[]) => unknown]) => {
      const observed = (...args: unknown[]): unknown => {
        if (name === 'with') return this.client(method(...args) as object, graph);
        // Not observed as a whole: a watch doesn't end, and its reads and the pages of lists have their own spans.
        if (prefix === '' && ['watch', 'pages', 'all'].includes(name)) return method(...args);
        // `search` throws for names outside the model, so the name is safe to record.
        if (name === 'search')
          return this.withObservedMethods(method(...args) as object, graph, 'search.', String(args[0]));
        const about = type ?? typeOf(graph, args);
        return this.callClient(prefix + name, graph.table.name, about, () => method(...args) as Promise<unknown>);
      };
      return [name, observed];
    });
    return Object.fromEntries(methods) as C;
  }

  private callClient<R>(operation: string, table: string, type: string | undefined, run: () => Promise<R>): Promise<R> {
    const attributes = {
      'edgeloom.operation': operation,
      'db.collection.name': table,
      ...(type !== undefined && { 'edgeloom.type': type }),
    };
    const name = type === undefined ? operation : `${operation} ${type}`;
    return this.inSpan({ name, kind: SpanKind.INTERNAL, attributes }, 'operation', attributes, run, (result, span) => {
      const items = Array.isArray(result) ? result : (result as { items?: unknown } | null | undefined)?.items;
      if (Array.isArray(items)) span.setAttribute('db.response.returned_rows', items.length);
      return undefined;
    });
  }

  /** `onResult` records the result and returns the error that it contains, if any. */
  private inSpan<R>(
    { name, kind, attributes }: SpanPlan,
    measured: 'call' | 'operation' | 'batch',
    measuredBy: Attributes,
    run: () => Promise<R>,
    onResult: (result: R, span: Span) => unknown,
  ): Promise<R> {
    return this.tracer.startActiveSpan(name, { kind, attributes }, async (span) => {
      const startedMs = performance.now();
      let failed: Attributes = {};
      const onError = (error: unknown): void => {
        failed = { 'error.type': errorType(error) };
        span.setAttributes(failed);
        // Omits the error's message, which would name items.
        span.setStatus({ code: SpanStatusCode.ERROR });
      };
      try {
        const result = await run();
        const error = onResult(result, span);
        if (error !== undefined) onError(error);
        return result;
      } catch (error) {
        onError(error);
        throw error;
      } finally {
        span.end();
        const seconds = (performance.now() - startedMs) / 1000;
        this.instruments.recordDuration(measured, seconds, { ...measuredBy, ...failed });
      }
    });
  }
}

function operationOf(method: string | symbol, [argument]: readonly unknown[]): string | undefined {
  if (method === 'change') return CHANGES[(argument as BaseChange).kind];
  return (OPERATIONS as Readonly<Record<string, string>>)[String(method)];
}

/** Returns only names of the model, because other text may identify a person. */
function typeOf(graph: CompiledModel, args: readonly unknown[]): string | undefined {
  const texts = args.map((arg) => (Array.isArray(arg) ? arg[0] : arg)).filter((arg) => typeof arg === 'string');
  const named = texts.find((text) => graph.edges.has(text) || graph.nodes.has(text));
  if (named !== undefined) return named;
  const type = parseNodeId(texts[0] ?? '')?.type;
  return type !== undefined && graph.nodes.has(type) ? type : undefined;
}

function countsOf(result: unknown, prefix: string): Record<string, number> {
  const counts: Record<string, number> = {};
  if (typeof result !== 'object' || result === null || result instanceof Error) return counts;
  for (const [name, value] of Object.entries(result)) {
    const path = `${prefix}.${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
    if (typeof value === 'number') counts[path] = value;
    else if (Array.isArray(value)) counts[path] = value.length;
    else if (name === 'drift') Object.assign(counts, countsOf(value, path));
  }
  return counts;
}

function errorType(error: unknown): string {
  if (error instanceof EdgeloomError) return error.code;
  return error instanceof Error ? error.name : '_OTHER';
}
