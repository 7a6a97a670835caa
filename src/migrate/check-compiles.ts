import type { CompiledModel } from '../core/model/compiled.ts';
import { type Definitions, viewName } from '../registry/definition.ts';
import { effectiveModel } from '../registry/effective.ts';
import type { Registry } from '../registry/registry.ts';
import type { DefinitionData } from '../registry/revive.ts';
import type { ActionTarget } from './action.ts';

/**
 * Throws if writers could not compile the registry without the views that this migration replaces or drops.
 *
 * @param dropped what the run's actions remove.
 */
export function checkCompiles(
  { shapes, ...registry }: Registry,
  data: DefinitionData,
  { projections, views }: Definitions,
  graph: CompiledModel,
  dropped: readonly ActionTarget[] = [],
): void {
  const replaced = [...shapes].map(([type, entry]) => {
    // Views to be removed may use an outdated edge type: removing them is the remedy.
    if (dropped.some(({ name }) => name === viewName(type))) return [type, { next: entry.next }] as const;
    const own = views.get(type)?.fingerprint;
    const { shape } = entry;
    // rule: replaced-views-need-no-code
    return [type, shape && own ? { ...entry, shape: { ...shape, definition: own } } : entry] as const;
  });
  const expected = [...projections.values(), ...views.values()];
  const all = new Map([...data, ...expected.map((one) => [one.fingerprint, one.data] as const)]);
  effectiveModel({ ...registry, shapes: new Map(replaced) }, all, graph);
}
