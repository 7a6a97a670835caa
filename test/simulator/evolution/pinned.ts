import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { KeptEvolution } from './shrink.ts';

const FOLDER = new URL('pinned/', import.meta.url);

/** The schedule that is kept for a planted bug that few seeds show; undefined where there is none. */
export function pinnedEvolution(mutant: string): KeptEvolution | undefined {
  const file = fileOf(mutant);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as KeptEvolution) : undefined;
}

/** Keeps a schedule for a planted bug. */
export function pinEvolution(mutant: string, { seed, without }: KeptEvolution): void {
  const file = fileOf(mutant);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ seed, without }, undefined, 2)}\n`);
}

function fileOf(mutant: string): string {
  return fileURLToPath(new URL(`${mutant}.json`, FOLDER));
}
