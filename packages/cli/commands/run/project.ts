import { join } from 'node:path';
import type { Command } from 'commander';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import { createWorker } from '../../../../src/projecting/worker/worker.ts';
import { createStreamsClient } from '../../../../src/store/client.ts';
import { requireFit } from '../../../../src/store/key-types.ts';
import { describeTable } from '../../../../src/store/table-description.ts';
import { fileCheckpoint } from '../../../../src/stream/checkpoint.ts';
import { printModelNotice } from '../../shared/model-notice.ts';
import { examples } from '../../shared/options.ts';
import { requireHomeRegion, requireStream } from '../../shared/position.ts';
import { startProgress } from '../../shared/progress.ts';
import { type CommandSession, inLastingSession } from '../../shared/session.ts';
import { STOP_GRACE_MS, stopOnSignal } from '../../shared/signals.ts';
import { installedTelemetry } from '../../shared/telemetry.ts';

const QUARANTINED = 1;

interface ProjectOptions {
  untilIdle?: boolean;
  checkpoint?: string;
}

export function projectCommand(command: Command): void {
  command
    .option('--until-idle', 'stop once everything that is now in the stream is projected')
    .option('--checkpoint <file>', 'file with the position in the stream (default: .edgeloom/TABLE.checkpoint.json)')
    .addHelpText(
      'after',
      examples('project', 'project --until-idle --json', 'project --checkpoint /var/lib/edgeloom/records.json'),
    )
    .action(
      inLastingSession(async (session, options: ProjectOptions) => {
        const started = performance.now();
        const result = await project(session, options);
        const seconds = (performance.now() - started) / 1000;
        const { records, touches, writes, wcu, rcu, conflicts, quarantined, managed, differs } = result;
        if (quarantined > 0) process.exitCode = QUARANTINED;
        const rebuild = result.trimmed.map(({ message }) => `\nwarning: ${message}`).join('');
        return {
          json: {
            records,
            touches,
            writes,
            wcu,
            rcu,
            conflicts,
            quarantined,
            seconds,
            trimmed: result.trimmed,
            managed,
            differs,
          },
          text:
            `${countText(records, 'record')}, ${countText(touches, 'touched item')}, ${countText(writes, 'write')}, ${figureText(wcu)} WCU, ` +
            `${figureText(rcu)} RCU, ${figureText(conflicts)} conflicts, ${figureText(quarantined)} quarantined, ${figureText(seconds)} s${rebuild}`,
        };
      }),
    );
}

async function project(session: CommandSession, { untilIdle, checkpoint }: ProjectOptions) {
  const { graph, client, store, settings, logger } = session;
  const status = await describeTable(graph, { client });
  const streamArn = requireStream(session, status);
  requireFit(status);
  await requireHomeRegion(session);
  const notice = await printModelNotice(graph, store);
  const streams = createStreamsClient(settings.client);
  const progress = startProgress('records', 0);
  const worker = createWorker(graph, {
    store,
    streams,
    streamArn,
    checkpoint: fileCheckpoint(checkpoint ?? join('.edgeloom', `${graph.table.name}.checkpoint.json`)),
    logger,
    telemetry: await installedTelemetry(),
    stopGraceMs: STOP_GRACE_MS,
    onBatch: ({ totals }) => progress.update(totals.records, totals.records),
  });
  const release = stopOnSignal(() => worker.stop());
  try {
    return { ...(await worker.run({ untilIdle })), ...notice };
  } finally {
    release();
    progress.stop();
    streams.destroy();
  }
}
