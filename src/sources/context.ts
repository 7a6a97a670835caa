import type { CompiledModel } from '../core/model/compiled.ts';
import type { Store } from '../core/store-port.ts';
import type { Runtime } from '../foundation/runtime.ts';
import type { SourceAccess } from './access.ts';
import type { Source } from './source.ts';

export interface SourceContext extends Pick<Runtime, 'now' | 'wait' | 'random'> {
  graph: CompiledModel;
  /** Edgeloom's table. */
  store: Pick<Store, 'get' | 'change' | 'query'>;
  source: Source;
  access: SourceAccess;
  /** The names of all sources that the model file declares. */
  names: ReadonlySet<string>;
}
