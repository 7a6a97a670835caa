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

/**
 * Hashed sort keys of edges: `FRIEND-#95dbc46fb4088c7ab3031c84d7898fb4`. All keys of a type have one length however long
 * the ids are; an attribute of the edge has the target's id.
 */

/** The attribute of an edge with a hashed key that holds the target's node id. */
export const TARGET_ID = 'targetId';

const HASHED_NAME = /^#[0-9a-f]{32}$/;

/** Tells whether what follows the edge type in a sort key can be a hash; no node id begins so. */
export function isHashedName(name: string): boolean {
  return HASHED_NAME.test(name);
}

/** An edge's hashed sort key, whatever the texts are: see `hashedEdgeKey`. */
export function hashedSortKey(edgeType: string, target: string): string {
  return edgeSortKey(edgeType, `#${hash128(target)}`);
}

/**
 * The sort key of an edge whose type has `keys: 'hashed'`: the edge type, `-#`, and the first 32 hex digits (lower case) of
 * the SHA-256 of the target's id in UTF-8. A producer without the writer adds the target's id,
 * in the attribute `targetId`: nothing else says where the edge leads. To delete one, its key is enough.
 *
 * Throws an `EdgeloomError`: `invalid-id` where the edge type is no type name or the target no node id, `invalid-key` or
 * `key-too-long` where no key can hold the target.
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
