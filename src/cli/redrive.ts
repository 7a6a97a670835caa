import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { EdgeloomError } from '../errors.ts';
import { parseFailedBatch, readFailedBatch } from '../repair/failed-batch.ts';
import { type RedriveResult, redrive, redriveRecords } from '../repair/redrive.ts';
import { createStreamsClient } from '../store/client.ts';
import { examples } from './options.ts';
import { figure } from './output.ts';
import { startProgress } from './progress.ts';
import { inSession, type Session } from './session.ts';

/** Entries whose cause is still there. */
const LEFT = 1;

/** `edgeloom redrive`: quarantined records, settled by their base items. */
export function redriveCommand(program: Command): void {
  program
    .command('redrive')
    .description('settle what is in quarantine by the base items as they are now, and clear it')
    .option('--from-failure <file>', "settle the batch of an event source mapping's on-failure message instead")
    .addHelpText('after', examples('redrive', 'redrive --json', 'redrive --from-failure message.json'))
    .action(
      inSession(async (session, { fromFailure }: { fromFailure?: string }) => {
        const progress = startProgress('entries', 0);
        const onProgress = (entries: number): void => progress.update(entries, entries);
        const result = await run(session, fromFailure, onProgress).finally(() => progress.stop());
        const { entries, repaired, left, writes, wcu, rcu, reasons } = result;
        if (left > 0) process.exitCode = LEFT;
        const lines = [`${figure(entries)} entries, ${figure(repaired)} repaired, ${figure(left)} left`, ...reasons];
        return { json: { entries, repaired, left, writes, wcu, rcu, reasons }, text: lines.join('\n') };
      }),
    );
}

async function run(
  { graph, store, settings }: Session,
  file: string | undefined,
  onProgress: (entries: number) => void,
): Promise<RedriveResult> {
  if (file === undefined) return redrive({ graph, store, onProgress });
  const batch = parseFailedBatch(await readMessage(file));
  const streams = createStreamsClient(settings.client);
  try {
    return await redriveRecords(await readFailedBatch(graph, streams, batch), { graph, store, onProgress });
  } finally {
    streams.destroy();
  }
}

async function readMessage(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new EdgeloomError('no-file', `The file ${file} cannot be read.`, 'Name the file of an on-failure message.', {
      cause: error,
    });
  }
}
