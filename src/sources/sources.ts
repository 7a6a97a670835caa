import type { CompiledModel } from '../core/model/compiled.ts';
import type { Store } from '../core/store-port.ts';
import { EdgeloomError } from '../foundation/errors.ts';
import { checkOptions, checkStoreOptions, type OptionNames } from '../foundation/options.ts';
import { type RuntimeOptions, runtimeOf } from '../foundation/runtime.ts';
import { Allowance, RATE_OPTIONS } from '../store/metered.ts';
import { accessOf, type SourceStore, type Spend } from './access.ts';
import { compareSource, nothingFound, type SourceComparison } from './compare-source.ts';
import type { SourceContext } from './context.ts';
import { heads } from './head.ts';
import { type Conflict, conflictsNow, refusedNow } from './notes.ts';
import { isRetired, keyTextOf, retiredSource, type Source, type SourceKey } from './source.ts';
import { syncSource, type WalkOptions } from './sync.ts';
import { touchAll } from './touches.ts';

/** Options of `createSources`. */
export interface SourcesOptions {
  /** @internal */
  now?: RuntimeOptions['now'];
  /** @internal */
  wait?: RuntimeOptions['wait'];
  /** @internal */
  random?: RuntimeOptions['random'];
  /** The sources: those that the model file exports. */
  sources: readonly Source[];
  /** Edgeloom's table. */
  store: Pick<Store, 'get' | 'change' | 'query'>;
  /** Opens a table that is a source, by its name: `(table) => new DynamoDBSourceStore(client, table)`. */
  openTable?: ((table: string) => SourceStore) | undefined;
}

/** Options of `touch`. */
export interface TouchOptions {
  /** Milliseconds left; called many times. Where they end, the touch stops where it can go on. Default: no end. */
  remainingMs?: RuntimeOptions['remainingMs'];
  /** Ends it early: what is left has to be touched again. */
  signal?: AbortSignal | undefined;
}

/** Options of `sync` and `retire`. */
export interface SyncOptions extends WalkOptions {
  /** Compares, and writes nothing. Default false. */
  dryRun?: boolean | undefined;
  /** How long a touch may take before a difference counts, in milliseconds; for `dryRun`. Default 60,000. */
  graceMs?: number | undefined;
  /** Read units that may be taken from the source a second; of another database, reads. Default: no limit. */
  maxRcu?: number | undefined;
  /** Write units that may be consumed of our table a second. Default: no limit. */
  maxWcu?: number | undefined;
}

/** The result of `sync` and `retire`. */
export interface SyncResult extends SourceComparison {
  /** Base items that several source items make, with all of them, 1,000 at most. */
  conflicts: Conflict[];
}

/** The sources of a graph. */
export interface Sources {
  /**
   * Makes of source items what they are now: to be called with the keys of all items that have changed, from whatever hears of changes.
   * Keys may come twice, late, and out of order; the source alone says what there is.
   *
   * Resolves when all are done. Rejects if one is not, so that its call has to come again with all keys: `mapping-not-in-force`,
   * `touch-unfinished`, or what a call threw. A key whose item is refused is done.
   */
  touch(name: string, keys: Iterable<SourceKey>, options?: TouchOptions): Promise<void>;
  /**
   * Touches every key of the source, and every key from which it has made items. Needed the first time, after `version` changes in either
   * direction, after lost changes, and to repair. A new version takes effect at once; its walk starts 20 minutes later, when no process of
   * the old version can still write. `resume` continues a stopped walk.
   */
  sync(name: string, options?: SyncOptions): Promise<SyncResult>;
  /** Retires a source, one of the model file or not: what it alone made goes. `dryRun` lists what that is. */
  retire(name: string, options?: SyncOptions): Promise<SyncResult>;
}

/** The sources, for a function that answers for each record. */
export interface OpenSources extends Sources {
  /** Touches keys by their texts; gives those that are left, each with the reason. */
  touchTexts(source: Source, keys: Iterable<string>, options?: TouchOptions): Promise<Map<string, unknown>>;
}

/** Attempts of a call that is refused for now, before a touch is given back. */
const ATTEMPTS = 4;
const SYNC_OPTIONS: OptionNames<SyncOptions> = {
  ...{ signal: true, onProgress: true, graceMs: 'milliseconds', ...RATE_OPTIONS },
  ...{ resume: 'boolean', dryRun: 'boolean' },
};

