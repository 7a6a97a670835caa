import pino from 'pino';
import type { Logger } from '../../foundation/logger.ts';

/** A logger of which each invocation gets a child; a pino logger is one. */
export interface FunctionLogger extends Logger {
  child(bindings: object): FunctionLogger;
}

/** A pino logger of JSON lines on stdout, without the process and the host, which say nothing in Lambda. `level`: the least that is written, or `silent`. */
export function functionLogger(level: string): FunctionLogger {
  // Lambda freezes a function once it has answered, so each line is written at once.
  return pino({ level, base: null }, { write: (line) => void process.stdout.write(line) });
}
