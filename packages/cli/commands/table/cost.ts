import { type Command, InvalidArgumentError } from 'commander';
import type { CompiledModel } from '../../../../src/core/model/compiled.ts';
import { EdgeloomError } from '../../../../src/foundation/errors.ts';
import { countText } from '../../../../src/foundation/figure.ts';
import { type ModelCost, modelCost } from '../../../cost/capacity.ts';
import { type Load, type MonthlyCost, monthlyCost } from '../../../cost/monthly.ts';
import { readPrices } from '../../../cost/prices.ts';
import { modelShards, type ShardAdvice } from '../../../cost/shards.ts';
import { inModel } from '../../shared/model.ts';
import { examples, parseNumber, wholeNumber } from '../../shared/options.ts';
import { textTable } from '../../shared/output.ts';
import { addNamed, repeated } from '../../shared/repeated.ts';

interface CommandOptions {
  rate?: number;
  gb?: number;
  type?: Map<string, number>;
  prices?: string;
  read?: Map<string, number>;
  viewKb?: number;
  streamShards?: number;
  values?: Map<string, number>;
}

export function costCommand(command: Command): void {
  command
    .option('--rate <n/s>', 'base items written a second (/s), minute (/min), hour (/h) or day (/d)', parseRate)
    .option('--gb <n>', 'size of the table with its indexes, in GB (default: 0)', parseAmount)
    .option(
      '--type <name=share>',
      'how often a type is written, relative to the others that you name; repeatable',
      collectShare,
    )
    .option(
      '--read <query=n/s>',
      'a query, by the name that this command prints or its beginning, and its rate; repeatable',
      collectRead,
    )
    .option('--view-kb <n>', 'size of a view in KB, for which each of its writes is billed (default: 1)', parsePositive)
    .option('--stream-shards <n>', 'shards of the stream (default: estimated from size and writes)', wholeNumber)
    .option(
      '--values <search=n>',
      'number of values of an attribute, for a search with multiValue (default: 1); repeatable',
      collectValues,
    )
    .option('--prices <file>', 'file with prices to use instead of the one in the package')
    .addHelpText(
      'after',
      examples(
        'cost',
        'cost --rate 1000/s --gb 50',
        "cost --rate 100/s --read get=500/s --read 'search USER.name prefix=20/s' --view-kb 8",
        'cost --rate 2000000/d --gb 50 --type USER=1 --type GOAL=4 --type GOALMEMBERSHIP=20 --json',
      ),
    );
  command.action(
    inModel(async ({ graph }, options: CommandOptions) => {
      const { rate, type = new Map(), values } = options;
      checkValues(graph, values);
      const units = modelCost(graph, values);
      const shards = modelShards(graph, rate === undefined ? undefined : { putsPerSecond: rate, shares: type });
      // Use `--region` only: AWS_REGION doesn't choose prices.
      const money = await costOfLoad(graph, options, command.optsWithGlobals<{ region?: string }>().region);
      return {
        json: { ...units, shards, ...money },
        text: [unitsText(units), ...shardsText(shards), ...(money === undefined ? [] : ['', moneyText(money)])].join(
          '\n',
        ),
      };
    }),
  );
}

async function costOfLoad(
  graph: CompiledModel,
  { rate, gb = 0, type, prices, read: reads, viewKb, streamShards, values }: CommandOptions,
  region: string | undefined,
) {
  if (rate === undefined) {
    const given = [type, prices, reads, viewKb, streamShards].some((option) => option !== undefined);
    if (gb === 0 && !given) return undefined;
    throw new EdgeloomError(
      'usage',
      'A cost in dollars needs the rate of writes.',
      'Add --rate, such as --rate 1000/s.',
    );
  }
  const load: Load = {
    ...{ putsPerSecond: rate, gigabytes: gb, shares: type ?? new Map() },
    ...(reads && { reads }),
    ...(values && { values }),
    ...(viewKb !== undefined && { viewKilobytes: viewKb }),
    ...(streamShards !== undefined && { streamShards }),
  };
  // Imported here, because a cost in units doesn't need it.
  const { stackFixtures } = await import('../../../../src/deployment/stack/stack.ts');
  const fixtures = { ...stackFixtures(graph), withObserver: stackFixtures(graph, { observe: true }) };
  return monthlyCost(graph, load, fixtures, readPrices(prices, region));
}

