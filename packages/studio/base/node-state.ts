import { VIEW_KEY } from '../../../src/core/items/keys.ts';
import { isItemThere } from '../../../src/core/model/gone.ts';
import { modelToCheck } from '../../../src/registry/checked.ts';
import { StreamLabel } from '../../../src/stream/stream-label.ts';
import { type ExplainedPart, explainBaseItem } from '../../../src/trust/explain/base-item.ts';
import { lagOfStream } from '../../../src/trust/explain/position.ts';
import type { RequestContext } from './context.ts';

const WRONG: readonly ExplainedPart['state'][] = ['lag', 'drift', 'quarantined'];

/**
 * The places in which a node is not as its attributes ask, by the judge of `edgeloom explain`: behind, drift, or in quarantine.
 *
 * @param hasView true if its view has attributes, which nothing asks for where the node is not there.
 */
export async function wrongPlacesOf(
  { graph, store, position }: RequestContext,
  id: string,
  hasView: boolean,
): Promise<ExplainedPart[]> {
  const askLag = async () => lagOfStream(await position.find());
  const key = { source: id, target: id };
  const { item } = await store.get(key, { consistent: true });
  if (item === undefined) {
    if (!hasView) return [];
    const { isApplied, text } = await askLag();
    const reason = `${text}; the node is not there, and its view is.`;
    return [{ source: id, target: VIEW_KEY, name: 'view', state: isApplied === true ? 'drift' : 'lag', reason }];
  }
  const model = await modelToCheck(graph, store).current();
  const gone = isItemThere(model, key, item) ? undefined : 'It counts as deleted';
  const context = { graph: model, store, stream: new StreamLabel(undefined) };
  const parts = await explainBaseItem(context, key, item, { askLag, gone });
  return parts.filter(({ state }) => WRONG.includes(state));
}
