import { EdgeloomError } from '../errors.ts';
import type { CompiledModel } from '../model/compiled.ts';
import type { Definitions } from '../registry/definition.ts';
import { effectiveModel, keptOf } from '../registry/effective.ts';
import { compileLayers } from '../registry/layer.ts';
import type { Registry } from '../registry/registry.ts';
import { type DefinitionData, reviveKeyed } from '../registry/revive.ts';
import {
  abandon,
  distrust,
  doubt,
  dropShape,
  enforce,
  forget,
  install,
  keep,
  makeReady,
  noteSince,
  openEmpty,
  type SeenState,
  shapeReady,
  trustAgain,
  withdraw,
} from '../registry/transitions.ts';
import type { Step } from './next-step.ts';

/** Returns the registry after a step that changes it. */
export function changed(step: Step, current: Registry, serverTimeMs: number): Registry {
  switch (step.kind) {
    case 'enforce':
      return enforce(current);
    case 'doubt':
      return doubt(current, step.table);
    case 'note-home':
      return { ...current, version: current.version + 1, table: step.table };
    case 'open-empty':
      return openEmpty(current);
    case 'keep':
      return step.definitions.reduce((next, { name, fingerprint }) => keep(next, name, fingerprint), current);
    case 'note-since':
      return noteSince(current, serverTimeMs);
    case 'ready':
      return makeReady(current, step.seen);
    case 'distrust':
      return distrust(current, step.types);
    case 'trust-again':
      return trustAgain(current, step.types);
    case 'install':
      return install(
        current,
        new Map(step.definitions.map(({ name, fingerprint }) => [name.slice('view:'.length), fingerprint])),
        new Map(step.seen.map((seen) => [seen.name, seen])),
      );
    case 'shape-ready':
      return shapeReady(current, step.seen);
    case 'withdraw':
      return withdraw(current, step.seen);
    case 'abandon':
      return abandon(current, step.seen);
    case 'forget':
      return forget(current, step.seen);
    case 'drop-shape':
      return dropShape(current, step.seen);
    default:
      throw new EdgeloomError('usage', `${step.kind} does not change the registry.`);
  }
}

/**
 * Throws if writers could not compile the registry. It must not be written then. The check uses the registry as it will be, after
 * the views that this migration replaces are gone. Steps that only remove something are not checked: a model need not have the
 * functions of a projection that it drops.
 */
export function checkCompiles(
  { shapes, ...registry }: Registry,
  data: DefinitionData,
  { projections, views }: Definitions,
  graph: CompiledModel,
): void {
  const replaced = [...shapes].map(([type, entry]) => {
    const own = views.get(type)?.fingerprint;
    const { shape } = entry;
    // rule: replaced-views-need-no-code
    return [type, shape && own ? { ...entry, shape: { ...shape, definition: own } } : entry] as const;
  });
  const wanted = [...projections.values(), ...views.values()];
  const all = new Map([...data, ...wanted.map((one) => [one.fingerprint, one.data] as const)]);
  effectiveModel({ ...registry, shapes: new Map(replaced) }, all, graph);
}

/** Makes the model to build: the index items of some generations. */
export function builtModel(
  generations: readonly (SeenState & { definition: string })[],
  { version }: Registry,
  data: DefinitionData,
  graph: CompiledModel,
): CompiledModel {
  const parts = generations.map(({ name, id, definition }) => {
    return { definition: reviveKeyed(name, definition, data, graph), kept: keptOf(id) };
  });
  // The model has no views: `shapes` is without types.
  return { ...compileLayers([], parts, graph, `@${version}`), shapes: new Map() };
}
