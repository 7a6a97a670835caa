import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { EdgeloomError } from '../../../../src/foundation/errors.ts';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import { printable } from '../../../../src/foundation/printable.ts';
import { deleteEnded } from '../../../../src/projecting/ended/delete-ended.ts';
import { SQS } from '../../../../src/store/client/json-service.ts';
import { createStreamsClient } from '../../../../src/store/client.ts';
import { bucketAccess, redriveMessage, redriveQueue } from '../../../../src/trust/failures/failure-queue.ts';
import { addRedrive, type RedriveResult, redrive } from '../../../../src/trust/repair/redrive.ts';
import { absentPartitions, absentTexts } from '../../shared/absent-partitions.ts';
import { awsService } from '../../shared/aws-service.ts';
import { examples, refuseWithout } from '../../shared/options.ts';
import { startProgress } from '../../shared/progress.ts';
import { type CommandSession, inSession } from '../../shared/session.ts';
import { endingOnSignal } from '../../shared/signals.ts';
import { sayAbsent } from '../read/answer.ts';
import { sweepStream } from './sweep-stream.ts';

const LEFT = 1;

const AGAIN = 'Run it again: it reconciles what is left.';

interface RedriveCommandOptions {
  fromFailure?: string;
  bucket?: string[];
  anyHost?: boolean;
}

export function redriveCommand(command: Command): void {
  command
    .argument(
      '[ids...]',
      'nodes whose entries to reconcile, even if no index has them (default: all entries in the index)',
    )
    .option(
      '--from-failure <file|queue-url>',
      'reconcile failed batches instead, from a message in a file or from a queue',
    )
    .option('--bucket <name...>', "buckets that the messages of a queue may name, such as the stack's")
    .option('--any-host', 'accept a queue on any HTTPS host, not only on SQS')
    .addHelpText(
      'after',
      examples(
        'redrive',
        'redrive --json',
        'redrive USER-U1',
        'redrive --from-failure message.json',
        'redrive --from-failure https://sqs.eu-central-1.amazonaws.com/123456789012/failed-batches',
      ),
    )
    .action(
      inSession(async (session, ids: string[], options: RedriveCommandOptions) => {
        if (options.fromFailure === undefined) refuseWithout('--from-failure', { ...options }, ['bucket', 'anyHost']);
        else if (!isQueueUrl(options.fromFailure))
          refuseWithout('--from-failure QUEUE-URL', { ...options }, ['anyHost']);
        const absent = options.fromFailure === undefined ? await absentPartitions(session, ids) : [];
        const progress = startProgress('entries', 0);
        const onProgress = (entries: number): void => progress.update(entries, entries);
        const result = await endingOnSignal(AGAIN, () => runRedrive(session, ids, options, onProgress)).finally(() =>
          progress.stop(),
        );
        const { entries, repaired, left, quarantined, writes, wcu, rcu, reasons, swept, ended } = result;
        sayAbsent(absentTexts(absent));
        if (left > 0 || quarantined > 0) process.exitCode = LEFT;
        const into = quarantined > 0 ? `, ${figureText(quarantined)} of them quarantined` : '';
        const lines = [
          `${countText(entries, 'entry', 'entries')}, ${figureText(repaired)} repaired${into}, ${figureText(left)} left`,
          ...(swept > 0
            ? [`${countText(swept, 'record')} of the stream that no consumer has claimed: reconciled`]
            : []),
          ...(ended > 0 ? [`${countText(ended, 'edge')} that ${ended === 1 ? 'is' : 'are'} over: deleted`] : []),
          ...reasons.map(printable),
        ];
        return {
          json: {
            ...{ entries, repaired, left, quarantined, writes, wcu, rcu, reasons, swept, ended },
            ...(absent.length > 0 && { absent }),
          },
          text: lines.join('\n'),
        };
      }),
    );
}

async function runRedrive(
  session: CommandSession,
  ids: readonly string[],
  { fromFailure: source, bucket, anyHost }: RedriveCommandOptions,
  onProgress: (entries: number) => void,
): Promise<RedriveResult & { swept: number; ended: number }> {
  const { graph, store, settings } = session;
  const none = { swept: 0, ended: 0 };
  if (ids.length > 0) {
    if (source === undefined) return { ...(await redrive(graph, { store, ids, onProgress })), ...none };
    throw new EdgeloomError(
      'invalid-argument',
      '--from-failure reconciles batches, and takes no ids of nodes.',
      'Leave one of them out.',
    );
  }
  if (source === undefined) {
    const { result, swept } = await sweepStream(session);
    addRedrive(result, await redrive(graph, { store, onProgress }));
    const ended = await deleteEnded(graph, { store });
    const { rcu, wcu } = { rcu: result.rcu + ended.rcu, wcu: result.wcu + ended.wcu };
    return { ...result, rcu, wcu, swept, ended: ended.deleted };
  }
  const streams = createStreamsClient(settings.client);
  const { endpoint: _, ...client } = settings.client;
  const sources = { streams, readObject: bucketAccess(client).readObject, buckets: bucket };
  try {
    const options = { graph, store, onProgress };
    const result = isQueueUrl(source)
      ? await redriveQueue(source, sources, {
          ...options,
          anyHost,
          openQueue: (endpoint) => awsService(SQS, settings, endpoint),
        })
      : await redriveMessage(await readMessage(source), sources, options);
    return { ...result, ...none };
  } finally {
    streams.destroy();
  }
}

function isQueueUrl(source: string): boolean {
  return /^https?:\/\//.test(source);
}

async function readMessage(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new EdgeloomError(
      'file-failed',
      `The file ${file} cannot be read.`,
      'Name the file of an on-failure message.',
      {
        cause: error,
      },
    );
  }
}
