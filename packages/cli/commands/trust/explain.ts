import { Command } from 'commander';
import { pagePlan } from '../../../../src/client/read/page.ts';
import { checkEdgeType, checkNodeId } from '../../../../src/client/write/checks/key.ts';
import { typePrefix } from '../../../../src/core/items/keys.ts';
import { sortKeyOfEdge } from '../../../../src/core/model/base-item.ts';
import type { CompiledModel } from '../../../../src/core/model/compiled.ts';
import type { ItemKey } from '../../../../src/core/store-port.ts';
import { EdgeloomError } from '../../../../src/foundation/errors.ts';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import { printable } from '../../../../src/foundation/printable.ts';
import { describeTable } from '../../../../src/store/table-description.ts';
import type { LagKnowledge } from '../../../../src/trust/explain/base-item.ts';
import { type Explanation, explain } from '../../../../src/trust/explain/explain.ts';
import { lagOfStream } from '../../../../src/trust/explain/position.ts';
import { explainQuery, type QueryPlan } from '../../../../src/trust/explain/query.ts';
import { examples, exitCodes } from '../../shared/options.ts';
import { type Output, textTable } from '../../shared/output.ts';
import { positionOf } from '../../shared/position.ts';
import { type LeastRead, PricedStore } from '../../shared/price.ts';
import { refuseSecondValues } from '../../shared/repeated.ts';
import { type CommandSession, inSession } from '../../shared/session.ts';
import type { Answer, Ask, Bind, ReadSession } from '../read/answer.ts';
import { countCommand } from '../read/count.ts';
import { getCommand } from '../read/get.ts';
import { listCommand } from '../read/list.ts';
import { type PageFlags, pageQuery, withPageFlags } from '../read/page.ts';
import { searchCommand } from '../read/search.ts';
import { totalCommand } from '../read/total.ts';

export function explainCommand(command: Command): void {
  command
    .argument('[words...]', 'ID of a node, SOURCE TYPE TARGET of an edge, or both keys of an item as check prints them')
    .option('--query <query>', "explain a read, such as 'list inbound USER-U1 GOALMEMBERSHIP'")
    .option('--dry-run', 'show only the plan of a page, without reading the table')
    .addHelpText(
      'after',
      examples(
        'explain USER-U1',
        'explain GOAL-G1 GOALMEMBERSHIP USER-U1',
        "explain GOAL-G1 '~view'",
        "explain --query 'search USER.name --prefix Te'",
        "explain --dry-run --query 'list page TEAM-T1 TEAMGOAL --with KEYRESULT/inbound:TASK_OF'",
        "explain GOAL-G1 GOALMEMBERSHIP USER-U1 --query 'list inbound USER-U1 GOALMEMBERSHIP'",
      ) + EXITS,
    )
    .action(
      inSession(async (session, words: string[], { query, dryRun }: ExplainFlags): Promise<Output<ExplainDocument>> => {
        if (dryRun === true && words.length > 0)
          throw new EdgeloomError(
            'usage',
            `--dry-run explains no item, but ${words.join(' ')} was given.`,
            'Leave one of them out.',
          );
        if (dryRun === true) return await planWithoutRunning(session.graph, query);
        const key = keyOfWords(session.graph, words);
        const item = key && (await explainItem(session, key));
        if (query !== undefined) return withItem(await explainGivenQuery(session, query, key?.source), item);
        if (item !== undefined) return item;
        throw new EdgeloomError('usage', 'There is nothing to explain.', NAME_AN_ITEM);
      }),
    );
}

const EXITS = exitCodes({ 0: 'it is explained, whatever is found', 2: 'wrong use, or a failure' });

const NAME_AN_ITEM =
  "Name a node by its id, an edge by SOURCE TYPE TARGET, any item by both of its keys as check shows them, or give --query 'list inbound ID TYPE'.";

/** Accepts edges that the model forbids, so that they can be explained. */
function keyOfWords(graph: CompiledModel, words: readonly string[]): ItemKey | undefined {
  const [source, second, target, ...more] = words;
  if (source === undefined) return undefined;
  if (target === undefined) {
    if (second === undefined) return { source, target: source };
    // `GOAL-G1 USER-U1` and `GOAL-G1 GOALMEMBERSHIP` are edges with a word missing.
    const isHalf = graph.edges.has(second) || (second !== source && graph.nodes.has(typePrefix(second) ?? ''));
    if (!isHalf) return { source, target: second };
  } else if (second !== undefined && more.length === 0) {
    checkNodeId(graph, source, 'The source of an edge');
    checkEdgeType(graph, second, `The second word of ${words.join(' ')}`);
    checkNodeId(graph, target, 'The target of an edge');
    return { source, target: sortKeyOfEdge(graph.edges.get(second)!, target) };
  }
  throw new EdgeloomError('usage', `${words.join(' ')} names no item.`, NAME_AN_ITEM);
}

type ExplainDocument = Pick<QueryPlan, 'why'> | Asked | (Explanation & { query?: Asked });

