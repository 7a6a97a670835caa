import type { CompiledModel } from '../core/model/compiled.ts';
import type { CountingReader, ReadStats } from '../core/store-pages.ts';
import type { Store } from '../core/store-port.ts';
import { StoreError } from '../foundation/errors.ts';
import type { Data } from './data.ts';
import { effectiveModel } from './effective.ts';
import { type Head, readDefinitions, readHead, registryGone } from './head.ts';
import { checkWriterRegion, doubtTable, isLaterStream } from './identity.ts';
import type { Registry } from './registry.ts';
import type { DefinitionData } from './revive.ts';
import { isAnnounced } from './transitions.ts';

/** The model that a writer of derived items maintains. */
export interface WriterModel {
  /**
   * Returns the current model. Call it for each batch, after receiving the records. Throws a `StoreError` of kind
   * `retryable` if this writer lacks code for a projection of the table, runs outside the table's home region, or finds
   * the registry gone. Retrying alone resolves none of these, but once the cause is removed, the batch has to be
   * retried.
   *
   * @param stream the label of the batch's stream. If it is later than the registered one, and the store can update,
   * all projections are withdrawn from readers until a migration has verified them.
   */
  current(stats?: ReadStats, stream?: string): Promise<CompiledModel>;
}

type WriterStore = Pick<Store, 'get' | 'getMany' | 'region'> & Partial<Pick<Store, 'update'>>;

export function fixedModel(graph: CompiledModel): WriterModel {
  return { current: async () => graph };
}

/**
 * Returns the model that the registry makes writers maintain, or `own` without a registry or with an announced one.
 * While the registry is unchanged, each call of `current` takes one consistent read and returns the same object; after
 * a change, it also reads what is new.
 *
 * @param compile compiles a registry's model. Default: everything that writers maintain.
 */
export function registeredModel(
  own: CompiledModel,
  store: WriterStore,
  compile: (registry: Registry, data: DefinitionData, own: CompiledModel) => CompiledModel = effectiveModel,
): WriterModel {
  const known = new Map<string, Data>();
  let compiled: { head: Head; model: CompiledModel } | undefined;
  return {
    async current(stats = { rcu: 0 }, stream) {
      const reader: CountingReader<'get' | 'getMany'> = { store, stats };
      let head = await readHead(reader, compiled?.head);
      // rule: announced-registry-is-not-maintained
      if (head !== undefined && isAnnounced(head.registry)) return own;
      if (stream !== undefined && mayWrite(store) && isLaterStream(head?.registry.table?.streamLabel, stream)) {
        await doubtTable(store, stream);
        head = await readHead(reader, compiled?.head);
      }
      if (head === undefined) {
        if (compiled === undefined) return own;
        const { code, message, hint } = registryGone();
        throw new StoreError('retryable', code, message, hint);
      }
      const { registry } = head;
      const home = registry.table?.home;
      if (home !== undefined) checkWriterRegion(home, await store.region?.());
      if (compiled?.head.text !== head.text) {
        const data = await readDefinitions(reader, registry, known);
        compiled = { head, model: compile(registry, data, own) };
      }
      // rule: writer-maintains-what-the-registry-keeps
      return compiled.model;
    },
  };
}

function mayWrite(store: WriterStore): store is WriterStore & Pick<Store, 'update'> {
  return store.update !== undefined;
}
