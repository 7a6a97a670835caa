import type { ScanSource, Store } from '../core/store-port.ts';
import type { TelemetryOption } from '../core/telemetry.ts';
import type { EdgeloomError } from '../foundation/errors.ts';
import type { RuntimeOptions } from '../foundation/runtime.ts';
import type { TableRegions } from '../registry/identity.ts';
import type { TableIdentity } from '../registry/registry.ts';
import type { WalkedItem } from '../store/table-walk.ts';
import type { MigrateAction } from './action.ts';
import type { Step } from './steps/step.ts';
import type { MigratePlace } from './walks/place.ts';

/** Options of a migration. */
export interface MigrateOptions extends RuntimeOptions, TelemetryOption {
  /** The table. */
  store: Store & ScanSource;
  /** The table and stream that the store reads. Absent: unknown, and not compared. */
  table?: TableIdentity;
  /** The regions of the table and of its replicas. Absent: it has no replicas. */
  regions?: TableRegions | undefined;
  /** Projections to remove besides: see `MigrateAction`. */
  action?: MigrateAction;
  /** The most steps of this run; the result then says what is next. Default: all. 0 only looks. */
  mostSteps?: number;
  /** The number of segments that are read at once. Default 4. */
  segments?: number;
  /** Items of a page of a walk. A page that has begun is finished when time is over: at a low rate it has to be small. Default 500. */
  pageItems?: number | undefined;
  /** Calls in flight at once. Default 16. */
  concurrency?: number;
  /** A clock that never goes back, in milliseconds, to measure steps. Default: the process's. */
  clock?: () => number;
  /**
   * DynamoDB's own clock, in milliseconds since 1970: `serverTime(graph, { client })`. It dates the registry's entries, and measures
   * the pause between two calls. It returns undefined if the time is not known. Default: `now`.
   */
  serverTime?: (() => Promise<number | undefined>) | undefined;
  /**
   * True if the caller waits for readers between two runs. Then a run does not wait: it returns its place and `waitSeconds`.
   * Default false.
   */
  waitsBetweenCalls?: boolean;
  /**
   * How late a write of a consumer may land, in milliseconds; items that are retired are deleted after that time. Default: 20 minutes. 0 for a table
   * on this machine, where no write is under way for long.
   */
  lateWritesMs?: number | undefined;
  /**
   * Goes on where base items cannot be in a projection that is built: a label that a rank lacks, a value of another type, a `derive`
   * that throws. Readers then miss these items. Default false: the run throws `items-left-out` before readers use the projection.
   */
  acceptLeftOut?: boolean | undefined;
  /**
   * The walks over the table that this run makes. Default: all. `others`: none; the run stops where one is to be made, and `toWalk` of
   * the result names it. `{ only }`: the walk of this name in the segments of `resume`, and nothing else.
   */
  walks?: 'others' | { only: string } | undefined;
  /** The place where a run stopped. Without it the registry says what is done, and a walk begins at the start of the table. */
  resume?: MigratePlace | undefined;
  /** Called after each step. */
  onStep?: (step: MigrateStep) => void;
  /** Called before a wait that is not for readers, with the reason. */
  onWait?: (reason: EdgeloomError, milliseconds: number) => void;
  /** Called with the number of items that a walk over the table has passed, and its phase: `backfill`, `verify`, ... */
  onProgress?: (items: number, phase: string) => void;
  /** Called with the items of each page that a walk over the table has visited, and the name of the walk. */
  onItems?: (items: readonly WalkedItem[], walk: string) => void;
}

/** A finished step. */
export interface MigrateStep {
  /** The kind of the step: `keep`, `backfill`, `ready`, ... */
  step: Step['kind'];
  /** The projection, with ids: `search:USER.name@2`. */
  projection: string;
  /** Its state after the step: `kept`, `ready`, `absent`; for views `trusted`, `distrusted`. */
  state: string;
  writes: number;
  wcu: number;
  rcu: number;
  seconds: number;
}

/** The result of a migration. */
export interface MigrateResult {
  steps: MigrateStep[];
  /** True if the table maintains everything in the model. */
  done: boolean;
  /** The next step, in words; empty if there is none. */
  next: string;
  /**
   * The actions that take away what only other models have, as a migration that was killed or rolled back leaves it. Empty while steps of
   * the model are left.
   */
  leftovers: MigrateAction[];
  /** The place to continue from; present if the run stopped because time was over, or for its caller to wait. */
  place?: MigratePlace;
  /** Seconds to wait before the next call; present together with a place. */
  waitSeconds?: number;
  /** The walk that others are to make before the next call. */
  toWalk?: string;
}
