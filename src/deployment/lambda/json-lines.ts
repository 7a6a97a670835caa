import type { Logger } from '../../foundation/logger.ts';

/** A logger of which each invocation gets a child; a pino logger is one. */
export interface FunctionLogger extends Logger {
  child(bindings: object, options?: { level?: string }): FunctionLogger;
}

/** Levels as pino numbers them. */
const LEVELS: Readonly<Record<string, number>> = { trace: 10, debug: 20, info: 30, warn: 40, error: 50 };

/**
 * Logs JSON lines with the fields that pino gives, but for the process and the host, which say nothing in Lambda. A function
 * loads its logger at each cold start, and pino with its transports is a tenth of the code: see decision 076.
 *
 * @param level lines below it are not written; `silent` writes none.
 * @param write where a line goes, its end included. Default: stdout.
 */
export function jsonLines(
  level: string,
  bindings: object = {},
  write: (line: string) => void = (line) => void process.stdout.write(line),
): FunctionLogger {
  const least = LEVELS[level] ?? Number.POSITIVE_INFINITY;
  const logAt = (name: string) => {
    const number = LEVELS[name]!;
    return (details: object, message: string): void => {
      if (number < least) return;
      write(`${JSON.stringify({ level: number, time: Date.now(), ...bindings, ...details, msg: message })}\n`);
    };
  };
  return {
    debug: logAt('debug'),
    info: logAt('info'),
    warn: logAt('warn'),
    error: logAt('error'),
    child: (more, options) => jsonLines(options?.level ?? level, { ...bindings, ...more }, write),
  };
}
