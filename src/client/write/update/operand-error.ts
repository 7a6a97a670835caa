import { attributeOf } from '../../../core/items/attribute-value.ts';
import type { BaseChange } from '../../../core/store-port.ts';
import { StoreError } from '../../../foundation/errors.ts';
import { withItemName } from '../checks/problem.ts';
import { readLiving, type WriteContext } from '../item/send.ts';
import { versionAttributeOf } from '../item/single.ts';
import { nextVersion } from '../item/version.ts';
import { applyChanges } from './attribute-change.ts';

/** After a refusal, reads the items to find the operand that doesn't fit the stored value: DynamoDB doesn't name it. */
export async function withOperandErrors<T>(
  context: WriteContext,
  changes: readonly BaseChange[],
  send: () => Promise<T>,
): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof StoreError) || error.kind !== 'terminal') throw error;
    for (const change of changes) await checkOperands(context, change);
    throw error;
  }
}

async function checkOperands(context: WriteContext, change: BaseChange): Promise<void> {
  if (change.kind !== 'update') return;
  const { key, changes } = change;
  const { add = {}, addTo = {}, deleteFrom = {} } = changes;
  if ([add, addTo, deleteFrom].every((part) => Object.keys(part).length === 0)) return;
  const item = (await readLiving(context, key)) ?? {};
  const version = versionAttributeOf(context.graph, key);
  if (version !== undefined) nextVersion(key, version, attributeOf(item, version));
  withItemName(key.source, key.target, () => applyChanges(item, changes));
}
