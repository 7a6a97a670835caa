import type {
  ConditionalCheckFailedException,
  AttributeValue as SdkAttributeValue,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { type Item, itemSizeBytes } from '../core/items/attribute-value.ts';
import { writeUnits } from '../core/items/capacity.ts';
import type { TableNames } from '../core/model/compiled.ts';
import type { ItemKey } from '../core/store-port.ts';
import { StoreError } from '../foundation/errors.ts';
import { classifyError } from './classify.ts';

export type SdkItem = Record<string, SdkAttributeValue>;

/** The SDK loses the value of an attribute with this name. */
const LOST = '__proto__';

export function keyAttributes({ partitionKey, sortKey }: TableNames, { source, target }: ItemKey): SdkItem {
  return { [partitionKey]: { S: source }, [sortKey]: { S: target } };
}

export function withoutLostValues(item: SdkItem): Item {
  if (Object.hasOwn(item, LOST) && item[LOST] === undefined) delete item[LOST];
  return item as Item;
}

interface Refusals {
  ConditionalCheckFailedException: ConditionalCheckFailedException;
  TransactionCanceledException: TransactionCanceledException;
}

/** Compares names, because the SDK's error classes may not be loaded. */
export function isRefusalNamed<Name extends keyof Refusals>(error: unknown, name: Name): error is Refusals[Name] {
  return error instanceof Error && error.name === name;
}

/**
 * Tells whether the SDK failed to parse a refusal because its item has an attribute named `__proto__`. Only a failed
 * condition returns an item.
 */
export function isUnreadable(error: unknown): boolean {
  if (!(error instanceof TypeError) || !('$metadata' in error)) return false;
  return (error.$metadata as { httpStatusCode?: number }).httpStatusCode === 400;
}

/** DynamoDB bills the item's size, but the exception doesn't contain the units. */
export function failedConditionUnits(current: Item | undefined): number {
  return current === undefined ? 1 : writeUnits(itemSizeBytes(current));
}

export function totalUnits(consumed: { CapacityUnits?: number }[] | undefined): number {
  return (consumed ?? []).reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
}

export async function withClassifiedErrors<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw classifyError(error);
  }
}

export async function itemThatFailed(error: unknown, read: () => Promise<{ item?: Item }>): Promise<Item | undefined> {
  if (isRefusalNamed(error, 'ConditionalCheckFailedException')) return error.Item && withoutLostValues(error.Item);
  if (isUnreadable(error)) return (await read()).item;
  throw classifyError(error);
}

/** The error is retryable, because a damaged answer would pass for an empty one. */
export function requireAnswer<T>(part: T | undefined | null, call: string, field: string): T {
  if (part !== undefined && part !== null) return part;
  throw new StoreError(
    'retryable',
    'incomplete-answer',
    `The answer to ${call} has no ${field}.`,
    'A proxy on the way may have changed it; try again.',
  );
}
