/** A program to run: its path, arguments and, where needed, its folder. */
export interface EngineCommand {
  file: string;
  args: string[];
  cwd?: string;
  /** A folder to remove when the engine is gone. */
  scratchDir?: string;
}
