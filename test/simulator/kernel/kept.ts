import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../planted/marks.ts';
import type { Kept } from './pack.ts';
import type { PackName } from './packs.ts';

/** The packs with schedules that are kept for planted bugs, and where: a file has the name of its bug. */
export const KEPT_IN = {
  projecting: 'test/simulator/packs/projecting/pinned',
  observer: 'test/simulator/packs/observer/pinned',
  evolution: 'test/simulator/packs/evolution/pinned',
} as const satisfies Partial<Record<PackName, string>>;

/** A pack with kept schedules. */
export type KeepingPack = keyof typeof KEPT_IN;

/** The bugs that schedules of a folder are kept for. */
export function keptNames(folder: string): string[] {
  return readdirSync(join(ROOT, folder)).map((file) => file.replace(/\.json$/, ''));
}

/** The schedule that a pack keeps for a planted bug; undefined where there is none. */
export function keptFor(pack: KeepingPack, bug: string): Kept | undefined {
  const file = fileOf(pack, bug);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Kept) : undefined;
}

/** Keeps a schedule for a planted bug. */
export function keepFor(pack: PackName, bug: string, kept: Kept): void {
  if (!(pack in KEPT_IN)) throw new Error(`The pack ${pack} keeps no schedules.`);
  const file = fileOf(pack as KeepingPack, bug);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(kept, undefined, 2)}\n`);
}

function fileOf(pack: KeepingPack, bug: string): string {
  return join(ROOT, KEPT_IN[pack], `${bug}.json`);
}
