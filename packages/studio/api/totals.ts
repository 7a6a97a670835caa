import * as z from 'zod';
import type { TotalResult } from '../../../src/client/read/nodes/total.ts';
import { typePrefix } from '../../../src/core/items/keys.ts';
import { EdgeloomError } from '../../../src/foundation/errors.ts';
import type { RequestContext } from '../base/context.ts';
import { input, route } from '../base/route.ts';

export interface TotalOfNode {
  type: string;
  direction: 'inbound' | 'outgoing';
  total: TotalResult;
  /** True if a group has more values than a total holds, so groups are left out. */
  hasTooManyGroups: boolean;
}

export const TOTAL_ROUTES = [
  route(
    'GET /api/totals',
    z.object({ id: input.id }),
    async (context, { id }): Promise<{ totals: TotalOfNode[] }> => ({ totals: await totalsOf(context, id) }),
  ),
];

async function totalsOf({ graph, reader }: RequestContext, id: string): Promise<TotalOfNode[]> {
  const own = typePrefix(id) ?? '';
  const kept = [...graph.edges.values()].flatMap((edge) => [
    ...(edge.incoming !== undefined && edge.to.has(own) ? [{ edge, direction: 'inbound' as const }] : []),
    ...(edge.count !== undefined && edge.from.has(own) ? [{ edge, direction: 'outgoing' as const }] : []),
  ]);
  return Promise.all(
    kept.map(async ({ edge, direction }) => {
      if (direction === 'outgoing' && edge.count?.totals === undefined) {
        const total = { count: await reader.degree(id, edge.type), groups: {} };
        return { type: edge.type, direction, total, hasTooManyGroups: false };
      }
      try {
        const total = await reader.total(id, edge.type, { direction });
        return { type: edge.type, direction, total, hasTooManyGroups: false };
      } catch (error) {
        if (!(error instanceof EdgeloomError) || error.code !== 'too-many-groups') throw error;
        const total = await reader.total(id, edge.type, { direction, groups: false });
        return { type: edge.type, direction, total, hasTooManyGroups: true };
      }
    }),
  );
}
