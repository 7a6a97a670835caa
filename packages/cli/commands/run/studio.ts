import type { Command } from 'commander';
import { createStreamsClient } from '../../../../src/store/client.ts';
import { type StudioOptions, startStudio } from '../../../studio/server/studio.ts';
import { printModelNotice } from '../../shared/model-notice.ts';
import { examples, portNumber } from '../../shared/options.ts';
import { print } from '../../shared/output.ts';
import { withSession } from '../../shared/session.ts';
import { stopOnSignal } from '../../shared/signals.ts';

export function studioCommand(command: Command): void {
  command
    .option('--port <port>', 'TCP port on 127.0.0.1 (default: a free one)', portNumber)
    .option('--write', 'allow redrive, repair and edits (default: read-only)')
    .addHelpText(
      'after',
      examples(
        'studio --endpoint http://127.0.0.1:8000',
        'studio --table records --region eu-central-1',
        'studio --port 4000 --write',
      ),
    )
    .action(
      withSession(async (session, { port, write }: { port?: number; write?: boolean }) => {
        const { graph, store, client, logger, settings } = session;
        const streams = createStreamsClient(settings.client);
        try {
          await printModelNotice(graph, store);
          const options = { graph, store, client, streams, port, isWritable: write, logger };
          await serveStudio(options, (url) => print({ json: { url }, text: studioLines(url) }, settings.json));
        } finally {
          streams.destroy();
        }
      }),
    );
}

export async function serveStudio(options: StudioOptions, onReady: (url: string) => void): Promise<void> {
  const studio = await startStudio(options);
  const closed = new Promise<void>((resolve, reject) => {
    stopOnSignal(() => studio.close().then(resolve, reject));
  });
  onReady(studio.url);
  await closed;
}

export function studioLines(url: string): string {
  return `studio: ${url}\nCtrl-C stops`;
}
