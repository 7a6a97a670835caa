import { stringOf } from '../core/items/attribute-value.ts';
import { COUNTED, OTHER, unchangedCondition } from '../core/items/derived-item.ts';
import { hasRevision, misshapenAttributes } from '../core/kinds/form.ts';
import type { ItemForm } from '../core/kinds/kind.ts';
import type { ItemKey } from '../core/store-port.ts';
import type { ApplyContext } from './apply-context.ts';
import { reconcileOtherCount } from './counted.ts';
import { reconcileItem } from './reconcile-item.ts';

/** Removes the attributes that an item cannot have. Any write replaces a malformed revision. */
export async function repairForm(context: ApplyContext, form: ItemForm, key: ItemKey): Promise<void> {
  const { actual, update } = await reconcileItem(context, {
    key,
    expected: (item) => misshapenAttributes(form, context.graph, item ?? {}),
    update(item, unset) {
      if (item === undefined || (unset.length === 0 && hasRevision(item))) return undefined;
      return { key, set: {}, unset, condition: unchangedCondition(item, context.graph.table.ttl) };
    },
  });
  // Without its list of groups a counted item adds other numbers to its count.
  if (update?.unset.includes(OTHER) !== true) return;
  await reconcileOtherCount(context, key.source, stringOf(actual?.[COUNTED]), undefined);
}
