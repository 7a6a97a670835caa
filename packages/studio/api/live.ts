import * as z from 'zod';
import { describeTable } from '../../../src/store/table-description.ts';
import type { RequestContext } from '../base/context.ts';
import { route } from '../base/route.ts';
import type { SampleAnswer, Sampled, SampledTable } from '../base/table-sample.ts';

export const LIVE_ROUTES = [
  route('GET /api/sample', z.object({}), async (context): Promise<SampleAnswer> => (await sampleOf(context)).answer),
];

export async function sampleOf(context: RequestContext): Promise<Sampled> {
  return await context.sample.read(sampledTable(context));
}

export async function readOnSample(context: RequestContext): Promise<Sampled> {
  return await context.sample.readOn(sampledTable(context));
}

function sampledTable({ graph, store, client }: RequestContext): SampledTable {
  return { graph, store, itemCount: async () => (await describeTable(graph, { client })).itemCount };
}