/**
 * Opens the sources of a graph: databases of others whose items become nodes and edges.
 *
 * @example
 * const orders = createSources(graph, { sources, store });
 * await orders.touch('orders', ['17', '18']);
 */
export function createSources(graph: CompiledModel, options: SourcesOptions): Sources {
  const { touch, sync, retire } = openSources(graph, options);
  return { touch, sync, retire };
}

/** Opens the sources of a graph with what a function needs besides. */
export function openSources(graph: CompiledModel, options: SourcesOptions): OpenSources {
  checkStoreOptions('createSources', options, {
    ...{ sources: true, store: true, openTable: true },
    ...{ now: true, wait: true, random: true },
  });
  const { sources, store, openTable = noTable, ...given } = options;
  const runtime = runtimeOf(given);
  const names = new Set(sources.map(({ name }) => name));
  const twice = sources.find(({ name }, i) => sources.findIndex((one) => one.name === name) < i);
  if (twice !== undefined) {
    const remedy = 'Give each another name, or read both by one source.';
    throw new EdgeloomError('invalid-option', `Two sources have the name ${twice.name}.`, remedy);
  }
  const find = (name: string): Source => {
    const source = sources.find((one) => one.name === name);
    if (source !== undefined) return source;
    throw unknownSource(name, names);
  };
  const contextOf = (source: Source, { maxRcu, maxWcu }: SyncOptions): SourceContext => {
    const reads = spending(new Allowance(maxRcu, runtime.now), runtime.wait);
    const writes = spending(new Allowance(maxWcu, runtime.now), runtime.wait);
    const change: SourcesOptions['store']['change'] = async (given) => {
      const result = await store.change(given);
      await writes(result.wcu);
      return result;
    };
    return {
      ...{ graph, source, names, ...runtime },
      store: { get: (key, how) => store.get(key, how), query: (request) => store.query(request), change },
      access: accessOf(source, openTable, reads),
    };
  };
  const touchTexts: OpenSources['touchTexts'] = (source, keys, { remainingMs, signal } = {}) =>
    touchAll(contextOf(source, {}), keys, { attempts: ATTEMPTS, remainingMs, signal });
  const walk = async (what: string, source: Source, options: SyncOptions): Promise<SyncResult> => {
    checkOptions(what, options, SYNC_OPTIONS);
    const context = contextOf(source, options);
    const known = isRetired(source) ? await heads(graph, store) : new Map([[source.name, source]]);
    if (!known.has(source.name)) throw unknownSource(source.name, new Set(known.keys()));
    const found =
      options.dryRun === true
        ? await compareSource(context, options)
        : { ...nothingFound(), items: await syncSource(context, options) };
    if (options.dryRun !== true) found.refused = (await refusedNow(context, source.name)).found;
    return { ...found, conflicts: (await conflictsNow(context)).found };
  };
  return {
    touchTexts,
    async touch(name, keys, options = {}) {
      checkOptions('touch', options, { remainingMs: true, signal: true });
      const source = find(name);
      if (typeof keys === 'string' || typeof Object(keys)[Symbol.iterator] !== 'function') {
        const remedy = `Give a list: touch('${name}', [key]).`;
        throw new EdgeloomError('invalid-option', `The keys to touch of the source ${name} are not a list.`, remedy);
      }
      const texts = [...keys].map((key) => keyTextOf(source, key));
      const left = await touchTexts(source, texts, options);
      for (const error of left.values()) throw error;
    },
    sync: async (name, options = {}) => walk('sync', find(name), options),
    retire: async (name, options = {}) => walk('retire', retiredSource(name), options),
  };
}

function spending(allowance: Allowance, wait: SourceContext['wait']): Spend {
  return async (units) => {
    allowance.spend(units);
    const debtMs = allowance.debtMs();
    if (debtMs > 0) await wait(debtMs);
  };
}

function noTable(table: string): SourceStore {
  throw new EdgeloomError(
    'invalid-option',
    `Nothing opens the source table ${table}.`,
    'Give createSources openTable: (table) => new DynamoDBSourceStore(client, table).',
  );
}

function unknownSource(name: string, known: ReadonlySet<string>): EdgeloomError {
  const there = known.size === 0 ? 'There are none' : `The sources are ${[...known].join(', ')}`;
  return new EdgeloomError('invalid-option', `There is no source ${name}. ${there}.`, 'Name one of them.');
}
