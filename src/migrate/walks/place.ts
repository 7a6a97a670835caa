import type { WalkPlace } from '../../store/table-walk.ts';

/**
 * Where a migration stopped because its time was over, or because its caller has to wait or walk. Can be stored as JSON
 * for the next call.
 */
export interface MigratePlace {
  version: 1;
  /** Work that the registry doesn't record, as keys (`seenKey`) of the states for which it is done. */
  memory: {
    verified: string[];
    reconciled: string[];
    deleted: string[];
    unused: string[];
    shown: string[];
    outlasted: string[];
  };
  /** The unfinished walk. */
  walk?: { name: string; at: WalkPlace } | undefined;
  /** How often each registry step of a projection was made. */
  made?: Record<string, number> | undefined;
  /** Names of the walks that other runs have finished. */
  walked?: string[] | undefined;
  /** The unfinished wait: its names, its start (milliseconds since 1970) and its length in milliseconds. */
  waiting?: { seen: string[]; sinceMs: number; forMs?: number | undefined } | undefined;
}

export class ChangedStates {}

export class StoppedRun {
  constructor(
    readonly left: Pick<MigratePlace, 'walk' | 'waiting'>,
    readonly toWalk?: string,
  ) {}
}
