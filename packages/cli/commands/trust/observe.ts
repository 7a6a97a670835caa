import type { Command } from 'commander';
import { EdgeloomError } from '../../../../src/foundation/errors.ts';
import { countText } from '../../../../src/foundation/figure.ts';
import { printable } from '../../../../src/foundation/printable.ts';
import { createStreamsClient } from '../../../../src/store/client.ts';
import { describeTable } from '../../../../src/store/table-description.ts';
import { DynamoDBStreamSource } from '../../../../src/stream/dynamodb-source.ts';
import { type ObserveResult, observe } from '../../../../src/trust/observe/observe.ts';
import { driftLine, indexDifferenceLine } from '../../shared/difference.ts';
import { examples, share } from '../../shared/options.ts';
import { requireStream } from '../../shared/position.ts';
import { type CommandSession, inSession } from '../../shared/session.ts';
import { stopOnSignal } from '../../shared/signals.ts';

const DRIFT = 1;

interface CommandOptions {
  repair?: boolean;
  untilVerified?: boolean;
  indexShare?: number;
}

export function observeCommand(command: Command): void {
  command
    .option('--repair', 'repair the drift that is found')
    .option('--until-verified', 'stop once everything written so far is verified')
    .option(
      '--index-share <share>',
      'share of changed items to look up in the index a minute later, 0 to 1 (default: 0.001)',
      share,
    )
    .addHelpText('after', examples('observe', 'observe --repair', 'observe --until-verified --json'))
    .action(
      inSession(async (session, options: CommandOptions) => {
        const { verifiedThroughMs, heldBy, drift, records, endedBy } = await runObserver(session, options);
        if (endedBy === 'busy') {
          throw new EdgeloomError(
            'already-running',
            `Another process observes the table ${session.graph.table.name}.`,
            'End that process; after a crash, wait a minute. If it is the function of the stack, try again: the function runs for 50 seconds of each minute.',
          );
        }
        if (drift.length > 0) process.exitCode = DRIFT;
        const through = verifiedThroughMs === undefined ? null : new Date(verifiedThroughMs).toISOString();
        const verified = through === null ? 'verified through: not known' : `verified through ${through}`;
        return {
          json: { verifiedThrough: through, verifiedHeldBy: heldBy ?? null, drift, records, endedBy },
          text: `${verified}${through === null ? `: ${printable(heldBy ?? 'no record was read')}` : ''}, ${countText(records, 'record')}, ${countText(drift.length, 'difference')} left`,
        };
      }),
    );
}

async function runObserver(
  session: CommandSession,
  { repair, untilVerified, indexShare }: CommandOptions,
): Promise<ObserveResult> {
  const { graph, client, store, settings, logger } = session;
  const streamArn = requireStream(session, await describeTable(graph, { client }));
  const streams = createStreamsClient(settings.client);
  let isStopped = false;
  const release = stopOnSignal(async () => {
    isStopped = true;
  });
  try {
    return await observe({
      graph,
      store,
      source: new DynamoDBStreamSource(streams, streamArn),
      repairs: repair,
      untilVerified,
      indexShare,
      remainingMs: () => (isStopped ? 0 : Number.POSITIVE_INFINITY),
      onProgress: ({ verifiedThroughMs }, judged) => {
        const verifiedThrough = verifiedThroughMs === undefined ? null : new Date(verifiedThroughMs).toISOString();
        if (judged > 0) logger.info({ records: judged, verifiedThrough }, 'Batch judged.');
      },
      onDrift: (drift) => void process.stderr.write(`${driftLine(drift)}\n`),
      onIndexDifference: (difference) => void process.stderr.write(`${indexDifferenceLine(difference)}\n`),
      onRepair: (action) => void process.stderr.write(`${printable(action)}\n`),
    });
  } finally {
    release();
    streams.destroy();
  }
}
