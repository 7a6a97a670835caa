import { isDeepStrictEqual } from 'node:util';
import { typePrefix, VIEW_KEY } from '../../../src/core/items/keys.ts';
import type { NodeModel } from '../../../src/core/model/compiled.ts';
import { modelToCheck } from '../../../src/registry/checked.ts';
import { type ExplainedPart, explainBaseItem } from '../../../src/trust/explain/base-item.ts';
import { lagOfStream } from '../../../src/trust/explain/position.ts';
import type { RequestContext } from './context.ts';

const WRONG: readonly ExplainedPart['state'][] = ['lag', 'drift', 'quarantined'];

interface Shown {
  base: Record<string, unknown> | undefined;
  view: Record<string, unknown> | null;
}

function isOdd(node: NodeModel | undefined, { base, view }: Shown): boolean {
  if (node?.hasView !== true) return false;
  if (base === undefined || view === null) return base !== undefined || view !== null;
  const all = [...Object.keys(base), ...Object.keys(view)];
  const names = node.view.kind === 'ALL' ? all : node.view.kind === 'LIST' ? node.view.attributes : [];
  return names.some((name) => !isDeepStrictEqual(base[name], view[name]));
}

/** Explaining reads every derived item, so it's done only if the base item and the view disagree. */
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
