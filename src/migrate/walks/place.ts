import type { WalkPlace } from '../../store/table-walk.ts';

/** The place where a migration stopped because time was over: JSON, for the call that continues. */
export interface MigratePlace {
  version: 1;
  /** The work of the run that the registry does not record, by the names of the states that it has seen. */
  memory: {
    verified: string[];
    reconciled: string[];
    deleted: string[];
    unused: string[];
    shown: string[];
    outlasted: string[];
  };
  /** The walk over the table that was under way. */
  walk?: { name: string; at: WalkPlace } | undefined;
  /** How often each step of a projection that writes the registry was made. */
  made?: Record<string, number> | undefined;
  /** The walks that others have finished, by name. */
  walked?: string[] | undefined;
  /** The wait under way: its names, its start in milliseconds since 1970, and its length in milliseconds. */
  waiting?: { seen: string[]; sinceMs: number; forMs?: number | undefined } | undefined;
}

/** Thrown by the work of a step whose states another run has changed. Only the run itself sees it. */
export class ChangedStates {}

/** Thrown to stop a run at its place. Only the run itself sees it. */
export class StoppedRun {
  /** @param toWalk the walk that others are to make. */
  constructor(
    readonly left: Pick<MigratePlace, 'walk' | 'waiting'>,
    readonly toWalk?: string,
  ) {}
}
