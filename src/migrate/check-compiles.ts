import type { CompiledModel } from '../core/model/compiled.ts';
import { type Definitions, isViewName } from '../registry/definition.ts';
import { effectiveModel } from '../registry/effective.ts';
import type { Registry } from '../registry/registry.ts';
import type { DefinitionData } from '../registry/revive.ts';
import type { ActionTarget } from './action.ts';

/**
 * Throws if writers couldn't compile the registry's model even without the views that this migration replaces or drops.
 *
 * @param dropped the targets of the run's actions.
 */
export function checkCompiles(
  registry: Registry,
  data: DefinitionData,
  expected: Definitions,
  graph: CompiledModel,
  dropped: readonly ActionTarget[] = [],
): void {
  const projections = [...registry.projections].map(([name, { next, generations }]) => {
    if (!isViewName(name)) return [name, { next, generations }] as const;
    // Views that are dropped may conflict with an edge type of other views: dropping them is the remedy.
    if (dropped.some((target) => target.name === name)) return [name, { next, generations: [] }] as const;
    const definition = expected.get(name)?.fingerprint;
    // rule: replaced-views-need-no-code
    if (definition === undefined) return [name, { next, generations }] as const;
    return [name, { next, generations: generations.map((one) => ({ ...one, definition })) }] as const;
  });
  const all = new Map([...data, ...[...expected.values()].map((one) => [one.fingerprint, one.data] as const)]);
  effectiveModel({ ...registry, projections: new Map(projections) }, all, graph);
}
