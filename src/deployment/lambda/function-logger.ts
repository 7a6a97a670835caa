import pino from 'pino';
import type { Logger } from '../../foundation/logger.ts';

/** A logger such as pino's: each invocation gets a child of it. */
export interface FunctionLogger extends Logger {
  child(bindings: object): FunctionLogger;
}

export function functionLogger(level: string): FunctionLogger {
  // Lambda freezes a function that has answered, so lines are written at once.
  return pino({ level, base: null }, { write: (line) => void process.stdout.write(line) });
}
