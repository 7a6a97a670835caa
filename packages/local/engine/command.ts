import type { ScratchFolder } from '../../../src/foundation/guarded-process.ts';

/** A program to run: its path, arguments and, where needed, its folder. */
export interface EngineCommand {
  file: string;
  args: string[];
  cwd?: string;
  /** A folder that is there as long as the engine is. */
  scratch?: ScratchFolder;
}
