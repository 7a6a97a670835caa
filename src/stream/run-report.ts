import type { Logger } from '../logger.ts';
import type { SetAside } from './checkpoint-journal.ts';

/** What follows from a loss, said behind the sentence that tells it. */
export interface Consequences {
  /** Of records that have left the stream unread. */
  trimmed?: string;
  /** Of a checkpoint that is of another stream. */
  setAside?: string;
}

/** What the run of a follower of a stream tells to a log, whatever it does with the records. */
export class RunReport {
  constructor(
    readonly logger: Logger = WARNINGS,
    private readonly consequences: Consequences = {},
  ) {}

  /** Records have left the stream unread. Gives the whole message. */
  onTrimmed(shardId: string, message: string): string {
    const text = sentences(message, this.consequences.trimmed);
    this.logger.error({ shardId }, text);
    return text;
  }

  /** The checkpoint was of another stream. */
  onSetAside({ streamArn, keptAt }: SetAside): void {
    const place = keptAt === undefined ? '' : ` (now in ${keptAt})`;
    const message = `The checkpoint is of another stream, ${streamArn}${place}; it is not used.`;
    this.logger.warn({ streamArn, keptAt }, sentences(message, this.consequences.setAside));
  }
}

function sentences(first: string, second: string | undefined): string {
  return second === undefined ? first : `${first} ${second}`;
}

/** A logger for where none is given: warnings and errors become process warnings. */
export const WARNINGS: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: (_details, message) => process.emitWarning(message, 'EdgeloomWarning'),
  error: (_details, message) => process.emitWarning(message, 'EdgeloomWarning'),
};
