import pino from 'pino';
import type { Logger } from '../../foundation/logger.ts';

/** A logger such as pino's. Each invocation gets a child logger. */
export interface FunctionLogger extends Logger {
  child(bindings: object): FunctionLogger;
}

export function functionLogger(level: string): FunctionLogger {
  // Writes synchronously, because Lambda freezes a function that has responded.
  return pino({ level, base: null }, { write: (line) => void process.stdout.write(line) });
}
