import { readFileSync, writeFileSync } from 'node:fs';
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
  ledgers: ['wrong', 'false-alarm', 'unseen-drift', 'left-by-repair'],
  verify: ['unsound', 'false-alarm', 'unseen-drift', 'stalled'],
  watch: ['diverged'],
  joined: ['wrong'],
  rebuilds: ['wrong'],
  mirror: ['wrong'],
  'mirror-attack': ['wrong'],
  'mirror-lines': ['wrong'],
  tenants: ['wrong'],
  updates: ['wrong'],
  ended: ['wrong'],
  walks: ['wrong'],
};

/** The seeds that are kept, by pack and bug. */
type Seeds = Readonly<Partial<Record<PackName, Readonly<Record<string, number>>>>>;

const FILE = new URL('shown-at.json', import.meta.url);

function readSeeds(): Seeds {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Seeds;
}

/** Seeds of schedules that showed a bug: the search begins with them. Only where the first such seed is late. */
export const SHOWN_AT = readSeeds();

/** Keeps the seed that shows a bug. The file is read anew: other processes keep seeds of theirs. */
export function keepSeed(pack: PackName, bug: string, seed: number): void {
  const all = readSeeds();
  const ofPack = Object.entries({ ...all[pack], [bug]: seed }).sort(([left], [right]) => (left < right ? -1 : 1));
  writeFileSync(FILE, `${JSON.stringify({ ...all, [pack]: Object.fromEntries(ofPack) }, undefined, 2)}\n`);
}
