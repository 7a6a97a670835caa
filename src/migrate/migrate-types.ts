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
  /** The identity of the table and its stream, to compare with the registry's. Default: not compared. */
  table?: TableIdentity;
  /** The regions of the table and its replicas. Default: no replicas. */
  regions?: TableRegions | undefined;
  /**
   * Further projections to remove, such as the `leftovers` of another run. They are removed together, after one wait.
   */
  action?: MigrateAction | readonly MigrateAction[];
  /**
   * The maximum number of steps of this run; the result's `next` then names the next step. 0 makes none. Default: no
   * limit.
   */
  mostSteps?: number;
  /** Segments that a walk reads at once. Default: 4. */
  segments?: number;
  /**
   * Items per page of a walk. A page is finished even if time runs out, so use small pages with a low rate. An item
   * with everything derived from it takes up to about 10 read and 10 write units. Default: 500.
   */
  pageItems?: number | undefined;
  /** Calls in flight at once. Default: 16. */
  concurrency?: number;
  /** A monotonic clock in milliseconds, to measure the duration of steps. Default: `performance.now()`. */
  clock?: () => number;
  /**
   * Returns DynamoDB's time in milliseconds since 1970, such as `serverTime(graph, { client })`. It dates the
   * registry's entries and measures the wait between two calls. Default: `now`.
   */
  serverTime?: (() => Promise<number | undefined>) | undefined;
  /**
   * Whether the caller waits for readers between runs. A run then returns `place` and `waitSeconds` instead of waiting.
   * Default: false.
   */
  waitsBetweenCalls?: boolean;
  /**
   * How late a consumer's write may arrive, in milliseconds. Retired items are deleted only after that time. Default:
   * 20 minutes. Use 0 for a local table.
   */
  lateWritesMs?: number | undefined;
  /**
   * Whether to continue although some base items can't be in a projection that is built, because their label has no
   * rank, a value has the wrong type, or `derive` throws. Readers then miss these items. Default: false; the run throws
   * `items-left-out` before readers use the projection.
   */
  acceptLeftOut?: boolean | undefined;
  /**
   * The walks over the table that this run makes. `others`: none; the run stops before a walk and returns its name as
   * `toWalk`. `{ only }`: just the named walk, in the segments of `resume`. Default: all.
   */
  walks?: 'others' | { only: string } | undefined;
  /**
   * The `place` that an earlier run returned. Without it, the run continues from the registry, and walks begin at the
   * table's start.
   */
  resume?: MigratePlace | undefined;
  /** Called after each step. */
  onStep?: (step: MigrateStep) => void;
  /**
   * Called with the reason and the milliseconds before a wait for late writes, and once per index that takes long.
   * Never called with `waitsBetweenCalls`.
   */
  onWait?: (reason: EdgeloomError, milliseconds: number) => void;
  /**
   * Called as a walk progresses, with the number of items that it has passed and its phase, such as `backfill` or
   * `verify`.
   */
  onProgress?: (items: number, phase: string) => void;
  /** Called with the items of each page that a walk over the table has finished, and the walk's name. */
  onItems?: (items: readonly WalkedItem[], walk: string) => void;
}

/** A finished step. */
export interface MigrateStep {
  /** The kind of step, such as `add`, `backfill` or `ready`. */
  step: Step['kind'];
  /** The projections with their generations' ids, such as `search:USER.name@2`. */
  projection: string;
  /** The state after the step (`building`, `ready`, `retired`), or the work that was done (`verified`, `deleted`). */
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
  /** Actions that would remove projections that only other models have. Empty while steps of the model are left. */
  leftovers: MigrateAction[];
  /**
   * Where the next run continues. Set if this run stopped because time ran out, or because the caller has to wait or
   * walk.
   */
  place?: MigratePlace;
  /** Seconds to wait before the next call; set together with `place`. */
  waitSeconds?: number;
  /** The walk that others have to make before the next call. Only with `walks: 'others'`. */
  toWalk?: string;
}
