import { exactNumber, type NumberReader } from '../../core/items/plain.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type { Store } from '../../core/store-port.ts';
import { checkStoreOptions } from '../../foundation/options.ts';
import { registryLeases } from '../../registry/reader-lease.ts';
import { type WithClient, withStore } from '../../store/given.ts';
import type { FeedModel } from './changes-of.ts';

/** Options of `createFeedModels`. */
export interface FeedModelsOptions {
  /** The table's store. */
  store: Store;
  /** Converts numbers, as in `ReaderOptions`. */
  readNumber?: NumberReader | undefined;
}

/** Provides the current model to `changesOf`. */
export interface FeedModels {
  /** Returns the current model. Reads the table's registry at most once every 30 seconds. */
  current(): Promise<FeedModel>;
}

/**
 * Creates the models for `changesOf`. Call it once per process.
 *
 * @example
 * const models = createFeedModels(graph, { client });
 */
export function createFeedModels(
  graph: CompiledModel,
  given: FeedModelsOptions | WithClient<FeedModelsOptions>,
): FeedModels {
  const options = withStore('createFeedModels', graph, given);
  checkStoreOptions('createFeedModels', options, { store: 'or client', readNumber: 'function' });
  const { store, readNumber = exactNumber } = options;
  const leases = registryLeases(graph, store);
  return { current: () => leases.hold(async (projections) => ({ graph, projections, readNumber })) };
}
