import type { CompiledModel } from '../model/compiled.ts';
import type { Definitions } from '../registry/definition.ts';
import { effectiveModel } from '../registry/effective.ts';
import type { Registry } from '../registry/registry.ts';
import type { DefinitionData } from '../registry/revive.ts';

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
