import * as z from 'zod';
import { describeTable, hasTtl } from '../../../src/store/table.ts';
import type { Status } from '../../../src/trust/explain/status.ts';
import { tableStatus } from '../../../src/trust/explain/table-status.ts';
import { type DescribedModel, describeModel } from '../base/describe-model.ts';
import { input, route } from '../base/route.ts';

/** Facts that stay the same while a studio runs. */
export interface ModelAnswer extends DescribedModel {
  table: string;
  isWritable: boolean;
}

/** How the table is at a moment. */
export interface StatusAnswer extends Omit<Status, 'rcu'> {
  /** When it was looked at, in milliseconds since 1970. */
  atMs: number;
  table: { name: string; status: string; indexes: string[]; itemCount: number; sizeBytes: number };
}

/** The overview: the model and the status of the table. */
export const OVERVIEW_ROUTES = [
  route('GET /api/model', z.object({}), async ({ graph, isWritable }): Promise<ModelAnswer> => {
    return { ...describeModel(graph), table: graph.table.name, isWritable };
  }),
  // Without the stream the answer is there at once: the first look at a stream may read many pages of it.
  route('GET /api/status', z.object({ quick: input.flag }), async (context, { quick }): Promise<StatusAnswer> => {
    const { graph, store, client } = context;
    const table = await describeTable(graph, { client });
    const ttl = await hasTtl(client, graph);
    const position = quick ? undefined : await context.position.find();
    const looks = { graph, store, table, hasTtl: ttl, position: position && { look: position.latest } };
    const { rcu: _, ...status } = await tableStatus(looks);
    const { table: name, status: state, indexes, itemCount, sizeBytes } = table;
    return { ...status, atMs: Date.now(), table: { name, status: state, indexes, itemCount, sizeBytes } };
  }),
];
