import type { Command } from 'commander';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import { printable } from '../../../../src/foundation/printable.ts';
import { describeTable, hasTtl } from '../../../../src/store/table-description.ts';
import { indexSampleText } from '../../../../src/trust/explain/index-sample.ts';
import type { ErasureStatus, Status } from '../../../../src/trust/explain/status.ts';
import { tableStatus } from '../../../../src/trust/explain/table-status.ts';
import { verifiedText } from '../../../../src/trust/explain/verified-text.ts';
import { examples } from '../../shared/options.ts';
import { type Color, textTable } from '../../shared/output.ts';
import { positionOf } from '../../shared/position.ts';
import { PricedStore } from '../../shared/price.ts';
import { type CommandSession, inSession } from '../../shared/session.ts';

const PROBLEMS = 1;
const FINE = 'no problems found';

export function statusCommand(command: Command): void {
  command.addHelpText('after', examples('status', 'status --json')).action(
    inSession(async (session) => {
      const result = await statusOf(session);
      if (result.problems.length > 0) process.exitCode = PROBLEMS;
      return outputOf(session, result);
    }),
  );
}

async function statusOf(session: CommandSession): Promise<Status> {
  const { graph, client } = session;
  // Counting the quarantine reads all of it: report the price if it is high.
  const store = new PricedStore(session.store);
  const table = await describeTable(graph, { client });
  const ttl = await hasTtl(client, graph);
  const position = table.streamArn === undefined ? undefined : positionOf(session, table.streamArn);
  try {
    return await tableStatus({ graph, store, table, hasTtl: ttl, position: position && { look: position.latest } });
  } finally {
    position?.release();
  }
}

function outputOf({ graph }: CommandSession, result: Status) {
  const {
    shards,
    consumers,
    quarantined,
    projections,
    lastCheck,
    erasures,
    problems,
    advice,
    rcu,
    streamReads,
    sources,
  } = result;
  const sections = [
    `table ${graph.table.name}, model ${graph.fingerprint}`,
    shards.length === 0
      ? 'stream: none'
      : textTable(
          ['shard', 'state', 'behind (s)'],
          shards.map(({ id, state, behindSeconds }) => [
            id,
            state,
            behindSeconds === null ? '' : Math.round(behindSeconds),
          ]),
        ),
    consumers.length === 0
      ? 'consumers: none was seen'
      : textTable(
          ['consumer', 'kind', 'model', 'seen', 'records/s', 'writes'],
          consumers.map((one) => [
            ...[one.id, one.kind, one.model, one.isStopped ? `${one.seen} (stopped)` : one.seen, one.recordsPerSecond],
            one.writes ?? '',
          ]),
        ),
    ...(sources.length === 0
      ? []
      : [
          textTable(
            ['source', 'version', 'touched', 'lag then (s)', 'refused'],
            sources.map(({ source, version, seen, lagSeconds, refused }) => [
              ...[
                source,
                version ?? 'none',
                seen ?? 'never',
                lagSeconds === null ? '' : Math.round(lagSeconds),
                refused,
              ],
            ]),
          ),
        ]),
    projections.length === 0
      ? 'not managed: run edgeloom migrate'
      : textTable(
          ['projection', 'generation', 'state'],
          projections.map(({ name, generation, state }) => [name, generation, state]),
        ),
    `quarantine: ${
      Object.entries(quarantined)
        .map(([reason, count]) => `${count} ${reason}`)
        .join(', ') || 'empty'
    }`,
    lastCheck === null ? 'last check: none is known' : lastCheckText(lastCheck),
    verifiedLines(result),
    ...erasures.map(erasureText),
    problems.length === 0 ? FINE : problems.map((problem) => `! ${printable(problem)}`).join('\n'),
    ...(advice.length === 0 ? [] : [advice.map((sentence) => `cost: ${sentence}`).join('\n')]),
    `${figureText(rcu)} RCU, ${countText(streamReads, 'read')} of the stream`,
  ];
  return { json: { ...result, managed: projections.length > 0 }, text: sections.join('\n\n'), colorOf };
}

function colorOf(line: string): Color | undefined {
  if (line === FINE) return 'green';
  return line.startsWith('! ') ? 'red' : undefined;
}

function lastCheckText({
  verdict,
  ended,
  drift,
  pending,
  quarantined: stuck,
  unregistered = 0,
}: NonNullable<Status['lastCheck']>): string {
  return [
    `last check: ${verdict}`,
    ended,
    countText(drift, 'difference'),
    `${pending} pending`,
    ...(stuck > 0 ? [`${stuck} quarantined`] : []),
    ...(unregistered > 0 ? [`${unregistered} unregistered`] : []),
  ].join(', ');
}

function erasureText({ state, since, next }: ErasureStatus): string {
  if (next === null) return `erasure of ${since}: its first run has not ended`;
  return `erasure of ${since}: its second run ${state === 'due' ? `is due since ${next}` : `can be made from ${next} on`}`;
}

const MOST_EXCEPTIONS = 5;

function verifiedLines(result: Status): string {
  const { exceptions, indexSample, notVerified, verifiedThrough } = result;
  const rest = exceptions.length - MOST_EXCEPTIONS;
  return [
    verifiedText(result, Date.now()),
    ...exceptions.slice(0, MOST_EXCEPTIONS).map(({ item }) => `  drift: ${item}`),
    ...(rest > 0 ? [`  and ${figureText(rest)} more (--json)`] : []),
    ...(verifiedThrough === null ? [] : [`  not verified: ${notVerified.join(', ')}`]),
    ...(indexSample === null ? [] : [indexSampleText(indexSample)]),
  ]
    .map(printable)
    .join('\n');
}
