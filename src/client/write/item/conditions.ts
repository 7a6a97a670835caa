import {
  type AttributeValue,
  attributeOf,
  type Item,
  numberOf,
  sameValue,
  stringOf,
  typeOf,
} from '../../../core/items/attribute-value.ts';
import { typeName } from '../../../core/items/encoding.ts';
import { TARGET_ID } from '../../../core/items/hashed-key.ts';
import { typePrefix } from '../../../core/items/keys.ts';
import { toPlainItem } from '../../../core/items/plain.ts';
import type { CompiledModel } from '../../../core/model/compiled.ts';
import { GONE, isItemThere } from '../../../core/model/gone.ts';
import { withoutBookkeeping } from '../../../core/model/mirrored.ts';
import type { BaseCondition, ItemKey } from '../../../core/store-port.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import { itemName, withItemName } from '../checks/problem.ts';
import { checkAttributes } from '../checks/value.ts';
import { isPlainObject, toWireItem } from '../checks/values.ts';

/** Conditions of a write. If one fails, the `ConditionFailedError` holds the current item. */
export interface WriteConditions<Attributes = Record<string, unknown>> {
  /** Write only if the item doesn't exist. */
  ifAbsent?: boolean | undefined;
  /** Write only if the item exists. */
  ifPresent?: boolean | undefined;
  /** Write only if these attributes have these values. An undefined value requires that the attribute is absent. */
  if?: { readonly [Name in keyof Attributes]?: Attributes[Name] | undefined } | undefined;
}

/** Thrown if a write's condition fails, or if the item to update is missing. */
export class ConditionFailedError extends EdgeloomError {
  declare readonly code: 'condition-failed' | 'not-found';
  /** Null if the item doesn't exist. */
  readonly current: Record<string, unknown> | null;

  constructor(
    message: string,
    current: Record<string, unknown> | null,
    code: 'condition-failed' | 'not-found' = 'condition-failed',
    hint = 'The error has the item as it is (current): decide again with it.',
  ) {
    super(code, message, hint);
    this.name = 'ConditionFailedError';
    this.current = current;
  }
}

export function baseCondition({ source, target }: ItemKey, options: WriteConditions): BaseCondition {
  const name = itemName(source, target);
  const { ifAbsent = false, ifPresent = false, if: values = {} } = options;
  if (ifAbsent && (ifPresent || Object.keys(values).length > 0)) {
    throw new EdgeloomError(
      'invalid-argument',
      `${name}: ifAbsent contradicts ${ifPresent ? 'ifPresent' : 'if'}.`,
      'Give one of the two.',
    );
  }
  if (!isPlainObject(values)) {
    throw new EdgeloomError(
      'invalid-argument',
      `${name}: if should be an object of attributes and their values.`,
      'Give { if: { status: "OPEN" } }.',
    );
  }
  const equal = withItemName(source, target, () => {
    const item = toWireItem(values);
    checkAttributes(item);
    return item;
  });
  const absent = Object.keys(values).filter((attribute) => !Object.hasOwn(equal, attribute));
  return { ...(ifAbsent && { present: false }), ...(ifPresent && { present: true }), equal, absent };
}

export function isConditional({ present, equal = {}, absent = [] }: BaseCondition): boolean {
  return present !== undefined || Object.keys(equal).length > 0 || absent.length > 0;
}

/** If both require a value for an attribute, the second wins. */
export function bothConditions(first: BaseCondition, second: BaseCondition): BaseCondition {
  const equal = { ...first.equal, ...second.equal };
  const absent = new Set([...(first.absent ?? []), ...(second.absent ?? [])]);
  const present = second.present ?? first.present;
  return { ...(present !== undefined && { present }), equal, absent: [...absent] };
}

export function conditionFailedError(
  graph: CompiledModel,
  key: ItemKey,
  condition: BaseCondition,
  current: Item | undefined,
): ConditionFailedError {
  const name = itemName(key.source, key.target);
  return new ConditionFailedError(
    `${name}: ${failureReason(condition, current, isItemThere(graph, key, current))}.`,
    current === undefined ? null : plainAttributes(graph, current),
  );
}

export function plainAttributes(model: CompiledModel, item: Item): Record<string, unknown> {
  const {
    [model.table.partitionKey]: _source,
    [model.table.sortKey]: target,
    ...attributes
  } = withoutBookkeeping(item);
  const edge = model.edges.get(typePrefix(stringOf(target) ?? '') ?? '');
  if (edge?.keys === 'hashed') delete attributes[TARGET_ID];
  return toPlainItem(attributes);
}

export function meetsCondition(condition: BaseCondition, item: Item | undefined): boolean {
  const { present } = condition;
  if (present !== undefined && present !== (item !== undefined)) return false;
  return unmetNames(condition, item).length === 0;
}

function unmetNames({ equal = {}, absent = [] }: BaseCondition, item: Item | undefined): string[] {
  const value = (name: string): AttributeValue | undefined => item && attributeOf(item, name);
  const isMet = (name: string): boolean => value(name) !== undefined && sameValue(value(name), equal[name]);
  return [...Object.keys(equal).filter((name) => !isMet(name)), ...absent.filter((name) => value(name) !== undefined)];
}

function failureReason(condition: BaseCondition, current: Item | undefined, isThere: boolean): string {
  if (current === undefined || (condition.present === true && Object.hasOwn(current, GONE))) return 'it does not exist';
  if (condition.present === false) return `it exists already${isThere ? '' : ', soft-deleted'}`;
  const names = unmetNames(condition, current);
  return `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} not as the condition has it`;
}

export function nextVersion({ source, target }: ItemKey, attribute: string, seen: AttributeValue | undefined) {
  if (seen === undefined) return { N: '1' };
  const text = numberOf(seen);
  if (text !== undefined && /^\d+$/.test(text)) return { N: String(BigInt(text) + 1n) };
  throw new EdgeloomError(
    'invalid-attribute',
    `${itemName(source, target)}: attribute ${attribute} is its version and should be a whole number, but is ${text ?? typeName(typeOf(seen))}.`,
    'Give the version that was read, or none for a new item. Correct a stored one with an UpdateItem of the AWS SDK.',
  );
}

export function versionCondition(attribute: string, seen: AttributeValue | undefined): BaseCondition {
  return seen === undefined ? { absent: [attribute] } : { equal: { [attribute]: seen } };
}
