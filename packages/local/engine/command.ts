import type { ScratchFolder } from '../../../src/foundation/guarded-process.ts';

export interface EngineCommand {
  file: string;
  args: string[];
  cwd?: string;
  /** Lives as long as the engine. */
  scratch?: ScratchFolder;
}
