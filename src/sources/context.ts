import type { CompiledModel } from '../core/model/compiled.ts';
import type { Store } from '../core/store-port.ts';
import type { Runtime } from '../foundation/runtime.ts';
import type { SourceAccess } from './access.ts';
import type { Source } from './source.ts';

export interface SourceContext extends Pick<Runtime, 'now' | 'wait' | 'random'> {
  graph: CompiledModel;
  store: Pick<Store, 'get' | 'change' | 'query'>;
  source: Source;
  access: SourceAccess;
  /** The names of all sources in the model file. */
  names: ReadonlySet<string>;
}
