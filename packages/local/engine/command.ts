import type { ScratchFolder } from '../../../src/foundation/guarded-process.ts';

export interface EngineCommand {
  file: string;
  args: string[];
  cwd?: string;
  scratch?: ScratchFolder;
}
