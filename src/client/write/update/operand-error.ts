import { attributeOf, type Item } from '../../../core/items/attribute-value.ts';
import { TARGET_ID } from '../../../core/items/hashed-key.ts';
import type { BaseChange } from '../../../core/store-port.ts';
import { StoreError } from '../../../foundation/errors.ts';
import { checkPartialItem, checkSize } from '../checks/base-item.ts';
import { withItemName } from '../checks/problem.ts';
import { nextVersion } from '../item/conditions.ts';
import { readLiving, type WriteContext } from '../item/send.ts';
import { versionAttributeOf } from '../item/single.ts';
import { applyChanges } from './attribute-change.ts';

/** DynamoDB's codes for refused content, in a single write and in a transaction. */
const REFUSED_CONTENT: ReadonlySet<string> = new Set(['ValidationException', 'ValidationError']);

/** After a refusal, reads the items to find the mistake, because DynamoDB names neither item nor attribute. */
export async function withOperandErrors<T>(
  context: WriteContext,
  changes: readonly BaseChange[],
  send: () => Promise<T>,
  check = (place: number, item: Item | undefined): void => checkAgainst(context, changes[place]!, item),
): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof StoreError) || !REFUSED_CONTENT.has(error.code)) throw error;
    for (const [place, { kind, key }] of changes.entries()) {
      if (kind === 'update') check(place, await readLiving(context, key));
    }
    throw error;
  }
}

export function checkAgainst({ graph }: Pick<WriteContext, 'graph'>, change: BaseChange, item: Item = {}): void {
  if (change.kind !== 'update') return;
  const { key, changes } = change;
  const { partitionKey, sortKey } = graph.table;
  const version = versionAttributeOf(graph, key);
  if (version !== undefined) nextVersion(key, version, attributeOf(item, version));
  const next = withItemName(key.source, key.target, () => applyChanges(item, changes));
  const added = Object.keys(changes.add ?? {}).filter((name) => Object.hasOwn(next, name));
  if (added.length > 0) {
    // A sum may have more digits than both of its numbers, or leave the bounds of the model.
    const names = [...added, TARGET_ID].filter((name) => Object.hasOwn(next, name));
    const sums = Object.fromEntries(names.map((name) => [name, next[name]!]));
    checkPartialItem(graph, { ...sums, [partitionKey]: { S: key.source }, [sortKey]: { S: key.target } });
  }
  checkSize(key.source, key.target, next);
}
