import type { CompiledModel } from '../core/model/compiled.ts';
import type { Store } from '../core/store-port.ts';
import { EdgeloomError } from '../foundation/errors.ts';
import { checkGraph, checkOptions, checkStoreOptions, type OptionNames } from '../foundation/options.ts';
import { type RuntimeOptions, runtimeOf } from '../foundation/runtime.ts';
import { runAbortable, untilAborted } from '../store/abortable.ts';
import { Allowance, RATE_OPTIONS } from '../store/metered.ts';
import { accessOf, type SourceStore, type Spend } from './access.ts';
import { compareSource, nothingFound, type SourceComparison } from './compare-source.ts';
import type { SourceContext } from './context.ts';
import { HEADS } from './head.ts';
import { type Conflict, conflictsNow, refusedNow } from './notes.ts';
import { recordsUnder } from './record.ts';
import { isRetired, keyTextOf, retiredSource, type Source, type SourceKey, sourceOfMaker } from './source.ts';
import { syncSource, type WalkOptions } from './sync.ts';
import { touchAll } from './touch-all.ts';

/** Options of `createSources`. */
export interface SourcesOptions {
  /** @internal */
  now?: RuntimeOptions['now'];
  /** @internal */
  wait?: RuntimeOptions['wait'];
  /** @internal */
  random?: RuntimeOptions['random'];
  /** The sources that the model file exports. */
  sources: readonly Source[];
  /** Access to Edgeloom's table. */
  store: Pick<Store, 'get' | 'change' | 'query'>;
  /** Opens a source table by its name: `(table) => new DynamoDBSourceStore(client, table)`. */
  openTable?: ((table: string) => SourceStore) | undefined;
}

/** Options of `touch`. */
export interface TouchOptions {
  /**
   * Returns the milliseconds left; called many times. At 0, the touch stops, and its keys have to be touched again.
   * Default: no limit.
   */
  remainingMs?: RuntimeOptions['remainingMs'];
  /**
   * Stops the touch early, even within one source item: it rejects with the signal's reason, sends no further requests,
   * and waits for the writes already sent. Its keys have to be touched again.
   */
  signal?: AbortSignal | undefined;
}

/** Options of `sync` and `retire`. */
export interface SyncOptions extends WalkOptions {
  /** Compares without writing. Default: false. */
  dryRun?: boolean | undefined;
  /** For `dryRun`: the milliseconds after which a difference counts if it is still there. Default: 60,000. */
  graceMs?: number | undefined;
  /** Maximum read units per second of the source table; for another database, reads per second. Default: no limit. */
  maxRcu?: number | undefined;
  /** Maximum write units per second of Edgeloom's table. Default: no limit. */
  maxWcu?: number | undefined;
}

/**
 * The result of `sync` and `retire`. Only `dryRun` compares: without it, `made` and `pending` are 0, and `differences`,
 * `unused` and `dropped` are empty.
 */
export interface SyncResult extends SourceComparison {
  /**
   * Base items that several source items make. Only lists conflicts of this source, unless the table has more than
   * 1,000: then the first 1,000 of any source.
   */
  conflicts: Conflict[];
}

/** Operations on the sources of a graph. */
export interface Sources {
  /**
   * Updates the base items of the given source items from their current state. Call it with the keys of all items that
   * have changed. Keys may come twice, late and out of order, because each touch reads the source.
   *
   * Resolves when all keys are done; a refused item counts as done. If a key isn't done, rejects with
   * `mapping-not-in-force`, `out-of-time`, `source-failed`, or the error of a call; call it again with all keys.
   */
  touch(name: string, keys: Iterable<SourceKey>, options?: TouchOptions): Promise<void>;
  /**
   * Touches every key of the source, and every key from which items were made. Run it for a new source, after each
   * change of `version`, after changes were lost, and for repairs. A new version takes effect at once; its walk starts
   * 20 to 25 minutes later, when no process of the old version can still write. `resume` continues a stopped walk.
   */
  sync(name: string, options?: SyncOptions): Promise<SyncResult>;
  /**
   * Removes everything that only this source made, whether or not the model file still has the source. `dryRun` lists
   * what would be removed.
   */
  retire(name: string, options?: SyncOptions): Promise<SyncResult>;
}

export interface OpenSources extends Sources {
  /** Returns the failed keys with their errors; throws fatal errors. */
  touchTexts(source: Source, keys: Iterable<string>, options?: TouchOptions): Promise<Map<string, unknown>>;
}

const ATTEMPTS = 4;
const SYNC_OPTIONS: OptionNames<SyncOptions> = {
  ...{ signal: true, onProgress: 'function', graceMs: 'milliseconds', ...RATE_OPTIONS },
  ...{ resume: 'boolean', dryRun: 'boolean' },
};

/**
 * Opens the sources of a graph: databases whose items become nodes and edges.
 *
 * @example
 * const orders = createSources(graph, { sources, store });
 * await orders.touch('orders', ['17', '18']);
 */
export function createSources(graph: CompiledModel, options: SourcesOptions): Sources {
  const { touch, sync, retire } = openSources(graph, options);
  return { touch, sync, retire };
}

