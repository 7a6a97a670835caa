import type { Logger } from '../foundation/logger.ts';

export interface Consequences {
  trimmed?: string;
  otherStream?: string;
}

export class RunReport {
  constructor(
    readonly logger: Logger = WARNINGS,
    private readonly consequences: Consequences = {},
  ) {}

  onTrimmed(shardId: string, message: string): string {
    const text = joinSentences(message, this.consequences.trimmed);
    this.logger.error({ shardId }, text);
    return text;
  }

  onOtherStream(streamArn: string): void {
    const message = `The checkpoint is of another stream, ${streamArn}; it is not used.`;
    this.logger.warn({ streamArn }, joinSentences(message, this.consequences.otherStream));
  }
}

function joinSentences(first: string, second: string | undefined): string {
  return second === undefined ? first : `${first} ${second}`;
}

const WARNINGS: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: (_details, message) => process.emitWarning(message, 'EdgeloomWarning'),
  error: (_details, message) => process.emitWarning(message, 'EdgeloomWarning'),
};
