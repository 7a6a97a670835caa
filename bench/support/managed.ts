import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { type Defined, definitionsOf } from '../../src/registry/definition.ts';
import { effectiveModel } from '../../src/registry/effective.ts';
import { writeDefinitions, writeHead } from '../../src/registry/head.ts';
import type { Registry } from '../../src/registry/registry.ts';
import { addGeneration, makeAllReady, noteSince, registerAll } from '../../src/registry/transitions.ts';
import { MemoryStore } from '../../test/support/memory-store/memory-store.ts';

/**
 * `registered` is the registry of an empty table. `migrated` has all projections in their second generation since long
 * before the measured records. Otherwise, the projection `second` has a second generation beside its first.
 */
export type ManagedState = 'registered' | 'migrated' | { second: string; sinceMs: number };

/** Earlier than the records of any workload. */
const SINCE_MS = Date.UTC(2020, 0, 1);

export async function managed(own: CompiledModel, state: ManagedState) {
  const definitions = [...definitionsOf(own).values()];
  const registry = registryOf(definitions, state);
  const data = new Map(definitions.map((one) => [one.fingerprint, one.data]));
  const store = new MemoryStore(own.table, { indexes: own.indexes });
  const writer = { store, stats: { rcu: 0, writes: 0, wcu: 0 } };
  await writeDefinitions(writer, data);
  if (!(await writeHead(writer, registry, undefined))) throw new Error('the head was not written');
  return { graph: effectiveModel(registry, data, own), store };
}

function registryOf(definitions: readonly Defined[], state: ManagedState): Registry {
  const first = makeAllReady(registerAll(definitions));
  if (state === 'registered') return first;
  const doubled = definitions.filter(({ name }) => state === 'migrated' || name === state.second);
  const sinceMs = state === 'migrated' ? SINCE_MS : state.sinceMs;
  const both = noteSince(
    doubled.reduce((next, { name, fingerprint }) => addGeneration(next, name, fingerprint), first),
    sinceMs,
  );
  if (state !== 'migrated') return both;
  const kept = [...both.projections].map(([name, { next, generations }]) => {
    return [name, { next, generations: generations.filter(({ id }) => id > 1) }] as const;
  });
  return { ...both, projections: new Map(kept) };
}
