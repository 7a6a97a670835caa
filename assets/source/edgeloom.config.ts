import { defineGraph, node } from 'edgeloom';
import { sourceTable } from 'edgeloom/admin';

/** Replace this file by what `npx edgeloom adopt --table SOURCE_TABLE` proposes, or put your own types here. */
export default defineGraph({
  table: { name: 'TABLE', ttl: 'edgeloomExpiresAt' },
  nodes: { ITEM: node({ view: 'ALL' }) },
  mirrored: ['ITEM'],
});

/** `map` says which nodes and edges an item of the table makes: give mappedNode(…) and mappedEdge(…) of edgeloom/admin. */
export const sources = [
  sourceTable('SOURCE_TABLE', { keys: { partitionKey: 'pk', sortKey: 'sk' }, map: (_item) => [] }),
];
