import type { Item } from '../../../core/items/attribute-value.ts';
import { TARGET_ID } from '../../../core/items/hashed-key.ts';
import { describe, parseNodeId, typePrefix } from '../../../core/items/keys.ts';
import { toPlainItem } from '../../../core/items/plain.ts';
import { sortKeyOfEdge, targetIdOf } from '../../../core/model/base-item.ts';
import type { CompiledModel } from '../../../core/model/compiled.ts';
import type { ItemKey } from '../../../core/store-port.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import { keyOfItem } from '../../../store/table-walk.ts';
import { checkBaseItem, toItemOfKey } from '../checks/base-item.ts';
import { validateFields } from '../checks/fields.ts';
import { checkBaseKey, checkEdgeType, checkNodeId, checkPart, partModel, writableKey } from '../checks/key.ts';
import { itemName } from '../checks/problem.ts';
import { isPlainObject } from '../checks/values.ts';
import { checkUnversioned } from './single.ts';

export function nodeKey(graph: CompiledModel, id: unknown): ItemKey {
  checkNodeId(graph, id, 'The id');
  checkBaseKey(graph, id, id, {});
  return { source: id, target: id };
}

export function partKey(graph: CompiledModel, id: unknown, part: unknown): ItemKey {
  checkNodeId(graph, id, 'The id');
  checkPart(graph, id, part);
  return { source: id, target: part };
}

export async function partItem(graph: CompiledModel, id: unknown, part: unknown, attributes: unknown): Promise<Item> {
  const key = writableKey(graph, partKey(graph, id, part));
  const { fields } = partModel(graph, key)!;
  return baseItem(graph, key, await validateFields(fields, attributes, itemName(key.source, key.target)));
}

export function edgeKey(graph: CompiledModel, source: unknown, edgeType: unknown, target: unknown): ItemKey {
  checkNodeId(graph, source, 'The source of an edge');
  checkEdgeType(graph, edgeType, () => `Edge of ${describe(source)}`);
  checkNodeId(graph, target, () => `The target of edge ${describe(source)} ${edgeType}`);
  const key = { source, target: sortKeyOfEdge(graph.edges.get(edgeType)!, target) };
  checkBaseKey(graph, key.source, key.target, { [TARGET_ID]: { S: target } });
  return key;
}

/**
 * Keeps the version that was read, even if the validator drops it. Refuses a versioned type in a batch, which can't
 * compare versions.
 */
export async function nodeItem(
  graph: CompiledModel,
  id: unknown,
  attributes: unknown,
  way: 'single' | 'batch' = 'single',
): Promise<Item> {
  const key = writableKey(graph, nodeKey(graph, id));
  const { fields, versionAttribute } = graph.nodes.get(parseNodeId(key.source)!.type)!;
  if (way === 'batch') checkUnversioned(graph, key, 'Put it with putNode, or in a transaction.');
  const valid = await validateFields(fields, attributes, itemName(key.source, key.target));
  if (versionAttribute === undefined || !isPlainObject(attributes)) return baseItem(graph, key, valid);
  const version = (attributes as Record<string, unknown>)[versionAttribute];
  return baseItem(graph, key, { ...valid, [versionAttribute]: version });
}

export async function edgeItem(
  graph: CompiledModel,
  source: unknown,
  edgeType: string,
  target: unknown,
  attributes: unknown,
): Promise<Item> {
  const key = writableKey(graph, edgeKey(graph, source, edgeType, target));
  const edge = graph.edges.get(edgeType)!;
  const name = itemName(key.source, key.target);
  if (edge.keys === 'plain') return baseItem(graph, key, await validateFields(edge.fields, attributes, name));
  const given = withoutTargetId(attributes, target, name);
  const valid = withoutTargetId(await validateFields(edge.fields, given, name), target, name);
  return baseItem(graph, key, { ...valid, [TARGET_ID]: target });
}

/**
 * Removes the target's id, which the writer sets, before validators see it and after they return it. Throws if it names
 * another target.
 */
export function withoutTargetId<T>(attributes: T, target: unknown, name: string): T {
  if (!isPlainObject(attributes) || !Object.hasOwn(attributes, TARGET_ID)) return attributes;
  const { [TARGET_ID]: targetId, ...rest } = attributes as Record<string, unknown>;
  if (targetId === target) return rest as T;
  throw new EdgeloomError(
    'invalid-edge',
    `${name}: attribute ${TARGET_ID} is ${describe(targetId)}, but the edge's target is ${describe(target)}.`,
    'Leave it out: the writer sets it.',
  );
}

/** Returns the validator's output if the item's type declares `fields`. */
export async function checkedItem(graph: CompiledModel, item: Item, force: boolean): Promise<Item> {
  checkBaseItem(graph, item);
  const { partitionKey, sortKey } = graph.table;
  const { [partitionKey]: _source, [sortKey]: _target, ...attributes } = item;
  const key = keyOfItem(graph.table, item);
  if (!force) checkUnversioned(graph, key, 'Put it with putNode, or give --force: the stored version is replaced.');
  const type = typePrefix(key.target) ?? '';
  const isNode = key.source === key.target;
  const fields = (isNode ? graph.nodes.get(type) : (partModel(graph, key) ?? graph.edges.get(type)))?.fields;
  if (fields === undefined) return item;
  if (isNode) return nodeItem(graph, key.source, toPlainItem(attributes));
  if (graph.edges.get(type)?.keys === 'hashed') {
    return edgeItem(graph, key.source, type, targetIdOf(item), toPlainItem(attributes));
  }
  return baseItem(graph, key, await validateFields(fields, toPlainItem(attributes), itemName(key.source, key.target)));
}

/** Callers must check the key. */
export function baseItem(graph: CompiledModel, { source, target }: ItemKey, attributes: object): Item {
  const { partitionKey, sortKey } = graph.table;
  for (const name of [partitionKey, sortKey]) {
    if (!Object.hasOwn(attributes, name)) continue;
    throw new EdgeloomError(
      'invalid-attribute',
      `${itemName(source, target)}: attribute ${name} has the name of a key of the table.`,
      'Rename it, or name other key attributes in the table option of the model.',
    );
  }
  return toItemOfKey(graph, { source, target }, attributes);
}