export function openSources(graph: CompiledModel, options: SourcesOptions): OpenSources {
  checkGraph('createSources', graph);
  checkStoreOptions('createSources', options, {
    ...{ sources: true, store: true, openTable: 'function' },
    ...{ now: 'internal', wait: 'internal', random: 'internal' },
  });
  const { sources, store, openTable = noTable, ...given } = options;
  const runtime = runtimeOf(given);
  const names = new Set(sources.map(({ name }) => name));
  checkNamesDiffer(sources);
  const find = (name: string): Source => {
    const source = sources.find((one) => one.name === name);
    if (source !== undefined) return source;
    throw unknownSource(name, names);
  };
  const contextOf = (source: Source, { maxRcu, maxWcu }: SyncOptions, store: SourcesOptions['store'], wait: Wait) => {
    const reads = spending(new Allowance(maxRcu, runtime.now), wait);
    const writes = spending(new Allowance(maxWcu, runtime.now), wait);
    return {
      ...{ graph, source, names, ...runtime, wait },
      store: meteredChanges(store, writes),
      access: accessOf(source, openTable, reads),
    } satisfies SourceContext;
  };
  /** After an abort, waits only for writes that were already sent. */
  const inContext = <T>(
    source: Source,
    options: SyncOptions,
    run: (context: SourceContext) => Promise<T>,
  ): Promise<T> => {
    const { signal } = options;
    const wait: Wait = (milliseconds) => runtime.wait(milliseconds, signal);
    return runAbortable(store, { signal, wait }, (ownStore, ownWait) => {
      const running = run(contextOf(source, options, ownStore, ownWait));
      return signal === undefined ? running : untilAborted(signal, running);
    });
  };
  const touchTexts: OpenSources['touchTexts'] = (source, keys, { remainingMs, signal } = {}) =>
    inContext(source, { signal }, (context) => touchAll(context, keys, { attempts: ATTEMPTS, remainingMs, signal }));
  const walk = async (what: string, source: Source, options: SyncOptions): Promise<SyncResult> => {
    checkOptions(what, options, SYNC_OPTIONS);
    return await inContext(source, options, async (context) => {
      if (isRetired(source)) {
        const known = await recordsUnder(graph, context.store, { prefix: HEADS });
        if (!known.has(source.name)) throw unknownSource(source.name, new Set(known.keys()));
      }
      const found =
        options.dryRun === true
          ? await compareSource(context, options)
          : { ...nothingFound(), items: await syncSource(context, options) };
      if (options.dryRun !== true) found.refused = (await refusedNow(context, source.name)).found;
      const { found: all, hasMore } = await conflictsNow(context);
      // If not all conflicts were read, those of this source may be missing: return all that were read.
      const conflicts = hasMore
        ? all
        : all.filter(({ makers }) => makers.some((maker) => sourceOfMaker(maker) === source.name));
      return { ...found, conflicts };
    });
  };
  return {
    touchTexts,
    async touch(name, keys, options = {}) {
      checkOptions('touch', options, { remainingMs: 'function', signal: true });
      const source = find(name);
      if (typeof keys === 'string' || typeof Object(keys)[Symbol.iterator] !== 'function') {
        const remedy = `Give a list: touch('${name}', [key]).`;
        throw new EdgeloomError('invalid-argument', `The keys to touch of the source ${name} are not a list.`, remedy);
      }
      const texts = [...keys].map((key) => keyTextOf(source, key));
      const left = await touchTexts(source, texts, options);
      for (const error of left.values()) throw error;
    },
    sync: async (name, options = {}) => walk('sync', find(name), options),
    retire: async (name, options = {}) => walk('retire', retiredSource(name), options),
  };
}

type Wait = SourceContext['wait'];

function checkNamesDiffer(sources: readonly Source[]): void {
  const twice = sources.find(({ name }, i) => sources.findIndex((one) => one.name === name) < i);
  if (twice === undefined) return;
  const remedy = 'Give each another name, or read both by one source.';
  throw new EdgeloomError('invalid-argument', `Two sources have the name ${twice.name}.`, remedy);
}

function meteredChanges(store: SourcesOptions['store'], spend: Spend): SourcesOptions['store'] {
  return {
    get: (key, how) => store.get(key, how),
    query: (request) => store.query(request),
    async change(change) {
      const result = await store.change(change);
      await spend(result.wcu);
      return result;
    },
  };
}

function spending(allowance: Allowance, wait: Wait): Spend {
  return async (units) => {
    allowance.spend(units);
    const debtMs = allowance.debtMs();
    if (debtMs > 0) await wait(debtMs);
  };
}

function noTable(table: string): SourceStore {
  throw new EdgeloomError(
    'invalid-argument',
    `Nothing opens the source table ${table}.`,
    'Give createSources openTable: (table) => new DynamoDBSourceStore(client, table).',
  );
}

function unknownSource(name: string, known: ReadonlySet<string>): EdgeloomError {
  const there = known.size === 0 ? 'There are none' : `The sources are ${[...known].join(', ')}`;
  return new EdgeloomError('invalid-argument', `There is no source ${name}. ${there}.`, 'Name one of them.');
}
