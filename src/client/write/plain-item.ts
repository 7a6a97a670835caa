import { TARGET_ID } from '../../core/items/hashed-key.ts';
import { parseNodeId } from '../../core/items/keys.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type {
  EdgeInput,
  EdgeSource,
  EdgeTarget,
  EdgeType,
  NodeId,
  NodeInput,
  TypeOfId,
} from '../../core/model/inference.ts';
import type { ItemKey } from '../../core/store-port.ts';
import { validateAtOnce } from './checks/fields.ts';
import { writableKey } from './checks/key.ts';
import { itemName } from './checks/problem.ts';
import { baseItem, edgeKey, nodeKey, withoutTargetId } from './item/prepare.ts';
import { checkUnversioned } from './item/single.ts';
import type { AttributesArgument } from './operations.ts';

/** A base item with JavaScript values, for the `Item` of a document client's call. */
export type PlainItem = Record<string, unknown>;

/**
 * Creates a node's base item to put with a document client, checked as the writer checks it. Throws `validator-failed`
 * for an asynchronous validator, and `versioned-type` for a type with versions.
 *
 * @example
 * const Item = nodeItem(graph, 'GOAL-G2', { title: 'Run a marathon' });
 * await documentClient.send(new PutCommand({ TableName, Item }));
 */
export function nodeItem<G extends CompiledModel, const Id extends NodeId<G>>(
  graph: G,
  id: Id,
  ...attributes: AttributesArgument<NodeInput<G, TypeOfId<G, Id>>>
): PlainItem {
  const key = writableKey(graph, nodeKey(graph, id));
  checkUnversioned(graph, key, 'Put it with putNode of a writer.');
  const { fields } = graph.nodes.get(parseNodeId(key.source)?.type ?? '') ?? {};
  return plainItem(graph, key, validateAtOnce(fields, attributesOf(attributes), itemName(key.source, key.target)));
}

/**
 * Creates an edge's base item, like `nodeItem`. With hashed keys, it has the hashed key and `targetId`.
 *
 * @example
 * edgeItem(graph, 'GOAL-G2', 'GOALMEMBERSHIP', 'USER-U1', { memberRole: 'LEAD' });
 */
export function edgeItem<G extends CompiledModel, const E extends EdgeType<G>>(
  graph: G,
  source: EdgeSource<G, E>,
  type: E,
  target: EdgeTarget<G, E>,
  ...attributes: AttributesArgument<EdgeInput<G, E>>
): PlainItem {
  const key = writableKey(graph, edgeKey(graph, source, type, target));
  const { fields, keys } = graph.edges.get(type)!;
  const name = itemName(key.source, key.target);
  const given = attributesOf(attributes);
  if (keys === 'plain') return plainItem(graph, key, validateAtOnce(fields, given, name));
  const valid = validateAtOnce(fields, withoutTargetId(given, target, name), name);
  return plainItem(graph, key, { ...withoutTargetId(valid, target, name), [TARGET_ID]: target });
}

function attributesOf([attributes = {}]: readonly unknown[]): unknown {
  return attributes;
}

function plainItem(graph: CompiledModel, key: ItemKey, attributes: object): PlainItem {
  baseItem(graph, key, attributes);
  const { partitionKey, sortKey } = graph.table;
  const given = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), [partitionKey]: key.source, [sortKey]: key.target };
}
