import { GuardedProcess, type ScratchFolder } from '../../../src/foundation/guarded-process.ts';

export interface EngineCommand {
  file: string;
  args: string[];
  cwd?: string;
  scratch?: ScratchFolder;
}

export type EngineProcess = ReturnType<typeof spawnEngine>;

const OUTPUT_CHARACTERS = 2000;
/** A stopping engine needs time to write its data. */
const GRACE_SECONDS = 5;

/** Starts an engine that ends with this process but doesn't keep it alive. */
export function spawnEngine(command: EngineCommand) {
  let output = '';
  const onErrorOutput = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-OUTPUT_CHARACTERS);
  };
  const child = new GuardedProcess({ ...command, graceSeconds: GRACE_SECONDS, onErrorOutput });
  child.unref();
  return {
    ended: child.ended.then(({ reason }) => {
      // An engine that failed to start has no output.
      if (output === '') output = reason;
    }),
    hasEnded: () => child.hasEnded,
    errorOutput: () => output.trim(),
    stop: () => child.stop(),
  };
}
