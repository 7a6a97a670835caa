import type { Logger } from '../foundation/logger.ts';
import type { SetAside } from './checkpoint-journal.ts';

/** The consequence of each loss: a sentence that follows the one about the loss. */
export interface Consequences {
  /** The consequence of records that left the stream unread. */
  trimmed?: string;
  /** The consequence of a checkpoint of another stream. */
  setAside?: string;
}

/** The log of a stream follower's run, whatever the follower does with the records. */
export class RunReport {
  constructor(
    readonly logger: Logger = WARNINGS,
    private readonly consequences: Consequences = {},
  ) {}

  /** Logs that records have left the stream unread. Returns the logged text: the message and its consequence. */
  onTrimmed(shardId: string, message: string): string {
    const text = joinSentences(message, this.consequences.trimmed);
    this.logger.error({ shardId }, text);
    return text;
  }

  /** The checkpoint was of another stream. */
  onSetAside({ streamArn, keptAt }: SetAside): void {
    const place = keptAt === undefined ? '' : ` (now in ${keptAt})`;
    const message = `The checkpoint is of another stream, ${streamArn}${place}; it is not used.`;
    this.logger.warn({ streamArn, keptAt }, joinSentences(message, this.consequences.setAside));
  }
}

function joinSentences(first: string, second: string | undefined): string {
  return second === undefined ? first : `${first} ${second}`;
}

/** A logger for where none is given: warnings and errors become process warnings. */
export const WARNINGS: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: (_details, message) => process.emitWarning(message, 'EdgeloomWarning'),
  error: (_details, message) => process.emitWarning(message, 'EdgeloomWarning'),
};
