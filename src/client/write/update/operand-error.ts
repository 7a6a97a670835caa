import { attributeOf } from '../../../core/items/attribute-value.ts';
import type { BaseChange } from '../../../core/store-port.ts';
import { StoreError } from '../../../foundation/errors.ts';
import { checkSize } from '../checks/base-item.ts';
import { withItemName } from '../checks/problem.ts';
import { checkAttributes } from '../checks/value.ts';
import { readLiving, type WriteContext } from '../item/send.ts';
import { versionAttributeOf } from '../item/single.ts';
import { nextVersion } from '../item/version.ts';
import { applyChanges } from './attribute-change.ts';

/** DynamoDB's codes for refused content, alone and in a transaction. */
const REFUSED_CONTENT: ReadonlySet<string> = new Set(['ValidationException', 'ValidationError']);

/** After a refusal, reads the items to find the mistake, because DynamoDB names neither item nor attribute. */
export async function withOperandErrors<T>(
  context: WriteContext,
  changes: readonly BaseChange[],
  send: () => Promise<T>,
): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof StoreError) || !REFUSED_CONTENT.has(error.code)) throw error;
    for (const change of changes) await checkAgainstStored(context, change);
    throw error;
  }
}

async function checkAgainstStored(context: WriteContext, change: BaseChange): Promise<void> {
  if (change.kind !== 'update') return;
  const { key, changes } = change;
  const item = (await readLiving(context, key)) ?? {};
  const version = versionAttributeOf(context.graph, key);
  if (version !== undefined) nextVersion(key, version, attributeOf(item, version));
  const next = withItemName(key.source, key.target, () => {
    const whole = applyChanges(item, changes);
    // A sum may have more digits than both of its numbers.
    checkAttributes(Object.fromEntries(Object.keys(changes.add ?? {}).map((name) => [name, whole[name]!])));
    return whole;
  });
  checkSize(key.source, key.target, next);
}
