import type { CompiledModel } from '../core/model/compiled.ts';
import type { CountingReader } from '../core/store-pages.ts';
import type { Store } from '../core/store-port.ts';
import { definitionsOf } from './definition.ts';
import { readDefinitions, readHead } from './head.ts';
import { changeText, plannedChanges } from './planned-changes.ts';
import { projectionsInForce } from './registry.ts';
import { isUntouchedSinceRegistration } from './transitions.ts';

export interface ModelNotice {
  isManaged: boolean;
  changes: readonly string[];
  /** Projections of the model that aren't ready, in words, and that checks therefore skip. */
  unready?: readonly string[];
}

export async function modelNotice(graph: CompiledModel, store: Pick<Store, 'get' | 'getMany'>): Promise<ModelNotice> {
  const reader = { store, stats: { rcu: 0 } };
  const head = await readHead(reader);
  const data = head === undefined ? new Map() : await readDefinitions(reader, head.registry, new Map());
  const changes = plannedChanges(head?.registry, data, definitionsOf(graph));
  const unready = head === undefined ? [] : changes.filter(({ change }) => change !== 'extra').map(changeText);
  return {
    isManaged: head !== undefined,
    changes: changes.map(changeText),
    ...(unready.length > 0 && { unready }),
  };
}

export interface RegistryState {
  /** False without a registry, or with one that was written for an empty table and never opened to readers. */
  isManaged: boolean;
  /** Number of generations that readers may not use. */
  open: number;
}

export async function registryState(reader: CountingReader<'get'>): Promise<RegistryState> {
  const head = await readHead(reader);
  if (head === undefined || isUntouchedSinceRegistration(head.registry)) return { isManaged: false, open: 0 };
  const open = projectionsInForce(head.registry).filter(({ state }) => state !== 'ready');
  return { isManaged: true, open: open.length };
}
