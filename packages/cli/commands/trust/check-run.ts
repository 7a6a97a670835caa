import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { EdgeloomError } from '../../../../src/foundation/errors.ts';
import { untilAborted } from '../../../../src/store/abortable.ts';
import { requireFit } from '../../../../src/store/key-types.ts';
import { describeTable } from '../../../../src/store/table-description.ts';
import type { ConsumerPosition } from '../../../../src/stream/progress/consumer-position.ts';
import { isTemporaryError } from '../../../../src/stream/progress/stream-walk.ts';
import { type CheckOptions, type CheckResult, check, GRACE_MS } from '../../../../src/trust/check/check.ts';
import { type CheckCursor, parseCursor } from '../../../../src/trust/check/cursor.ts';
import type { Finding } from '../../../../src/trust/check/finding.ts';
import { refuseOldConsumers } from '../../../../src/trust/check/old-consumers.ts';
import { lagSecondsOf, type PositionOfStream } from '../../../../src/trust/explain/position.ts';
import { printModelNotice } from '../../shared/model-notice.ts';
import { positionOf, requireHomeRegion } from '../../shared/position.ts';
import { startProgress } from '../../shared/progress.ts';
import type { CommandSession } from '../../shared/session.ts';
import { createStopSignal } from '../../shared/signals.ts';
import { installedTelemetry } from '../../shared/telemetry.ts';

/** How often the place to go on from is kept, in milliseconds. */
const KEEP_MS = 5_000;

/** The functions that are called with a check's findings and repairs, and the file in which it keeps the place to go on from. */
export interface CheckRun {
  /** File of the place to go on from. */
  resume?: string;
  /** True if it rebuilds although a consumer of another model works. */
  force?: boolean;
  onFinding?: (finding: Finding) => void;
  onRepair?: (action: string) => void;
}

/** How the model stands to the table, as the command has said it. */
export type Noticed = Awaited<ReturnType<typeof printModelNotice>>;

/** Runs a check with a progress bar; Ctrl-C ends it with its place kept. */
export async function runCheck(
  session: CommandSession,
  options: Partial<CheckOptions>,
  { resume, force, ...listeners }: CheckRun,
): Promise<CheckResult & Noticed & { lagSeconds: number | undefined }> {
  const { graph, store, client } = session;
  const status = await describeTable(graph, { client });
  requireFit(status);
  await requireHomeRegion(session);
  if (options.mode === 'rebuild' && force !== true) await refuseOldConsumers(graph, store, Date.now());
  const notice = await printModelNotice(graph, store);
  const { itemCount, streamArn } = status;
  const position = streamArn === undefined ? undefined : positionOf(session, streamArn);
  const place = resume === undefined ? undefined : new KeptPlace(resume);
  const progress = startProgress('items', itemCount);
  const { signal, wait, release } = createStopSignal();
  try {
    const result = await check(graph, {
      store,
      ...options,
      ...listeners,
      telemetry: await installedTelemetry(),
      ...(position !== undefined && {
        consumer: positionUntilStopped(position.consumer(options.graceMs ?? GRACE_MS), signal),
      }),
      resume: await place?.load(),
      // A wait for the stream, which may be minutes, ends with the signal: its suspects stay open.
      wait,
      remainingMs: () => (signal.aborted ? 0 : Number.POSITIVE_INFINITY),
      onProgress: async ({ baseItems, derivedItems }, cursor) => {
        const items = baseItems + derivedItems;
        progress.update(items, Math.max(items, itemCount));
        await place?.keepNowAndThen(cursor);
      },
    });
    await place?.keep(result.cursor);
    return { ...result, ...notice, lagSeconds: signal.aborted ? undefined : await lagSecondsNow(position) };
  } finally {
    release();
    position?.release();
    progress.stop();
  }
}

/** How far the consumers are behind at the end of a run; undefined where that is unknown. */
async function lagSecondsNow(position: PositionOfStream | undefined): Promise<number | undefined> {
  try {
    return position && lagSecondsOf(await position.look());
  } catch (error) {
    // A stream that cannot be read for the moment takes nothing from what was found.
    if (isTemporaryError(error)) return undefined;
    throw error;
  }
}

/** Makes a consumer's position that is unknown (`undefined`) as soon as the signal is aborted, because a look may take long. */
function positionUntilStopped({ appliedUpToMs }: ConsumerPosition, signal: AbortSignal): ConsumerPosition {
  return {
    async appliedUpToMs(sinceMs) {
      try {
        return await untilAborted(signal, appliedUpToMs(sinceMs));
      } catch (error) {
        if (signal.aborted) return undefined;
        throw error;
      }
    },
  };
}

/** The file in which a check keeps where it could go on; gone when there is nothing to go on with. */
class KeptPlace {
  private keptAtMs = Date.now();

  constructor(private readonly file: string) {}

  async load(): Promise<CheckCursor | undefined> {
    let text: string;
    try {
      text = await readFile(this.file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw new EdgeloomError(
        'no-file',
        `The file ${this.file} cannot be read.`,
        'Name another file with --resume, or check its permissions.',
        { cause: error },
      );
    }
    return parseCursor(parseResumeFile(text));
  }

  async keepNowAndThen(cursor: () => CheckCursor): Promise<void> {
    if (Date.now() - this.keptAtMs < KEEP_MS) return;
    this.keptAtMs = Date.now();
    await this.keep(cursor());
  }

  async keep(cursor: CheckCursor | undefined): Promise<void> {
    if (cursor === undefined) return await rm(this.file, { force: true });
    // Renamed over the old one, so that an interruption leaves one of the two.
    await writeFile(`${this.file}.new`, JSON.stringify(cursor));
    await rename(`${this.file}.new`, this.file);
  }
}

function parseResumeFile(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