function unitsText({
  writes,
  queries,
  overheads,
  edgeSets,
  partition,
  warnings,
  advice,
  assumptions,
}: ModelCost): string {
  const rows = writes.map((one) => {
    const { type, base, view, indexItems, reverseItem, totalEntry, total, read, byHand } = one;
    return [type, writeText(one), base, view, indexItems, reverseItem, totalEntry, total, read, byHand];
  });
  return [
    textTable(['type', 'write', 'base', 'view', 'index items', 'reverse', 'total', 'WCU', 'RCU', 'by hand'], rows),
    '',
    ...writes.flatMap((one) =>
      Object.entries(one.perEdge ?? {}).map(
        ([edgeType, { wcu, rcu, byHand }]) =>
          `${one.type}, ${writeText(one)}: up to ${wcu} WCU and ${rcu} RCU more for each ${edgeType}; by hand ${byHand} WCU`,
      ),
    ),
    '',
    textTable(
      ['query', 'calls', 'RCU'],
      queries.map(({ query, calls, rcu }) => [query, calls, rcu]),
    ),
    '',
    textTable(
      ['besides', 'each', 'WCU', 'RCU'],
      overheads.map(({ part, each, wcu, rcu }) => [part, each, wcu, rcu]),
    ),
    '',
    ...edgeSetsText(edgeSets),
    ...warnings.map((warning) => `warning: ${warning}`),
    ...advice,
    ...(writes.some(({ base }) => base > 1) ? ['base has the entries of the item in native indexes, too'] : []),
    'in a transaction a base item costs 2 WCU instead of 1, and its derived items and entries of indexes cost the same',
    `one partition takes ${partition.wcu} WCU and ${partition.rcu} RCU a second and holds ${partition.gigabytes} GB; an index partition is a key of one, and each of its shards another`,
    `assumed: ${assumptions}`,
  ].join('\n');
}

function edgeSetsText(edgeSets: ModelCost['edgeSets']): string[] {
  if (edgeSets.length === 0) return [];
  const rows = edgeSets.map(({ type, edges, bytes, wcu, isEvicted, rcu, queryRcu, paysFrom }) => [
    ...[type, edges, isEvicted ? `${bytes}, queried` : bytes, wcu, rcu, queryRcu],
    paysFrom === undefined ? 'never' : `${paysFrom} reads a write`,
    '#'.repeat(wcu),
  ]);
  const columns = ['edge set of', 'edges', 'bytes', 'next edge: WCU', 'read: RCU', 'by Query', 'set pays from', ''];
  return [textTable(columns, rows), ''];
}

function writeText({ write, attribute = 'another attribute' }: ModelCost['writes'][number]): string {
  return write === 'change' ? `change ${attribute}` : write;
}

function checkValues(graph: CompiledModel, values: ReadonlyMap<string, number> = new Map()): void {
  const searches = [...graph.nodes.values()].flatMap((node) => [...node.searches.values()]);
  const known = searches.filter(({ multiValue }) => multiValue).map(({ indexPartition }) => indexPartition);
  for (const name of values.keys()) {
    if (known.includes(name)) continue;
    throw new EdgeloomError(
      'unknown-name',
      `The model has no search ${name} with multiValue.`,
      known.length === 0 ? 'Leave --values out: no search of the model has multiValue.' : `Known: ${known.join(', ')}.`,
    );
  }
}

function shardsText(advice: readonly ShardAdvice[]): string[] {
  if (advice.length === 0) return [];
  const rows = advice.map(({ search, shards, needed, putsPerSecond, rangeCalls, rangeRcu }) => [
    ...[search, shards, needed ?? '', putsPerSecond, rangeCalls, rangeRcu],
  ]);
  return [
    '',
    textTable(['search', 'shards', 'needed', 'changes a second', 'range: calls', 'range: RCU'], rows),
    ...advice.flatMap(({ warning }) => (warning === undefined ? [] : [`warning: ${warning}`])),
  ];
}

