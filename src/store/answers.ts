import type {
  ConditionalCheckFailedException,
  AttributeValue as SdkAttributeValue,
  TableDescription,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { type Item, itemSizeBytes } from '../core/items/attribute-value.ts';
import { writeUnits } from '../core/items/capacity.ts';
import type { KeyTypes } from '../core/store-port.ts';
import { classifyError } from './classify.ts';

/** Items and capacity in responses of the SDK. */

/** An item as the SDK has it. */
export type SdkItem = Record<string, SdkAttributeValue>;

/** The one attribute name whose value the SDK loses. */
const LOST = '__proto__';

/** An item of a response. The SDK makes values that it cannot read undefined: they are left out. */
export function withoutLostValues(item: SdkItem): Item {
  if (Object.hasOwn(item, LOST) && item[LOST] === undefined) delete item[LOST];
  return item as Item;
}

interface Refusals {
  ConditionalCheckFailedException: ConditionalCheckFailedException;
  TransactionCanceledException: TransactionCanceledException;
}

/** Tells whether an error is a refusal of this name. It compares names, because the SDK's classes may not be loaded. */
export function isRefusalNamed<Name extends keyof Refusals>(error: unknown, name: Name): error is Refusals[Name] {
  return error instanceof Error && error.name === name;
}

/**
 * Tells whether the SDK failed to read DynamoDB's refusal. It fails on an attribute named `__proto__` anywhere in the item that a failed
 * condition returns. No other refusal returns an item.
 */
export function isUnreadable(error: unknown): boolean {
  if (!(error instanceof TypeError) || !('$metadata' in error)) return false;
  return (error.$metadata as { httpStatusCode?: number }).httpStatusCode === 400;
}

/** The write units of a failed condition. The exception does not state them; DynamoDB bills the size of the item that failed it. */
export function failedConditionUnits(current: Item | undefined): number {
  return current === undefined ? 1 : writeUnits(itemSizeBytes(current));
}

/** Units of all parts of a call. */
export function totalUnits(consumed: { CapacityUnits?: number }[] | undefined): number {
  return (consumed ?? []).reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
}

/** Makes a call; its error is classified. */
export async function withClassifiedErrors<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw classifyError(error);
  }
}

/**
 * The item that failed a condition; undefined where there is none. `read` gives it where the SDK could not read the refusal.
 * Throws any other error, classified.
 */
export async function itemThatFailed(error: unknown, read: () => Promise<{ item?: Item }>): Promise<Item | undefined> {
  if (isRefusalNamed(error, 'ConditionalCheckFailedException')) return error.Item && withoutLostValues(error.Item);
  if (isUnreadable(error)) return (await read()).item;
  throw classifyError(error);
}

/** The types of the key attributes in a table's description. */
export function keyTypesOf({ AttributeDefinitions = [] }: TableDescription): KeyTypes {
  return new Map(
    AttributeDefinitions.map(({ AttributeName = '', AttributeType = '' }) => [AttributeName, AttributeType]),
  );
}
