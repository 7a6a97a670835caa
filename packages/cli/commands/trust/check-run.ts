import { readFile, rm } from 'node:fs/promises';
import { EdgeloomError } from '../../../../src/foundation/errors.ts';
import { replaceFile } from '../../../../src/foundation/replace-file.ts';
import { untilAborted } from '../../../../src/store/abortable.ts';
import { requireFit } from '../../../../src/store/key-types.ts';
import { describeTable } from '../../../../src/store/table-description.ts';
import { isTemporaryError } from '../../../../src/stream/progress/stream-walk.ts';
import { type CheckOptions, type CheckResult, check, GRACE_MS } from '../../../../src/trust/check/check.ts';
import type { ConsumerPosition } from '../../../../src/trust/check/consumer-position.ts';
import { type CheckCursor, parseCursor } from '../../../../src/trust/check/cursor.ts';
import type { Finding } from '../../../../src/trust/check/finding.ts';
import { refuseOldConsumers } from '../../../../src/trust/check/old-consumers.ts';
import { lagSecondsOf, type PositionOfStream } from '../../../../src/trust/explain/position.ts';
import { interruptible } from '../../shared/interruptible.ts';
import { printModelNotice } from '../../shared/model-notice.ts';
import { positionOf, requireHomeRegion } from '../../shared/position.ts';
import type { CommandSession } from '../../shared/session.ts';
import { installedTelemetry } from '../../shared/telemetry.ts';

/** Milliseconds between saves of the resume position. */
const KEEP_MS = 5_000;

export interface CheckRun {
  /** File that keeps the resume position. */
  resume?: string;
  /** Rebuild even while a consumer with another model is running. */
  force?: boolean;
  onFinding?: (finding: Finding) => void;
  onRepair?: (action: string) => void;
}

export type Noticed = Awaited<ReturnType<typeof printModelNotice>>;

/** Runs a check until it ends or Ctrl-C stops it. */
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
  try {
    return await interruptible('items', itemCount, async ({ signal, wait, remainingMs, update }) => {
      const result = await check(graph, {
        store,
        ...options,
        ...listeners,
        telemetry: await installedTelemetry(),
        ...(position !== undefined && {
          consumer: positionUntilStopped(position.consumer(options.graceMs ?? GRACE_MS), signal),
        }),
        resume: await place?.load(),
        // Ctrl-C also ends a wait for the stream, and leaves the waiting suspects open.
        ...{ wait, remainingMs },
        onProgress: async ({ baseItems, derivedItems }, cursor) => {
          const items = baseItems + derivedItems;
          update(items, Math.max(items, itemCount));
          await place?.keepNowAndThen(cursor);
        },
      });
      await place?.keep(result.cursor);
      return { ...result, ...notice, lagSeconds: signal.aborted ? undefined : await lagSecondsNow(position) };
    });
  } finally {
    position?.release();
  }
}

async function lagSecondsNow(position: PositionOfStream | undefined): Promise<number | undefined> {
  try {
    return position && lagSecondsOf(await position.look());
  } catch (error) {
    // If the stream fails temporarily, don't lose the findings.
    if (isTemporaryError(error)) return undefined;
    throw error;
  }
}

/** Makes `appliedUpToMs` resolve to undefined once the signal is aborted, since reading the position may take long. */
function positionUntilStopped({ appliedUpToMs }: ConsumerPosition, signal: AbortSignal): ConsumerPosition {
  return {
    async appliedUpToMs() {
      try {
        return await untilAborted(signal, appliedUpToMs());
      } catch (error) {
        if (signal.aborted) return undefined;
        throw error;
      }
    },
  };
}

/** The resume file. It is deleted once nothing is left to resume. */
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
    try {
      return parseCursor(parseResumeFile(text));
    } catch (error) {
      throw new EdgeloomError(
        'invalid-cursor',
        `The file ${this.file} doesn't contain the place of an interrupted check or rebuild.`,
        'Name another file with --resume, or delete this one to start at the beginning.',
        { cause: error },
      );
    }
  }

  async keepNowAndThen(cursor: () => CheckCursor): Promise<void> {
    if (Date.now() - this.keptAtMs < KEEP_MS) return;
    this.keptAtMs = Date.now();
    await this.keep(cursor());
  }

  async keep(cursor: CheckCursor | undefined): Promise<void> {
    if (cursor === undefined) return await rm(this.file, { force: true });
    await replaceFile(this.file, JSON.stringify(cursor));
  }
}

function parseResumeFile(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
