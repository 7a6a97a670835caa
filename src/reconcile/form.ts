import { OTHER, unchangedCondition } from '../core/items/derived-item.ts';
import { hasRevision, misshapenAttributes } from '../core/kinds/form.ts';
import type { ItemForm } from '../core/kinds/kind.ts';
import type { ItemKey } from '../core/store-port.ts';
import type { ApplyContext } from './apply-context.ts';
import { reconcileOrThrow } from './reconcile.ts';
import { itemTask, otherCountOf } from './ways.ts';

/** The write also replaces a malformed revision. */
export async function repairForm(context: ApplyContext, form: ItemForm, key: ItemKey): Promise<void> {
  const { graph } = context;
  const task = itemTask(key, async (_, was) => {
    const unset = misshapenAttributes(form, graph, was ?? {});
    if (was === undefined || (unset.length === 0 && hasRevision(was))) return undefined;
    const update = { key, set: {}, unset, condition: unchangedCondition(was, graph.table.ttl) };
    // A counted item without its list of groups (`OTHER`) no longer matches its count, so the count needs a repair.
    return { update, otherCount: unset.includes(OTHER) ? otherCountOf(was, undefined) : undefined };
  });
  await reconcileOrThrow(context, [task], { isScan: true });
}
