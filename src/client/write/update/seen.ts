import { attributeOf, type Item, sameValue, setOwn } from '../../../core/items/attribute-value.ts';
import { toPlainItem } from '../../../core/items/plain.ts';
import { nearest } from '../../../core/model/options/nearest.ts';
import type { BaseChange, BaseCondition } from '../../../core/store-port.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import { checkPartialItem } from '../checks/base-item.ts';
import { validateFields } from '../checks/fields.ts';
import { AttributeError, withItemName } from '../checks/problem.ts';
import { isPlainObject, toWireItem } from '../checks/values.ts';
import { bothConditions, nextVersion } from '../item/conditions.ts';
import { applyChanges, type Change, namesOfOnWrite, toAttributeChanges } from './attribute-change.ts';
import { declaredAttributes } from './declared.ts';
import { wholeItem } from './plain.ts';
import { canExpire, type UpdateSubject } from './subject.ts';
import { trackedAttributes } from './tracked.ts';

/**
 * DynamoDB allows 300 operators in a condition. Each attribute takes two, and a type with `expires` takes three more.
 */
const MOST_ATTRIBUTES = 150;
const MOST_ATTRIBUTES_OF_ENDING = 148;

/**
 * Writes only the attributes that differ. The condition requires that all attributes that are written, or that the
 * function or validator has read, are unchanged.
 */
export async function updateOfSeen(
  subject: UpdateSubject,
  seen: Item | undefined,
  change: Change,
  condition: BaseCondition,
): Promise<{ update?: BaseChange; asSeen: () => BaseCondition }> {
  const visible = attributesOf(subject, seen);
  const present = withoutReserved(subject, { ...visible });
  const looked = new Set<string>();
  const next = await nextAttributes(subject, visible, change, looked);
  const set: Item = {};
  for (const name of Object.keys(next)) {
    if (!sameValue(next[name], attributeOf(present, name))) setOwn(set, name, next[name]!);
  }
  const remove = Object.keys(present).filter((name) => !Object.hasOwn(next, name));
  const { key, versionAttribute } = subject;
  if (seen !== undefined && Object.keys(set).length + remove.length === 0) {
    return { asSeen: () => bothConditions(condition, conditionOf(subject, seen, looked)) };
  }
  checkPartialItem(subject.graph, wholeItem(subject, set));
  if (versionAttribute !== undefined) {
    set[versionAttribute] = nextVersion(key, versionAttribute, attributeOf(seen ?? {}, versionAttribute));
  }
  if (seen === undefined) {
    // rule: item-that-is-made-is-absent-still
    const absent = { present: false };
    // Put rather than update, so that nothing of an ended item remains.
    return { update: { kind: 'put', key, item: wholeItem(subject, set), condition: absent }, asSeen: () => absent };
  }
  // rule: condition-names-what-was-looked-at
  const asSeen = conditionOf(subject, seen, new Set([...looked, ...Object.keys(set), ...remove]));
  const whole = bothConditions(condition, asSeen);
  return { update: { kind: 'update', key, changes: { set, remove }, condition: whole }, asSeen: () => whole };
}

function attributesOf({ reserved, versionAttribute }: UpdateSubject, seen: Item | undefined): Item {
  const attributes: Item = {};
  for (const name of Object.keys(seen ?? {})) {
    if (name === versionAttribute || !reserved.has(name)) setOwn(attributes, name, seen![name]!);
  }
  return attributes;
}

async function nextAttributes(
  subject: UpdateSubject,
  visible: Item,
  change: Change,
  looked: Set<string>,
): Promise<Item> {
  const { graph, key, type, reserved } = subject;
  const declared = declaredAttributes(graph, subject);
  const toWire = (attributes: object): Item => withItemName(key.source, key.target, () => toWireItem(attributes));
  let next: Record<string, unknown>;
  let addedNames: ReadonlySet<string> | undefined;
  if (typeof change === 'function') {
    next = checkedResult(subject, await change(trackedAttributes(toPlainItem(visible), declared, looked)));
    addedNames = namesOfOnWrite.get(next);
  } else {
    addedNames = namesOfOnWrite.get(change);
    const changes = toAttributeChanges(key, change, reserved);
    next = toPlainItem(withItemName(key.source, key.target, () => applyChanges(visible, changes)));
  }
  const wire = withoutReserved(subject, toWire(next));
  if (type.fields === undefined) return wire;
  const known = new Set<string>();
  // The function may have returned a frozen object, whose proxy couldn't offer numbers in another form.
  const given = trackedAttributes({ ...next }, declared, known);
  const valid = withoutReserved(subject, toWire(await validateFields(type.fields, given, subject.name)));
  // A validator may drop attributes that it doesn't know. An update must keep them, because other writers may keep data
  // there.
  for (const name of Object.keys(wire)) {
    const isKept = !Object.hasOwn(valid, name) && sameValue(wire[name], attributeOf(visible, name));
    if (isKept) setOwn(valid, name, wire[name]!);
    // Dropping an attribute is fine if the validator has read it, and may have renamed or removed it on purpose, or if
    // `onWrite`, which adds attributes to every type, has added it.
    const isDropped = !Object.hasOwn(valid, name) && !known.has(name) && addedNames?.has(name) !== true;
    if (isDropped) withItemName(key.source, key.target, () => refuseDropped(name, known));
  }
  for (const name of known) looked.add(name);
  return valid;
}

function refuseDropped(name: string, known: ReadonlySet<string>): never {
  const near = nearest(name, known);
  const hint = `${near === undefined ? '' : `Did you mean ${near}? `}The fields have ${[...known].join(', ') || 'none'}.`;
  throw new AttributeError(name, 'is dropped by the fields of its type', hint);
}

function checkedResult({ name }: UpdateSubject, next: unknown): Record<string, unknown> {
  if (isPlainObject(next)) return next as Record<string, unknown>;
  throw new EdgeloomError(
    'invalid-argument',
    `${name}: the function of an update should return the next attributes, all of them.`,
    'Return a plain object: (attributes) => ({ ...attributes, status: "DONE" }).',
  );
}

function withoutReserved({ reserved }: UpdateSubject, attributes: Item): Item {
  for (const name of reserved.keys()) delete attributes[name];
  return attributes;
}

function conditionOf(subject: UpdateSubject, seen: Item, names: Set<string>): BaseCondition {
  const { name, reserved, versionAttribute } = subject;
  const equal: Item = {};
  const absent: string[] = [];
  for (const attribute of names) {
    if (reserved.has(attribute) && attribute !== versionAttribute) continue;
    const value = attributeOf(seen, attribute);
    if (value === undefined) absent.push(attribute);
    else setOwn(equal, attribute, value);
  }
  // Without equalities, the condition that the item exists counts as one more.
  const count = Object.keys(equal).length + absent.length + (Object.keys(equal).length === 0 ? 1 : 0);
  const most = canExpire(subject) ? MOST_ATTRIBUTES_OF_ENDING : MOST_ATTRIBUTES;
  // rule: update-is-made-of-the-item-as-seen
  if (count <= most) return { present: true, equal, absent };
  throw new EdgeloomError(
    'too-many-attributes',
    `${name}: the update depends on ${count} attributes; DynamoDB takes conditions on ${most}.`,
    'Name the attributes instead of spreading them all, or use the form { set, add }.',
  );
}
