import type { Item } from '../../../src/core/items/attribute-value.ts';
import type { EdgeModel } from '../../../src/core/model/compiled.ts';
import { EdgeloomError } from '../../../src/foundation/errors.ts';
import type { RequestContext } from './context.ts';
import { unitsOfShards } from './price.ts';

export interface EdgeEnd {
  id: string;
  edge: EdgeModel;
  direction: 'outgoing' | 'incoming';
}

export interface EdgeCount {
  count: number;
  /** False if `count` is a lower bound. */
  isExact: boolean;
}

const PAGE_ITEMS = 100;

/** Returns the stored count, or counts edges for about `rcu` at most. Returns undefined if one Query per shard would cost more. */
export async function countEdges(context: RequestContext, end: EdgeEnd, rcu: number): Promise<EdgeCount | undefined> {
  const kept = await keptCount(context, end);
  if (kept !== undefined) return { count: kept, isExact: true };
  const { id, edge, direction } = end;
  if (direction === 'outgoing') return await countOutgoing(context, end, rcu);
  if (unitsOfShards(edge.inbound!.shards) > rcu) return undefined;
  const { count, truncated = false } = await context.reader.inDegree(id, edge.type, { maxRcu: rcu });
  return { count, isExact: !truncated };
}

async function keptCount({ reader }: RequestContext, { id, edge, direction }: EdgeEnd): Promise<number | undefined> {
  try {
    if (direction === 'outgoing') return edge.count && (await reader.degree(id, edge.type));
    return edge.incoming && (await reader.total(id, edge.type, { direction: 'inbound', groups: false })).count;
  } catch (error) {
    if (!(error instanceof EdgeloomError)) throw error;
    return undefined;
  }
}

async function countOutgoing({ store }: RequestContext, { id, edge }: EdgeEnd, rcu: number): Promise<EdgeCount> {
  const request = { partition: id, sortKey: { beginsWith: `${edge.type}-` }, limit: PAGE_ITEMS, countOnly: true };
  const before = store.rcu;
  let count = 0;
  let startKey: Item | undefined;
  do {
    const page = await store.query({ ...request, startKey });
    count += page.count;
    startKey = page.lastKey;
  } while (startKey !== undefined && store.rcu - before < rcu);
  return { count, isExact: startKey === undefined };
}
