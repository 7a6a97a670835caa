import * as z from 'zod';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { stackFixtures } from '../../../src/deployment/stack/stack.ts';
import { type MigrationPlan, planMigration } from '../../../src/migrate/forecast/plan-migration.ts';
import { describeTable, tableIdentity } from '../../../src/store/table-description.ts';
import { type ModelCost, modelCost } from '../../cost/capacity.ts';
import { GIGABYTE, monthlyCost } from '../../cost/monthly.ts';
import { readPrices } from '../../cost/prices.ts';
import { changedModel, modelDiff } from '../../cost/what-if.ts';
import { route } from '../base/route.ts';

/** Figures of both models; null if a model lacks the write or query. */
export interface Compared {
  name: string;
  before: number | null;
  after: number | null;
}

export interface WhatIfAnswer {
  writes: Compared[];
  queries: Compared[];
  /** US dollars per month, on demand. */
  dollars: Compared;
  diff: string[];
  migration: Pick<MigrationPlan, 'changes' | 'warnings' | 'cost' | 'estimate'> | null;
}

const name = z.string().min(1).max(255);
const change = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('count'), edge: name, isCounted: z.boolean() }),
  z.strictObject({
    kind: z.literal('order'),
    edge: name,
    name,
    by: z.strictObject({ attribute: name, type: z.enum(['string', 'number', 'date']) }),
  }),
  z.strictObject({ kind: z.literal('edge-shards'), edge: name, shards: z.number() }),
  z.strictObject({ kind: z.literal('search-shards'), node: name, search: name, shards: z.number() }),
]);
const whatIf = z.strictObject({
  changes: z.array(change).max(50),
  putsPerSecond: z.number().positive().max(1e9),
  /** The rate of each query whose cost differs. The bill excludes other queries. */
  readsPerSecond: z.number().nonnegative().max(1e9).default(0),
  /** Whether to plan the migration, which reads a sample of the table. */
  isPlanned: z.boolean().default(false),
});

export const WHAT_IF_ROUTES = [
  route('POST /api/what-if', whatIf, async (context, { changes, isPlanned, ...rates }): Promise<WhatIfAnswer> => {
    const { graph, client, store } = context;
    const changed = changedModel(graph, changes);
    const table = await describeTable(graph, { client });
    const { itemCount, sizeBytes } = table;
    const costs = [graph, changed].map((model) => modelCost(model)) as [ModelCost, ModelCost];
    const queries = compared(costs, (cost) => cost.queries.map(({ query, rcu }) => [query, rcu]));
    const [before, after] = (['before', 'after'] as const).map((at) => {
      const asked = queries.filter((query) => query[at] !== null).map(({ name: query }) => query);
      return dollarsOf(at === 'before' ? graph : changed, { ...rates, asked, sizeBytes });
    });
    const plan = isPlanned
      ? await planMigration({
          graph: changed,
          store,
          itemCount,
          sizeBytes,
          ...(await tableIdentity(graph, { client })),
        })
      : undefined;
    return {
      writes: compared(costs, ({ writes }) => writes.map((one) => [nameOfWrite(one), one.total])),
      queries,
      dollars: { name: 'a month', before: before!, after: after! },
      diff: modelDiff(graph, changes),
      migration:
        plan === undefined
          ? null
          : { changes: plan.changes, warnings: plan.warnings, cost: plan.cost, estimate: plan.estimate },
    };
  }),
];

function nameOfWrite({ type, write, attribute = 'another attribute' }: ModelCost['writes'][number]): string {
  return `${type}: ${write === 'change' ? `change ${attribute}` : write}`;
}

function compared(
  [present, changed]: [ModelCost, ModelCost],
  figures: (cost: ModelCost) => [name: string, figure: number][],
): Compared[] {
  const [before, after] = [new Map(figures(present)), new Map(figures(changed))];
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((one) => ({ name: one, before: before.get(one) ?? null, after: after.get(one) ?? null }))
    .filter((one) => one.before !== one.after);
}

function dollarsOf(
  graph: CompiledModel,
  load: { putsPerSecond: number; readsPerSecond: number; asked: readonly string[]; sizeBytes: number },
): number {
  const { putsPerSecond, readsPerSecond, asked, sizeBytes } = load;
  const reads = new Map(asked.map((query) => [query, readsPerSecond]));
  const rates = { putsPerSecond, gigabytes: sizeBytes / GIGABYTE, shares: new Map<string, number>(), reads };
  const { monthly } = monthlyCost(graph, rates, stackFixtures(graph), readPrices(undefined, undefined));
  return monthly.find(({ part }) => part === 'total')!.usd;
}
