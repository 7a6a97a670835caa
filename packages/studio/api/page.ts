import * as z from 'zod';
import { levelOfPath } from '../../../src/client/read/levels/level-path.ts';
import type { Truncated } from '../../../src/client/read/levels/level-walk.ts';
import { pagePlan } from '../../../src/client/read/page.ts';
import { listedTree, type PageTree } from '../base/listed-tree.ts';
import { input, orderedInput, route, withRange } from '../base/route.ts';

/** A page of a list with the nodes next to its nodes, on one level or several. */
export interface PageAnswer extends PageTree {
  cursor?: string;
  /** Neighbours that a bound left out. */
  truncated?: Truncated;
  /** DynamoDB calls that the page took. */
  calls: number;
  /** Read units that they took. */
  rcu: number;
  /** Why each step was made or left out. */
  steps: string[];
}

/** Lists with levels of associations: `edgeloom list page` as a tree. */
export const PAGE_ROUTES = [
  route(
    'GET /api/page',
    z.object({
      ...{ id: input.id, type: input.id, limit: input.limit, cursor: input.cursor, ...orderedInput },
      with: input.list.optional(),
      maxNodes: z.coerce.number().int().min(1).max(10_000).optional(),
    }),
    async ({ graph, reader, store }, { id, type, with: paths, ...options }): Promise<PageAnswer> => {
      const asked = { ...withRange(options), with: paths?.map(levelOfPath) };
      const { why } = pagePlan(graph, type, asked);
      const page = await reader.page(id, type, asked);
      const { cursor, truncated, calls } = page;
      return {
        ...listedTree(graph, page.items),
        ...{ calls, rcu: store.rcu, steps: why },
        ...(cursor !== undefined && { cursor }),
        ...(truncated !== undefined && { truncated }),
      };
    },
  ),
];