function moneyText(money: MonthlyCost): string {
  const { monthly, monthlyProvisioned, alternatives, streamShards, observer } = money;
  const { priceDate, otherPriceDates, priceRegion, monthlyAssumptions } = money;
  const otherDates = Object.entries(otherPriceDates).map(([what, date]) => `, of ${what} on ${date}`);
  const parts = [...new Set([...monthly, ...alternatives.openSearch].map(({ part }) => part))].sort((a, b) =>
    a === 'total' ? 1 : b === 'total' ? -1 : 0,
  );
  const columns = [monthly, monthlyProvisioned, alternatives.documentClient, alternatives.openSearch];
  const rows = parts.map((part) => [
    part,
    ...columns.map((column) => {
      const found = column.find((one) => one.part === part);
      return found === undefined ? '' : dollars(found.usd);
    }),
  ]);
  return [
    textTable(['a month', 'on demand', 'provisioned', 'by hand', 'zero-ETL'], rows),
    '',
    `${countText(streamShards, 'shard')} of the stream, each with a batch a second`,
    'by hand: a Lambda function with the DocumentClient, which reads before it writes; without check, redrive, alarms and model changes',
    'zero-ETL: to OpenSearch Serverless at its smallest size with two zones, whatever the load: a lower bound',
    `observe: true costs ${dollars(observer.usd).trim()} more, and ${Math.round(observer.millionStreamReads * 10) / 10} million reads of the stream, which these prices lack; a check once a month costs ${dollars(observer.monthlyCheckUsd).trim()} instead of ${dollars(observer.checkUsd).trim()}`,
    `feedEventBus tells at most ${Math.round(observer.millionFeedEvents * 10) / 10} million events, for ${dollars(observer.feedUsd).trim()} without their targets`,
    `US dollars, prices of ${priceRegion} on ${priceDate}${otherDates.join('')}; assumed: ${monthlyAssumptions}`,
  ].join('\n');
}

function dollars(usd: number): string {
  const text = usd.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  return `${text}`.padStart(12);
}

const RATE_SECONDS: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600, d: 86_400 };

export function parseRate(text: string): number {
  const [, count, unit] = /^(\d+(?:\.\d+)?)\/(s|min|h|d)$/.exec(text) ?? [];
  if (count === undefined)
    throw new InvalidArgumentError('It should be a number a second, minute, hour or day: 1000/s.');
  return Number(count) / RATE_SECONDS[unit!]!;
}

function parseAmount(text: string): number {
  return parseNumber(text, 'a number of at least 0');
}

function parsePositive(text: string): number {
  parseAmount(text);
  return parseNumber(text, 'a number above 0', (number) => number > 0);
}

const collectRead = repeated<Map<string, number>>((text, before) => {
  const [, query, rate] = /^([^=]+)=([^=]+)$/.exec(text) ?? [];
  if (query === undefined) throw new InvalidArgumentError('It should be a query and its rate: get=500/s.');
  return addNamed(query, parseRate(rate!), before);
});

const collectValues = repeated<Map<string, number>>((text, before) => {
  const [, search, count] = /^([^=]+)=([1-9]\d*)$/.exec(text) ?? [];
  if (search === undefined) throw new InvalidArgumentError('It should be a search and a number: USER.tags=5.');
  return addNamed(search, Number(count), before);
});

const collectShare = repeated<Map<string, number>>((text, before) => {
  const [, type, weight] = /^([A-Z][A-Z0-9_]*(?:\.[A-Z][A-Z0-9_]*)?)=(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (type === undefined || Number(weight) === 0) {
    throw new InvalidArgumentError('It should be a type, or a part, and a share above 0: GOAL=4, USER.STATE=20.');
  }
  return addNamed(type, Number(weight), before);
});
