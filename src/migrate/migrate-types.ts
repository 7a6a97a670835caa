import type { ScanSource, Store } from '../core/store-port.ts';
import type { TelemetryOption } from '../core/telemetry.ts';
import type { EdgeloomError } from '../foundation/errors.ts';
import type { RuntimeOptions } from '../foundation/runtime.ts';
import type { TableRegions } from '../registry/identity.ts';
import type { TableIdentity } from '../registry/registry.ts';
import type { RateOptions } from '../store/metered.ts';
import type { WalkedItem } from '../store/table-walk.ts';
import type { MigrateAction } from './action.ts';
import type { Step } from './steps/step.ts';
import type { MigratePlace } from './walks/place.ts';

/** Options of a migration. */
export interface MigrateOptions extends RuntimeOptions, TelemetryOption, RateOptions {
  /** The table. */
  store: Store & ScanSource;
  /** The table and stream that the store reads. Absent: not compared. */
  table?: TableIdentity;
  /** The regions of the table and its replicas. Absent: no replicas. */
  regions?: TableRegions | undefined;
  /** What to remove besides, such as the `leftovers` of another run. All of it leaves together, after one wait. */
  action?: MigrateAction | readonly MigrateAction[];
  /** The most steps of this run; the result then says what is next. Default: all. 0 only looks. */
  mostSteps?: number;
  /** Segments read at once. Default 4. */
  segments?: number;
  /**
   * Items per page of a walk. A page is finished even if time runs out: at a low rate it has to be small. An item with
   * everything derived from it takes up to about 10 read and 10 write units. Default 500.
   */
  pageItems?: number | undefined;
  /** Calls in flight at once. Default 16. */
  concurrency?: number;
  /** A clock that never goes back, in milliseconds, to measure steps. Default: the process's. */
  clock?: () => number;
  /**
   * DynamoDB's clock, in milliseconds since 1970: `serverTime(graph, { client })`. Dates the registry's entries, and
   * measures the pause between two calls. Default: `now`.
   */
  serverTime?: (() => Promise<number | undefined>) | undefined;
  /**
   * True if the caller waits for readers between runs: a run then returns its place and `waitSeconds`. Default false.
   */
  waitsBetweenCalls?: boolean;
  /**
   * How late a consumer's write may arrive, in milliseconds; retired items are deleted after that time. Default: 20
   * minutes. Use 0 for a local table.
   */
  lateWritesMs?: number | undefined;
  /**
   * Continue although base items can't be in a projection that is built: a label that a rank lacks, a value of another
   * type, a `derive` that throws. Readers then miss these items. Default false: the run throws `items-left-out` before
   * readers use the projection.
   */
  acceptLeftOut?: boolean | undefined;
  /**
   * The walks over the table that this run makes. Default: all. `others`: none; the run stops before a walk, and names
   * it as `toWalk`. `{ only }`: just this walk, in the segments of `resume`.
   */
  walks?: 'others' | { only: string } | undefined;
  /**
   * The place where a run stopped. Without it the registry says what is done, and a walk begins at the table's start.
   */
  resume?: MigratePlace | undefined;
  /** Called after each step. */
  onStep?: (step: MigrateStep) => void;
  /** Called before a wait that isn't for readers, with the reason. */
  onWait?: (reason: EdgeloomError, milliseconds: number) => void;
  /** Called with the number of items that a walk has passed, and its phase: `backfill`, `verify`, ... */
  onProgress?: (items: number, phase: string) => void;
  /** Called with the items of each page that a walk has visited, and the walk's name. */
  onItems?: (items: readonly WalkedItem[], walk: string) => void;
}

/** A finished step. */
export interface MigrateStep {
  /** `add`, `backfill`, `ready`, ... */
  step: Step['kind'];
  /** The projection with ids: `search:USER.name@2`. */
  projection: string;
  /** Its state after the step: `building`, `ready`, `retired`; after other work, what was done: `verified`, `deleted`. */
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
  /** Actions that remove what only other models have. Empty while steps of the model are left. */
  leftovers: MigrateAction[];
  /** Where to continue; set if the run stopped because time ran out, or its caller has to wait. */
  place?: MigratePlace;
  /** Seconds to wait before the next call; set together with `place`. */
  waitSeconds?: number;
  /** The walk that others have to make before the next call. */
  toWalk?: string;
}
