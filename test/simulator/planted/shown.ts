import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { PackName } from '../kernel/packs.ts';

/**
 * The kinds of failure that count as finding a planted bug. A bug that only makes the code throw or loop proves nothing
 * about its rule.
 */
export const SHOWN_BY: Readonly<Record<PackName, readonly string[]>> = {
  projecting: ['diverged', 'revision-repeated', 'base-item-written', 'false-alarm', 'unseen-drift', 'mark'],
  observer: [
    ...['unsound', 'false-alarm', 'unseen-drift', 'stalled', 'lost-change', 'disorder', 'same-id', 'mark'],
    'own-write-hidden',
  ],
  // Wrong answers, wrong findings and work that doesn't end.
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

/** Kept seeds, by pack and bug. */
type Seeds = Readonly<Partial<Record<PackName, Readonly<Record<string, number>>>>>;

const FILE = new URL('shown-at.json', import.meta.url);

function readSeeds(file: URL): Seeds {
  return JSON.parse(readFileSync(file, 'utf8')) as Seeds;
}

/**
 * Seeds of schedules that have shown a bug. The search for the bug begins with its seed. A seed is only kept if a search
 * from the first seed takes long.
 */
export const SHOWN_AT = readSeeds(FILE);

/** Saves the seed that shows a bug. Takes a lock on the file, because other processes also save seeds. */
export function keepSeed(pack: PackName, bug: string, seed: number, file: URL = FILE, mostLooks = MOST_LOOKS): void {
  locked(new URL(`${file.href}.lock`), mostLooks, () => {
    const all = readSeeds(file);
    const ofPack = Object.entries({ ...all[pack], [bug]: seed }).sort(([left], [right]) => (left < right ? -1 : 1));
    writeFileSync(file, `${JSON.stringify({ ...all, [pack]: Object.fromEntries(ofPack) }, undefined, 2)}\n`);
  });
}

/**
 * How often to check a lock, every ten milliseconds, before its process is assumed to have ended. Together, these are ten
 * seconds.
 */
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
