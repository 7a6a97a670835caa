import type { CompiledModel } from '../core/model/compiled.ts';
import type { ScanSource, Store } from '../core/store-port.ts';
import { checkOptions, checkStoreOptions } from '../foundation/options.ts';
import { type RuntimeOptions, runtimeOf } from '../foundation/runtime.ts';
import type { RawRecord } from '../stream/raw-record.ts';
import { type ApplyOptions, type ApplyResult, applyRecords } from './apply.ts';
import { type CheckSourceOptions, checkSource, type SourceCheck } from './check.ts';
import type { MirrorContext } from './context.ts';
import type { SourceTable } from './source.ts';
import type { SourceStore } from './source-store.ts';
import { settledBefore } from './versions.ts';
import { reconcile, snapshot, sweep, type WalkOptions, type WalkResult } from './walks.ts';

/** Options of `createMirror`. */
export interface MirrorOptions {
  /** @internal */
  now?: RuntimeOptions['now'];
  /** @internal */
  wait?: RuntimeOptions['wait'];
  /** @internal */
  random?: RuntimeOptions['random'];
  /** The table of others, with its mapping. */
  source: SourceTable;
  /** Our table. */
  store: Pick<Store, 'get' | 'change' | 'query'> & ScanSource;
  /** The table of others. */
  sourceStore: SourceStore;
}

/** Makes the base items of mirrored types what a mapping makes of the items of another table. */
export interface Mirror {
  /**
   * Carries out records of the source table's stream. Records may come twice, in other batches, and out of order. Gives the number of the first
   * record that has to come again; throws if no retry succeeds before an operator acts.
   */
  apply(records: readonly RawRecord[], options: ApplyOptions): Promise<ApplyResult>;
  /**
   * Puts what every source item makes: the first time, and after another version of the mapping. The consumer runs already, and no process
   * of an older version runs any more.
   */
  snapshot(options?: WalkOptions): Promise<WalkResult>;
  /** Corrects base items that an older version of the mapping left behind: after `snapshot`. */
  sweep(options?: WalkOptions): Promise<WalkResult>;
  /** Corrects everything both ways: after records were lost, when the consumer has passed the gap. */
  reconcile(options?: WalkOptions): Promise<WalkResult>;
  /** Compares source and base items, item by item. */
  check(options?: CheckSourceOptions): Promise<SourceCheck>;
}

/**
 * Makes the mirror of one source.
 *
 * @example
 * const mirror = createMirror(graph, { source: sources[0], store, sourceStore });
 * const { failedFrom } = await mirror.apply(event.Records, { streamLabel });
 */
export function createMirror(graph: CompiledModel, options: MirrorOptions): Mirror {
  checkStoreOptions('createMirror', options, {
    source: true,
    store: true,
    sourceStore: true,
    now: true,
    wait: true,
    random: true,
  });
  const { source, store, sourceStore, ...runtime } = options;
  const context: MirrorContext = { graph, source, store, sourceStore, ...runtimeOf(runtime) };
  let before: number | undefined;
  const walk = { signal: true, onProgress: true } as const;
  return {
    async apply(records, options) {
      checkOptions('apply', options, { streamLabel: true, remainingMs: true, signal: true });
      if (records.length === 0) return {};
      // The time at which a version began never changes.
      before ??= await settledBefore(context);
      return applyRecords(context, records, options, before);
    },
    async snapshot(options = {}) {
      checkOptions('snapshot', options, walk);
      return snapshot(context, options);
    },
    async sweep(options = {}) {
      checkOptions('sweep', options, walk);
      return sweep(context, options);
    },
    async reconcile(options = {}) {
      checkOptions('reconcile', options, walk);
      return reconcile(context, options);
    },
    async check(options = {}) {
      checkOptions('check', options, { ...walk, repair: 'boolean', processed: true });
      return checkSource(context, options);
    },
  };
}
