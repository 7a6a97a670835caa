import {
  checkKeyText,
  describe,
  edgeSortKey,
  hash128,
  isTypeName,
  notAnId,
  notATypeName,
  PARTITION_KEY_BYTES,
  parseNodeId,
} from './keys.ts';

/** The attribute that holds the target's node id on an edge with a hashed key. */
export const TARGET_ID = 'targetId';

const HASHED_NAME = /^#[0-9a-f]{32}$/;

/** No node id has this form, so a plain key isn't mistaken for a hashed one. */
export function isHashedName(name: string): boolean {
  return HASHED_NAME.test(name);
}

export function hashedSortKey(edgeType: string, target: string): string {
  return edgeSortKey(edgeType, `#${hash128(target)}`);
}

/**
 * Returns the sort key of an edge whose type has `keys: 'hashed'`: the edge type, `-#`, and the first 32 hex digits
 * (lower case) of the SHA-256 of the target's id in UTF-8. Producers that don't use the writer must set the attribute
 * `targetId` to the target's id, because nothing else names the target. The key alone is enough to delete an edge.
 *
 * Throws an `EdgeloomError`: `invalid-id` if the edge type isn't a type name or the target isn't a node id,
 * `invalid-key` or `key-too-long` if no key can hold the target.
 *
 * @example
 * const target = hashedEdgeKey('FRIEND', 'USER-U2'); // FRIEND-#95dbc46fb4088c7ab3031c84d7898fb4
 * const Item = { source: 'USER-U1', target, targetId: 'USER-U2', since: '2026-07-01' };
 * await documents.send(new PutCommand({ TableName: 'records', Item }));
 */
export function hashedEdgeKey(edgeType: string, target: string): string {
  checkKeyText(target, 'The target of an edge', PARTITION_KEY_BYTES);
  if (!isTypeName(edgeType)) throw notATypeName(edgeType);
  if (parseNodeId(target) === undefined) throw notAnId(`The target of an edge, ${describe(target)},`);
  return hashedSortKey(edgeType, target);
}
