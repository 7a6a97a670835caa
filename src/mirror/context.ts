import type { CompiledModel } from '../core/model/compiled.ts';
import type { ScanSource, Store } from '../core/store-port.ts';
import type { Runtime } from '../foundation/runtime.ts';
import type { SourceTable } from './source.ts';
import type { SourceStore } from './source-store.ts';

/** The tables, the mapping and the runtime that all parts of a mirror share. */
export interface MirrorContext extends Pick<Runtime, 'now' | 'wait' | 'random'> {
  graph: CompiledModel;
  source: SourceTable;
  /** Our table. */
  store: Pick<Store, 'get' | 'change' | 'query'> & ScanSource;
  /** The table of others, which is read alone. */
  sourceStore: SourceStore;
}
