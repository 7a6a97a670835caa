import { StoreError } from '../errors.ts';
import type { CompiledModel } from '../model/compiled.ts';
import type { CountingReader, ReadStats } from '../store/pages.ts';
import type { Store } from '../store/port.ts';
import type { Data } from './data.ts';
import { effectiveModel } from './effective.ts';
import { type Head, readDefinitions, readHead, registryGone } from './head.ts';

/** What a writer of derived items maintains. */
export interface WriterModel {
  /**
   * The model of this moment: asked for each batch, after its records are held. Throws a retryable `StoreError` where this
   * writer lacks the code for what the table keeps.
   */
  current(stats?: ReadStats): Promise<CompiledModel>;
}

/** A model that no registry decides. */
export function fixedModel(graph: CompiledModel): WriterModel {
  return { current: async () => graph };
}

/**
 * The model that the table's registry has writers maintain, with the functions of the own one; the own one where the table
 * has no registry. One consistent read for each call; the same object as long as the registry stays as it is.
 *
 * @param compile makes the model of a registry. Default: all that it has writers maintain.
 */
export function registeredModel(
  own: CompiledModel,
  store: Pick<Store, 'get' | 'getMany'>,
  compile: typeof effectiveModel = effectiveModel,
): WriterModel {
  const known = new Map<string, Data>();
  let compiled: { head: Head; model: CompiledModel } | undefined;
  return {
    async current(stats = { rcu: 0 }) {
      const reader: CountingReader<'get' | 'getMany'> = { store, stats };
      const head = await readHead(reader, compiled?.head);
      if (head === undefined) {
        if (compiled === undefined) return own;
        const { code, message, hint } = registryGone();
        throw new StoreError('retryable', code, message, hint);
      }
      const { registry } = head;
      if (compiled?.head.text !== head.text) {
        const data = await readDefinitions(reader, registry, known);
        compiled = { head, model: compile(registry, data, own) };
      }
      return compiled.model;
    },
  };
}
