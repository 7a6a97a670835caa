import * as z from 'zod';
import { describeTable } from '../../../src/store/table-description.ts';
import type { RequestContext } from '../base/context.ts';
import type { FlowAnswer } from '../base/flow.ts';
import { route } from '../base/route.ts';
import type { SampleAnswer, Sampled, SampledNode, SampledTable } from '../base/table-sample.ts';

/** Some nodes of the sample. */
export interface RandomNodesAnswer {
  nodes: SampledNode[];
}

/** Nodes that an answer gives. */
const NODES = 12;

/** The table as it is: how much of each type there is, and what is written now. */
export const LIVE_ROUTES = [
  route('GET /api/sample', z.object({}), async (context): Promise<SampleAnswer> => (await sampleOf(context)).answer),
  route(
    'GET /api/flow',
    z.object({ after: z.coerce.number().int().min(0).optional() }),
    async ({ flow }, { after = flow.changes.count }): Promise<FlowAnswer> => {
      await flow.look();
      return flow.since(after);
    },
  ),
  route('GET /api/random', z.object({ type: z.string().optional() }), randomNodes),
];

/** The sample of the table, as it is known or read now. */
export async function sampleOf(context: RequestContext): Promise<Sampled> {
  return await context.sample.read(sampledTable(context));
}

/** The sample with the next part of the table in it. */
export async function readOnSample(context: RequestContext): Promise<Sampled> {
  return await context.sample.readOn(sampledTable(context));
}

function sampledTable({ graph, store, client }: RequestContext): SampledTable {
  return { graph, store, itemCount: async () => (await describeTable(graph, { client })).itemCount };
}

/** Nodes in an order that chance gives. */
async function randomNodes(
  context: RequestContext,
  { type }: { type?: string | undefined },
): Promise<RandomNodesAnswer> {
  const { nodes } = await sampleOf(context);
  const all = [...nodes]
    .filter(([one]) => type === undefined || one === type)
    .flatMap(([, met]) => [...met].map(([id, name]) => ({ id, name })));
  const picked: SampledNode[] = [];
  while (picked.length < NODES && all.length > 0) {
    picked.push(...all.splice(Math.floor(Math.random() * all.length), 1));
  }
  return { nodes: picked };
}
