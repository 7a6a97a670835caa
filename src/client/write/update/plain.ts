import type { Item } from '../../../core/items/attribute-value.ts';
import { TARGET_ID } from '../../../core/items/hashed-key.ts';
import type { AttributeChanges, BaseChange, BaseCondition } from '../../../core/store-port.ts';
import { checkMayBeNumbers, checkPartialItem } from '../checks/base-item.ts';
import { withItemName } from '../checks/problem.ts';
import { type AttributeChange, toAttributeChanges } from './attribute-change.ts';
import { rangesBeforeAdding } from './number-bounds.ts';
import type { UpdateSubject } from './subject.ts';

export function plainUpdate(subject: UpdateSubject, change: AttributeChange, condition: BaseCondition): BaseChange {
  const { key, versionAttribute } = subject;
  const changes = toAttributeChanges(key, change, subject.reserved);
  const set = condition.present === true ? changes.set : withTargetId(subject, changes.set);
  checkPartialItem(subject.graph, wholeItem(subject, { ...changes.addTo, ...set }));
  const given = changes.add ?? {};
  checkMayBeNumbers(subject.graph, key, Object.keys(given), subject.hashedTarget);
  const within = withItemName(key.source, key.target, () => rangesBeforeAdding(subject, given));
  const add = versionAttribute === undefined ? changes.add : { ...changes.add, [versionAttribute]: '1' };
  return {
    kind: 'update',
    key,
    changes: { ...changes, set, add } as AttributeChanges,
    condition: { ...condition, within },
  };
}

/** A new item with a hashed key also needs its target's id. */
function withTargetId({ hashedTarget }: UpdateSubject, set: Item = {}): Item {
  return hashedTarget === undefined ? set : { ...set, [TARGET_ID]: { S: hashedTarget } };
}

export function wholeItem(subject: UpdateSubject, set: Item): Item {
  const { partitionKey, sortKey } = subject.graph.table;
  const { source, target } = subject.key;
  return { ...withTargetId(subject, set), [partitionKey]: { S: source }, [sortKey]: { S: target } };
}