type Asked = QueryPlan & { found?: boolean | undefined };

interface ExplainFlags {
  query?: string;
  dryRun?: boolean;
}

async function explainItem(session: CommandSession, key: ItemKey) {
  const { graph, store } = session;
  const explanation = await explain(graph, { key, store, lag: () => lagNow(session) });
  const { item, parts, notes } = explanation;
  const text = [
    `${printable(item.source)} ${printable(item.target)}: ${item.exists ? item.kind : 'absent'}`,
    ...notes.map(printable),
    ...(parts.length === 0
      ? []
      : [
          textTable(
            ['state', 'model', 'where', 'reason'],
            parts.map((part) => [part.state, part.name, `${part.source} ${part.target}`, part.reason]),
          ),
        ]),
  ];
  return { json: explanation, text: text.join('\n') };
}

async function lagNow(session: CommandSession): Promise<LagKnowledge> {
  const { streamArn } = await describeTable(session.graph, { client: session.client });
  const position = streamArn === undefined ? undefined : positionOf(session, streamArn);
  try {
    return await lagOfStream(position);
  } finally {
    position?.release();
  }
}

async function explainGivenQuery({ graph, store }: CommandSession, query: string, source: string | undefined) {
  const priced = new PricedStore(store);
  const announce = (least: LeastRead): void => priced.announce(least);
  const explained = await explainQuery(priced, (noted) => runQuery({ graph, store: noted, announce }, query));
  const { found, why, absent } = explained.result;
  const plan: QueryPlan = { ...explained.plan, ...(why && { why }) };
  const isIn = source === undefined ? undefined : found?.includes(source);
  const json: Asked = isIn === undefined ? plan : { ...plan, found: isIn };
  return { json, text: [planText(plan, isIn, source), ...(absent ?? []).map(printable)].join('\n') };
}

function planText(
  { partitions, calls, rcu, steps, why = [] }: QueryPlan,
  isIn: boolean | undefined,
  source = '',
): string {
  const shownPartitions = partitions.slice(0, 10).map(printable).join(', ');
  const more = partitions.length > 10 ? ` and ${partitions.length - 10} more` : '';
  return [
    ...(partitions.length === 0 ? [] : [`${countText(partitions.length, 'partition')}: ${shownPartitions}${more}`]),
    ...steps.map((step, i) => `${i + 1}. ${printable(step)}`),
    `${countText(calls, 'call')}, ${figureText(rcu)} RCU`,
    ...why.map((reason) => `- ${printable(reason)}`),
    ...(isIn === undefined ? [] : [`${printable(source)} is ${isIn ? '' : 'not '}in the answer.`]),
  ].join('\n');
}

async function planWithoutRunning(graph: CompiledModel, query = '') {
  const [group, kind, ...rest] = splitIntoWords(query);
  if (group !== 'list' || kind !== 'page') {
    throw new EdgeloomError('usage', 'Only a page has a plan before it runs.', "Give --query 'list page ID TYPE …'.");
  }
  let why: string[] = [];
  const page = withPageFlags(queryProgram()).action((_id: string, type: string, options: PageFlags) => {
    why = pagePlan(graph, type, pageQuery(options)).why;
  });
  refuseSecondValues(page);
  await page.parseAsync(rest, { from: 'user' });
  return { json: { why }, text: why.map((reason) => `- ${printable(reason)}`).join('\n') };
}

function withItem<Plan, Item extends object>(plan: Output<Plan>, item: Output<Item> | undefined) {
  if (item === undefined) return plan;
  return {
    json: { ...item.json, query: plan.json },
    text: `${plan.text}\n\n${item.text}`,
  };
}

async function runQuery(session: ReadSession, query: string): Promise<Answer> {
  const answers: Answer[] = [];
  const bind: Bind =
    <Args extends unknown[]>(ask: Ask<Args>) =>
    async (...args: [...Args, Command]) => {
      answers.push(await ask(session, ...(args.slice(0, -1) as Args)));
    };
  const program = queryProgram();
  const reads = { get: getCommand, list: listCommand, count: countCommand, total: totalCommand, search: searchCommand };
  for (const [name, add] of Object.entries(reads)) add(program.command(name), bind);
  refuseSecondValues(program);
  await program.parseAsync(splitIntoWords(query), { from: 'user' });
  const [answer] = answers;
  if (answer === undefined)
    throw new EdgeloomError('usage', 'The query is empty.', "Give --query 'list inbound USER-U1 TYPE'.");
  return answer;
}

function queryProgram(): Command {
  return new Command('--query').configureOutput({ writeErr: () => undefined }).exitOverride((error) => {
    if (error.exitCode === 0) throw error;
    const message = error.message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ');
    const hint = "Give a read as on the command line: --query 'list inbound USER-U1 TYPE'.";
    throw new EdgeloomError('usage', `The query cannot be read: ${message}`, hint);
  });
}

function splitIntoWords(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );
}
