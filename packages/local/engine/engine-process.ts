import { GuardedProcess } from '../../../src/foundation/guarded-process.ts';
import type { EngineCommand } from './command.ts';

/** An engine's process. */
export interface EngineProcess {
  /** Resolves when it is gone. */
  ended: Promise<void>;
  /** Tells whether it is gone. */
  hasEnded(): boolean;
  /** The last that it wrote to its error output. */
  errorOutput(): string;
  /** Ends it and waits until it is gone. Calling it again is fine. */
  stop(): Promise<void>;
}

const OUTPUT_CHARACTERS = 2000;
/** How long an engine may take to write what it holds in memory. */
const GRACE_SECONDS = 5;

/** Starts an engine's process. It ends with this one, and does not keep it alive. */
export function spawnEngine(command: EngineCommand): EngineProcess {
  let output = '';
  const onErrorOutput = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-OUTPUT_CHARACTERS);
  };
  const child = new GuardedProcess({ ...command, graceSeconds: GRACE_SECONDS, onErrorOutput });
  child.unref();
  return {
    ended: child.ended.then(({ reason }) => {
      // An engine that could not be started has written nothing.
      if (output === '') output = reason;
    }),
    hasEnded: () => child.hasEnded,
    errorOutput: () => output.trim(),
    stop: () => child.stop(),
  };
}
