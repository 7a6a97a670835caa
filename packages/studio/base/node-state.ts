import { isDeepStrictEqual } from 'node:util';
import { typePrefix, VIEW_KEY } from '../../../src/core/items/keys.ts';
import type { NodeModel } from '../../../src/core/model/compiled.ts';
import { modelToCheck } from '../../../src/registry/checked.ts';
import { type ExplainedPart, explainBaseItem } from '../../../src/trust/explain/base-item.ts';
import { lagOfStream } from '../../../src/trust/explain/position.ts';
import type { RequestContext } from './context.ts';

const WRONG: readonly ExplainedPart['state'][] = ['lag', 'drift', 'quarantined'];

/** The attributes of a node as they were written, and as its view has them; undefined: there is no node; null: the view has none. */
interface Shown {
  base: Record<string, unknown> | undefined;
  view: Record<string, unknown> | null;
}

/** Tells whether a view does not have what the node's attributes ask for, as far as both are shown. */
function isOdd(node: NodeModel | undefined, { base, view }: Shown): boolean {
  if (node?.hasView !== true) return false;
  if (base === undefined || view === null) return base !== undefined || view !== null;
  const all = [...Object.keys(base), ...Object.keys(view)];
  const names = node.view.kind === 'ALL' ? all : node.view.kind === 'LIST' ? node.view.attributes : [];
  return names.some((name) => !isDeepStrictEqual(base[name], view[name]));
}

/**
 * The places in which a node is not as its attributes ask, by the judge of `edgeloom explain`: behind, drift, or in quarantine. The judge reads
 * the view again, which may be large, so it is asked only where the attributes that the page shows do not agree.
 */
export async function wrongPlacesOf(
  { graph, store, position }: RequestContext,
  id: string,
  shown: Shown,
): Promise<ExplainedPart[]> {
  if (!isOdd(graph.nodes.get(typePrefix(id) ?? ''), shown)) return [];
  const askLag = async () => lagOfStream(await position.find());
  const key = { source: id, target: id };
  const { item } = await store.get(key, { consistent: true });
  if (item === undefined) {
    if (shown.view === null) return [];
    const { isApplied, text } = await askLag();
    const reason = `${text}; the node does not exist, but its view does.`;
    return [{ source: id, target: VIEW_KEY, name: 'view', state: isApplied === true ? 'drift' : 'lag', reason }];
  }
  const model = await modelToCheck(graph, store).current();
  const parts = await explainBaseItem({ graph: model, store }, key, item, askLag);
  return parts.filter(({ state }) => WRONG.includes(state));
}
