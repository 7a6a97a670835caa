import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { PackName } from '../kernel/packs.ts';

/** How a schedule fails that shows a planted bug. A change that only makes the code throw or run on for ever shows nothing of its rule. */
export const SHOWN_BY: Readonly<Record<PackName, readonly string[]>> = {
  projecting: ['diverged', 'revision-repeated', 'base-item-written', 'false-alarm', 'unseen-drift', 'mark'],
  observer: [
    ...['unsound', 'false-alarm', 'unseen-drift', 'stalled', 'lost-change', 'disorder', 'same-id', 'mark'],
    'own-write-hidden',
  ],
  // A wrong answer, a wrong finding, or what does not come to its end.
  evolution: ['wrong', 'alarm', 'unfinished', 'unsound', 'false-alarm', 'unseen-drift', 'stalled'],
  verify: ['unsound', 'false-alarm', 'unseen-drift', 'stalled'],
  watch: ['diverged'],
  rebuilds: ['wrong'],
  sources: ['wrong'],
  tenants: ['wrong'],
  updates: ['wrong'],
  ended: ['wrong'],
  native: ['wrong'],
  walks: ['wrong'],
  level: ['wrong', 'base-item-written', 'loop'],
};

/** The seeds that are kept, by pack and bug. */
type Seeds = Readonly<Partial<Record<PackName, Readonly<Record<string, number>>>>>;

const FILE = new URL('shown-at.json', import.meta.url);

function readSeeds(file: URL): Seeds {
  return JSON.parse(readFileSync(file, 'utf8')) as Seeds;
}

/** Seeds of schedules that showed a bug: the search begins with them. Only where the first such seed is late. */
export const SHOWN_AT = readSeeds(FILE);

/** Keeps the seed that shows a bug, in a file of seeds. Other processes keep seeds of theirs in it, one at a time. */
export function keepSeed(pack: PackName, bug: string, seed: number, file: URL = FILE, mostLooks = MOST_LOOKS): void {
  locked(new URL(`${file.href}.lock`), mostLooks, () => {
    const all = readSeeds(file);
    const ofPack = Object.entries({ ...all[pack], [bug]: seed }).sort(([left], [right]) => (left < right ? -1 : 1));
    writeFileSync(file, `${JSON.stringify({ ...all, [pack]: Object.fromEntries(ofPack) }, undefined, 2)}\n`);
  });
}

/** The number of looks at a lock, ten milliseconds apart, after which its process is taken for dead: ten seconds. */
const MOST_LOOKS = 1000;

function locked(lock: URL, mostLooks: number, run: () => void): void {
  for (let looks = 0; !isTaken(lock); looks += 1) {
    if (looks === mostLooks)
      throw new Error(`${lock.pathname} is kept by a process that has probably ended: delete the file`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
  }
  try {
    run();
  } finally {
    rmSync(lock);
  }
}

function isTaken(lock: URL): boolean {
  try {
    closeSync(openSync(lock, 'wx'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
