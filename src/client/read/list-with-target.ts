import { readInbound } from './lists/inbound.ts';
import type { InboundQuery } from './lists/inbound-query.ts';
import { requireTargetItem } from './lists/target-item.ts';
import { isShownItself, readAttributes } from './nodes/views.ts';
import { findEdge } from './request/lookup.ts';
import { readOwnWritesOfViews } from './request/own.ts';
import type { ReadContext } from './request/read-context.ts';
import type { EdgeResult, InboundPage, TargetView } from './request/result.ts';

/** Reads the target itself if its type declares no `view`, because the index lacks its attributes. */
export async function readListWithTarget(
  context: ReadContext,
  target: string,
  edgeType: string,
  options: InboundQuery = {},
): Promise<InboundPage<EdgeResult, TargetView>> {
  if (options?.includeTarget !== true || !isShownItself(context.graph, target))
    return await readInbound(context, target, edgeType, options);
  requireTargetItem(findEdge(context.graph, edgeType));
  const { includeTarget: _, ...others } = options;
  const page = await readInbound(context, target, edgeType, others);
  if (options.cursor !== undefined) return page;
  const own = await readOwnWritesOfViews(context, [target]);
  const [attributes = null] = await readAttributes(context, [target], undefined, own);
  return { ...page, target: attributes === null ? null : { id: target, attributes } };
}
