import { attributeOf, type Item } from '../../../core/items/attribute-value.ts';
import { parseNodeId } from '../../../core/items/keys.ts';
import type { CompiledModel } from '../../../core/model/compiled.ts';
import type { BaseChange, BaseCondition, ItemKey } from '../../../core/store-port.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import { keyOfItem } from '../../../store/table-walk.ts';
import type { CallOptions, CallResult } from '../../call/capacity.ts';
import { writableKey } from '../checks/key.ts';
import { itemName } from '../checks/problem.ts';
import {
  baseCondition,
  bothConditions,
  conditionFailedError,
  isConditional,
  nextVersion,
  versionCondition,
  type WriteConditions,
} from './conditions.ts';
import { sendChange, type WriteContext } from './send.ts';

/** Options of a put or a delete. */
export interface WriteOptions<Attributes = Record<string, unknown>> extends WriteConditions<Attributes>, CallOptions {}

export type PutChange = Extract<BaseChange, { kind: 'put' }> & { condition: BaseCondition };

export function putChange(graph: CompiledModel, item: Item, options: WriteConditions): PutChange {
  const key = keyOfItem(graph.table, item);
  const condition = baseCondition(key, options);
  const attribute = versionAttributeOf(graph, key);
  if (attribute === undefined) return { kind: 'put', key, item, condition };
  const seen = attributeOf(item, attribute);
  const versioned = { ...item, [attribute]: nextVersion(key, attribute, seen) };
  return { kind: 'put', key, item: versioned, condition: bothConditions(condition, versionCondition(attribute, seen)) };
}

/** A put without conditions is safe to repeat, so its lost answers need no `sendChange`. */
export async function putSingle(
  context: WriteContext,
  change: PutChange,
  { signal }: WriteOptions,
): Promise<CallResult> {
  signal?.throwIfAborted();
  if (isConditional(change.condition)) return sendConditional(context, change, signal);
  await context.store.put(change.item);
  return {};
}

export async function deleteSingle(context: WriteContext, key: ItemKey, options: WriteOptions): Promise<CallResult> {
  options.signal?.throwIfAborted();
  const condition = deleteCondition(context.graph, key, options);
  if (isConditional(condition)) return sendConditional(context, { kind: 'delete', key, condition }, options.signal);
  await context.store.delete(key);
  return {};
}

export function deleteCondition(graph: CompiledModel, key: ItemKey, options: WriteConditions): BaseCondition {
  const condition = baseCondition(writableKey(graph, key), options);
  const attribute = versionAttributeOf(graph, key);
  if (attribute === undefined || Object.hasOwn(options.if ?? {}, attribute)) return condition;
  throw new EdgeloomError(
    'versioned-type',
    `${itemName(key.source, key.target)}: its type has versions, and the delete does not name one.`,
    `Give the version that was read: { if: { ${attribute}: VERSION } }.`,
  );
}

export function checkUnversioned(graph: CompiledModel, key: ItemKey, hint: string): void {
  if (versionAttributeOf(graph, key) === undefined) return;
  const name = itemName(key.source, key.target);
  throw new EdgeloomError('versioned-type', `${name}: its type has versions, which are not compared here.`, hint);
}

export function versionAttributeOf(graph: CompiledModel, { source, target }: ItemKey): string | undefined {
  return source === target ? graph.nodes.get(parseNodeId(source)?.type ?? '')?.versionAttribute : undefined;
}

async function sendConditional(
  context: WriteContext,
  change: BaseChange & { condition: BaseCondition },
  signal: AbortSignal | undefined,
): Promise<CallResult> {
  const result = await sendChange(context, change, { signal });
  if (!result.applied) throw conditionFailedError(context.graph, change.key, change.condition, result.current);
  return {};
}
