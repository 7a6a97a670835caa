import { TARGET_ID } from '../../../core/items/hashed-key.ts';
import { parseNodeId } from '../../../core/items/keys.ts';
import type { CompiledModel, EdgeModel, NodeModel, PartModel } from '../../../core/model/compiled.ts';
import type { ItemKey } from '../../../core/store-port.ts';
import { partModel, writableKey } from '../checks/key.ts';
import { itemName } from '../checks/problem.ts';
import { edgeKey, nodeKey, partKey } from '../item/prepare.ts';
import type { AttributeChange } from './attribute-change.ts';

export interface UpdateSubject {
  graph: CompiledModel;
  key: ItemKey;
  name: string;
  type: NodeModel | EdgeModel | PartModel;
  /** The target's id, if the key has only its hash. */
  hashedTarget?: string;
  versionAttribute?: string;
  /** Names that an update can't change, each with the reason. */
  reserved: ReadonlyMap<string, string>;
}

export function nodeSubject(graph: CompiledModel, id: unknown): UpdateSubject {
  const key = nodeKey(graph, id);
  const type = graph.nodes.get(parseNodeId(key.source)?.type ?? '')!;
  const { versionAttribute } = type;
  const reserved = keyNames(graph);
  if (versionAttribute !== undefined) reserved.set(versionAttribute, 'is the version, which each update counts up');
  return { ...subjectOfKey(graph, key), type, reserved, ...(versionAttribute !== undefined && { versionAttribute }) };
}

export function partSubject(graph: CompiledModel, id: unknown, part: unknown): UpdateSubject {
  const key = partKey(graph, id, part);
  return { ...subjectOfKey(graph, key), type: partModel(graph, key)!, reserved: keyNames(graph) };
}

export function edgeSubject(graph: CompiledModel, source: unknown, edgeType: string, target: unknown): UpdateSubject {
  const key = edgeKey(graph, source, edgeType, target);
  const type = graph.edges.get(edgeType)!;
  const reserved = keyNames(graph);
  if (type.keys === 'plain') return { ...subjectOfKey(graph, key), type, reserved };
  reserved.set(TARGET_ID, "is the target's id, which belongs to the key");
  return { ...subjectOfKey(graph, key), type, reserved, hashedTarget: target as string };
}

export function needsWhole({ type }: UpdateSubject, change: AttributeChange | undefined): boolean {
  if (type.fields !== undefined) return true;
  const { addTo = {} } = change ?? {};
  // The set's number of entries depends on the stored ones.
  return 'maxEntries' in type && Object.keys(addTo).some((name) => type.maxEntries.has(name));
}

export function canExpire({ type }: UpdateSubject): boolean {
  return 'expires' in type && type.expires !== undefined;
}

function subjectOfKey(graph: CompiledModel, key: ItemKey) {
  return { graph, key: writableKey(graph, key), name: itemName(key.source, key.target) };
}

function keyNames({ table }: CompiledModel): Map<string, string> {
  return new Map([table.partitionKey, table.sortKey].map((name) => [name, 'is a key of the table']));
}
