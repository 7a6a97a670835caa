import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Script } from '../choices.ts';

/** A shortened schedule that shows a planted bug: kept because it takes long to find. */
export interface Pinned {
  /** The seed it was found with, as the simulator was then; 0 where it was made by hand. */
  seed: number;
  script: Script;
}

/** The world that a kept schedule is of: its file is in a folder of that world. */
type PinnedWorld = 'observer' | undefined;

/** The file that keeps a planted bug's schedule. */
export function pinnedFile(mutant: string, world?: PinnedWorld): string {
  const folder = new URL(world === undefined ? 'pinned/' : `../${world}/pinned/`, import.meta.url);
  return fileURLToPath(new URL(`${mutant}.json`, folder));
}

/** The schedule that is kept for a planted bug; undefined where there is none. */
export function loadPinned(mutant: string, world?: PinnedWorld): Pinned | undefined {
  const file = pinnedFile(mutant, world);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Pinned) : undefined;
}
