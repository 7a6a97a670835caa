import type { Command } from 'commander';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import { printable } from '../../../../src/foundation/printable.ts';
import { describeTable, hasTtl } from '../../../../src/store/table-description.ts';
import { indexSampleText } from '../../../../src/trust/explain/index-sample.ts';
import type { ErasureStatus, Status } from '../../../../src/trust/explain/status.ts';
import { tableStatus } from '../../../../src/trust/explain/table-status.ts';
import { verifiedText } from '../../../../src/trust/explain/verified-text.ts';
import { examples } from '../../shared/options.ts';
import { type Colour, painted, textTable } from '../../shared/output.ts';
import { type OpenPosition, positionOf } from '../../shared/position.ts';
import { PricedStore } from '../../shared/price.ts';
import { type CommandSession, inSession } from '../../shared/session.ts';
import { stopOnSignal } from '../../shared/signals.ts';

/** Something needs a person. */
const PROBLEMS = 1;
const WATCH_MS = 2_000;
const FINE = 'no problems found';

export function statusCommand(command: Command): void {
  command
    .option('--watch', 'repeat every two seconds, until Ctrl-C')
    .addHelpText('after', examples('status', 'status --watch', 'status --json'))
    .action(
      inSession(async (session, { watch = false }: { watch?: boolean }) => {
        const looks = new StatusLooks(session);
        try {
          const result = watch ? await watchStatus(session, looks) : await looks.look();
          if (result.problems.length > 0) process.exitCode = PROBLEMS;
          return outputOf(session, result);
        } finally {
          looks.release();
        }
      }),
    );
}

/** Each look reads only what is new in the stream. */
class StatusLooks {
  private streamArn: string | undefined;
  private position: OpenPosition | undefined;
  /** Priced, since the quarantine is counted by reading it. */
  private readonly store: PricedStore;

  constructor(private readonly session: CommandSession) {
    this.store = new PricedStore(session.store);
  }

  async look(): Promise<Status> {
    const { graph, client } = this.session;
    const { store } = this;
    const table = await describeTable(graph, { client });
    const ttl = await hasTtl(client, graph);
    const position = this.positionIn(table.streamArn);
    return await tableStatus({ graph, store, table, hasTtl: ttl, position: position && { look: position.latest } });
  }

  release(): void {
    this.position?.release();
  }

  private positionIn(streamArn: string | undefined): OpenPosition | undefined {
    if (streamArn !== this.streamArn) {
      this.release();
      this.streamArn = streamArn;
      this.position = streamArn === undefined ? undefined : positionOf(this.session, streamArn);
    }
    return this.position;
  }
}

/** Redraws until Ctrl-C; returns the last status. */
async function watchStatus(session: CommandSession, looks: StatusLooks): Promise<Status> {
  let isOver = false;
  let wake = (): void => undefined;
  const release = stopOnSignal(async () => {
    isOver = true;
    wake();
  });
  try {
    for (;;) {
      const result = await looks.look();
      if (isOver) return result;
      const { text, json } = outputOf(session, result);
      if (session.settings.json) process.stdout.write(`${JSON.stringify(json)}\n`);
      else
        process.stdout.write(
          `${process.stdout.isTTY ? '\u001b[H\u001b[2J' : ''}${new Date().toISOString()}\n${coloured(text)}\n`,
        );
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, WATCH_MS);
      });
      if (isOver) return result;
    }
  } finally {
    release();
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
  const { unregistered = 0 } = lastCheck ?? {};
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
    lastCheck === null
      ? 'last check: none is known'
      : `last check: ${lastCheck.verdict}, ${lastCheck.ended}, ${countText(lastCheck.drift, 'difference')}, ${lastCheck.pending} pending${unregistered > 0 ? `, ${unregistered} unregistered` : ''}`,
    verifiedLines(result),
    ...erasures.map(erasureText),
    problems.length === 0 ? FINE : problems.map((problem) => `! ${printable(problem)}`).join('\n'),
    ...(advice.length === 0 ? [] : [advice.map((sentence) => `cost: ${sentence}`).join('\n')]),
    `${figureText(rcu)} RCU, ${countText(streamReads, 'read')} of the stream`,
  ];
  return { json: { ...result, managed: projections.length > 0 }, text: sections.join('\n\n'), colourOf };
}

function colourOf(line: string): Colour | undefined {
  if (line === FINE) return 'green';
  return line.startsWith('! ') ? 'red' : undefined;
}

function coloured(text: string): string {
  return text
    .split('\n')
    .map((line) => painted(line, colourOf(line)))
    .join('\n');
}

function erasureText({ state, since, next }: ErasureStatus): string {
  if (next === null) return `erasure of ${since}: its first run has not ended`;
  return `erasure of ${since}: its second run ${state === 'due' ? `is due since ${next}` : `can be made from ${next} on`}`;
}

/** Differences in the text; `--json` has all. */
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
