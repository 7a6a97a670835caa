import { type KeepingPack, keptFor } from '../kernel/kept.ts';
import { ENDED_MUTANTS } from '../packs/ended/planted.ts';
import { EVOLUTION_MUTANTS } from '../packs/evolution/planted.ts';
import { LEVEL_MUTANTS } from '../packs/level/planted.ts';
import { NATIVE_MUTANTS } from '../packs/native/planted.ts';
import {
  HIDDEN,
  OBSERVER_EXPERIMENTS,
  OBSERVER_MUTANTS,
  VERIFY_MUTANTS,
  WRITTEN_MUTANTS,
} from '../packs/observer/planted.ts';
import { SOURCES_MUTANTS } from '../packs/sources/planted.ts';
import { TENANTS_MUTANTS } from '../packs/tenants/planted.ts';
import { UPDATE_MUTANTS, WALK_MUTANTS } from '../packs/updates/planted.ts';
import { WATCH_MUTANTS } from '../packs/watch/planted.ts';
import { DIRECTED_MUTANTS } from './directed.ts';
import type { Mutant } from './mutant.ts';
import { MUTANTS } from './mutants.ts';
import { WORKER_MUTANTS } from './worker.ts';

/** A planted bug and what finds it. */
export interface Planted {
  mutant: Mutant;
  /** The schedules or the test that find the bug. */
  foundBy: string;
}

function found(mutants: readonly Mutant[], foundBy: string): Planted[] {
  return mutants.map((mutant) => ({ mutant, foundBy }));
}

function drawnOrKept(mutants: readonly Mutant[], simulator: string, pack: KeepingPack): Planted[] {
  return mutants.map((mutant) => {
    const isDrawn = keptFor(pack, mutant.name) === undefined;
    return { mutant, foundBy: `${simulator}, ${isDrawn ? 'drawn' : 'kept schedule'}` };
  });
}

/** The planted bugs of every simulator. */
export const PLANTED: readonly Planted[] = [
  ...drawnOrKept(MUTANTS, 'simulator', 'projecting'),
  ...found(DIRECTED_MUTANTS, 'simulator, written schedule'),
  ...found(WORKER_MUTANTS, 'simulator, interrupted worker'),
  ...EVOLUTION_MUTANTS.map((mutant) => ({
    mutant,
    foundBy: `simulator of model changes${keptFor('evolution', mutant.name) === undefined ? '' : ', kept schedule'}`,
  })),
  ...drawnOrKept(OBSERVER_MUTANTS, 'simulator of the observer', 'observer'),
  ...found(WRITTEN_MUTANTS, 'simulator of the observer, written schedule'),
  ...found(VERIFY_MUTANTS, 'schedules of `verify`'),
  ...OBSERVER_EXPERIMENTS.map((mutant) => ({
    mutant,
    foundBy: HIDDEN[mutant.name] ?? 'nothing so far: not known to be wrong',
  })),
  ...found(WATCH_MUTANTS, 'schedules of `watch`'),
  ...found(UPDATE_MUTANTS, 'schedules of `updates`'),
  ...found(WALK_MUTANTS, 'schedules of `walks`'),
  ...found(NATIVE_MUTANTS, 'schedules of `native`'),
  ...found(LEVEL_MUTANTS, 'schedules of `level`'),
  ...found(SOURCES_MUTANTS, 'schedules of `sources`'),
  ...found(TENANTS_MUTANTS, 'schedules of `tenants`'),
  ...found(ENDED_MUTANTS, 'schedules of `ended`'),
];
