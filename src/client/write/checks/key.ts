import type { Item } from '../../../core/items/attribute-value.ts';
import {
  checkKeyText,
  describe,
  isDerivedKey,
  notAnId,
  PARTITION_KEY_BYTES,
  parseNodeId,
  type Role,
  SORT_KEY_BYTES,
  typePrefix,
} from '../../../core/items/keys.ts';
import { classifyBaseItem, targetIdOf } from '../../../core/model/base-item.ts';
import type { CompiledModel, PartModel } from '../../../core/model/compiled.ts';
import { isMirrored } from '../../../core/model/mirrored.ts';
import type { ItemKey } from '../../../core/store-port.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import { itemName } from './problem.ts';

const IDS_REMEDY = 'Correct the ids, or let the edge type join these node types in the model';

/** `attributes` name the target of an edge with a hashed key. */
export function checkBaseKey(graph: CompiledModel, source: unknown, sortKey: unknown, attributes: Item): void {
  const { partitionKey, sortKey: sortKeyName } = graph.table;
  checkKeyText(source, `Attribute ${partitionKey} of an item`, PARTITION_KEY_BYTES);
  checkKeyText(sortKey, () => `Attribute ${sortKeyName} of item ${describe(source)}`, SORT_KEY_BYTES);
  if (isDerivedKey(sortKey))
    throw derivedKeyError(`Attribute ${sortKeyName} ${describe(sortKey)} of item ${describe(source)}`);
  checkNodeId(graph, source, `Attribute ${partitionKey}`);
  const kind = classifyBaseItem(graph, source, sortKey, attributes);
  if (kind.kind === 'misfit') {
    if (kind.code !== undefined) {
      const message = `${itemName(source, sortKey)}: ${kind.reason}.`;
      throw new EdgeloomError('edge-between-tenants', message, 'Join nodes of one tenant.');
    }
    throw new EdgeloomError(
      'invalid-edge',
      `${itemName(source, sortKey)}: ${kind.reason}.`,
      `${kind.remedy ?? IDS_REMEDY}.`,
    );
  }
  if (kind.kind === 'unknown') throw unknownEdgeError(graph, source, sortKey, attributes);
  // A hashed key may hide an id that no node can have.
  if (kind.kind === 'edge') checkNodeId(graph, kind.target, () => `${itemName(source, sortKey)}: its target`);
}

/** `of` begins the error message, such as `Attribute source`. */
export function checkNodeId(graph: CompiledModel, id: unknown, of: Role): asserts id is string {
  checkKeyText(id, of, PARTITION_KEY_BYTES);
  const parts = parseNodeId(id);
  if (parts !== undefined && graph.nodes.has(parts.type)) return;
  const role = typeof of === 'string' ? of : of();
  if (isDerivedKey(id)) throw derivedKeyError(`${role} ${describe(id)}`);
  if (parts === undefined) throw notAnId(`${role} ${describe(id)}`);
  throw new EdgeloomError(
    'unknown-type',
    `${role} ${describe(id)} is of the node type ${describe(parts.type)}, which is not in the model.`,
    `The model's node types are ${[...graph.nodes.keys()].join(', ')}.`,
  );
}

export function checkEdgeType(graph: CompiledModel, type: unknown, role: Role): asserts type is string {
  if (typeof type === 'string' && graph.edges.has(type)) return;
  const of = typeof role === 'string' ? role : role();
  const types = [...graph.edges.keys()].join(', ');
  throw new EdgeloomError(
    'unknown-type',
    `${of}: the edge type ${describe(type)} is not in the model.`,
    types === '' ? 'The model has no edge types.' : `The model's edge types are ${types}.`,
  );
}

export function writableKey(graph: CompiledModel, key: ItemKey): ItemKey {
  if (isMirrored(graph, key)) {
    throw new EdgeloomError(
      'mirrored-type',
      `${itemName(key.source, key.target)}: the type is mirrored from another table, so it can't be written.`,
      'Write the item of the source table that it is made from.',
    );
  }
  return key;
}

export function partModel(graph: CompiledModel, { source, target }: ItemKey): PartModel | undefined {
  return graph.nodes.get(parseNodeId(source)?.type ?? '')?.parts.get(target);
}

export function checkPart(graph: CompiledModel, id: string, part: unknown): asserts part is string {
  if (typeof part === 'string' && partModel(graph, { source: id, target: part }) !== undefined) return;
  const type = parseNodeId(id)?.type ?? '';
  const parts = [...(graph.nodes.get(type)?.parts.keys() ?? [])].join(', ');
  throw new EdgeloomError(
    'unknown-type',
    `${describe(id)}: its type has no part ${describe(part)} in the model.`,
    parts === '' ? `Declare it under nodes.${type}.parts.` : `The parts of ${type} are ${parts}.`,
  );
}

function derivedKeyError(what: string): EdgeloomError {
  return new EdgeloomError(
    'invalid-key',
    `${what} begins with ~, which marks the items of the projector.`,
    'Write nodes and edges only: what is derived from them is for the projector to write.',
  );
}

function unknownEdgeError(graph: CompiledModel, source: string, sortKey: string, attributes: Item): unknown {
  const type = typePrefix(sortKey);
  const sortKeyName = graph.table.sortKey;
  if (type === undefined) {
    return new EdgeloomError(
      'invalid-key',
      `Attribute ${sortKeyName} of item ${describe(source)} ${describe(sortKey)} is that of no node, edge or part.`,
      `A node's ${sortKeyName} is its id; an edge's is the edge type, a dash and the target's id, such as FOLLOWS-USER-U2; a part's is its name in the model.`,
    );
  }
  checkEdgeType(graph, type, itemName(source, sortKey));
  const target = graph.edges.get(type)?.keys === 'hashed' ? targetIdOf(attributes) : sortKey.slice(type.length + 1);
  checkNodeId(graph, target, `${itemName(source, sortKey)}: its target`);
  throw new Error(`The key ${describe(source)} ${describe(sortKey)} is unknown though its types are not.`);
}
