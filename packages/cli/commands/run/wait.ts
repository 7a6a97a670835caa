import type { Command } from 'commander';
import { EdgeloomError, isRetryableStoreError } from '../../../../src/foundation/errors.ts';
import { countText } from '../../../../src/foundation/figure.ts';
import { describeTable } from '../../../../src/store/table-description.ts';
import type { ShardPosition } from '../../../../src/stream/progress/stream-position.ts';
import { examples, wholeNumber } from '../../shared/options.ts';
import type { Output } from '../../shared/output.ts';
import { type OpenPosition, positionOf, requireStream } from '../../shared/position.ts';
import { type CommandSession, inLastingSession } from '../../shared/session.ts';
import { createStopSignal } from '../../shared/signals.ts';

const DEFAULT_SECONDS = 60;
const PAUSE_MS = 200;

export function waitCommand(command: Command): void {
  command
    .option('--for <seconds>', `give up after this many seconds (default: ${DEFAULT_SECONDS})`, wholeNumber)
    .addHelpText('after', examples('wait --endpoint http://127.0.0.1:8000', 'wait --for 300'))
    .action(
      inLastingSession((session, options: { for?: number }) =>
        waitUntilProjected(session, options.for ?? DEFAULT_SECONDS),
      ),
    );
}

async function waitUntilProjected(session: CommandSession, seconds: number) {
  const startedMs = Date.now();
  const { signal, wait, release } = createStopSignal();
  let position: OpenPosition | undefined;
  let reason = '';
  try {
    while (!signal.aborted) {
      try {
        position ??= await openWhenReady(session);
        const { shards } = await position.look();
        const open = shards.filter(({ atEnd }) => !atEnd);
        const waitedMs = Date.now() - startedMs;
        if (open.length === 0) return projectedOutput(waitedMs, shards);
        const left = open.reduce((sum, { waiting }) => sum + waiting, 0);
        reason =
          left === 0
            ? 'the stream is not read to its end yet'
            : `${countText(left, 'record')} of the stream ${left === 1 ? 'is' : 'are'} not projected`;
      } catch (error) {
        if (!mayStillAppear(error)) throw error;
        reason = (error as Error).message.replace(/\.$/, '');
      }
      if (Date.now() - startedMs >= seconds * 1000) throw waitTimeout(seconds, reason);
      await wait(PAUSE_MS);
    }
    throw signal.reason;
  } finally {
    release();
    position?.release();
  }
}

export function projectedOutput(
  waitedMs: number,
  shards: readonly Pick<ShardPosition, 'shardId' | 'isLost'>[],
): Output<{ waitedMs: number; lostShards?: string[] }> {
  const lost = shards.filter(({ isLost }) => isLost === true).map(({ shardId }) => shardId);
  if (lost.length === 0) return { json: { waitedMs }, text: `everything written so far is projected (${waitedMs} ms)` };
  return {
    json: { waitedMs, lostShards: lost },
    text: `everything that the stream still has is projected (${waitedMs} ms); the records of ${lost.join(', ')} are lost: run edgeloom check, and edgeloom rebuild if it finds drift`,
  };
}

async function openWhenReady(session: CommandSession): Promise<OpenPosition> {
  const table = await describeTable(session.graph, { client: session.client });
  return positionOf(session, requireStream(session, table));
}

function mayStillAppear(error: unknown): boolean {
  if (isRetryableStoreError(error)) return true;
  return error instanceof EdgeloomError && ['no-table', 'no-stream', 'ResourceNotFoundException'].includes(error.code);
}

function waitTimeout(seconds: number, reason: string): EdgeloomError {
  return new EdgeloomError(
    'projection-timeout',
    `The wait ended after ${countText(seconds, 'second')}: ${reason}.`,
    'Start a projector (edgeloom dev, edgeloom project), or wait longer with --for; edgeloom status says how far it is.',
  );
}
