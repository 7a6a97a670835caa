import type { EdgeloomError } from '../errors.ts';
import type { CompiledModel } from '../model/compiled.ts';
import type { TableRegions } from '../registry/identity.ts';
import type { TableIdentity } from '../registry/registry.ts';
import type { Abortable } from '../store/abortable.ts';
import type { ScanSource, Store } from '../store/port.ts';
import type { MigrateAction } from './action.ts';
import type { Step } from './next-step.ts';
import type { MigratePlace } from './walks/place.ts';

/** Options of a migration. */
export interface MigrateOptions extends Abortable {
  /** The model that the table shall have. */
  graph: CompiledModel;
  /** The table. */
  store: Store & ScanSource;
  /** Which table and stream these are. Absent: unknown, and not compared. */
  table?: TableIdentity;
  /** Where the table is, if it has replicas in other regions. Absent: it has none. */
  regions?: TableRegions | undefined;
  /** What to take away besides: see `MigrateAction`. */
  action?: MigrateAction;
  /** Steps at most; then it says what is next. Default: all. 0 only looks. */
  mostSteps?: number;
  /** Parts that the table is read in at once. Default 4. */
  segments?: number;
  /** Calls in flight at once. Default 16. */
  concurrency?: number;
  /** Milliseconds of a clock that never goes back, for how long steps took. Default: the process's. */
  clock?: () => number;
  /**
   * DynamoDB's own clock, in milliseconds since 1970: `serverTime(client, graph)`. It tells since when something is kept, and how long a
   * pause between two calls has lasted. Undefined where it does not tell. Default: `now`.
   */
  serverTime?: (() => Promise<number | undefined>) | undefined;
  /** Milliseconds since 1970, for the expiry of tombstones. Default: the machine's. */
  now?: () => number;
  /**
   * Milliseconds left, asked again and again; at 0 the run stops and gives its place, also in the middle of a walk over the
   * table. Default: no end.
   */
  remainingMs?: () => number;
  /** The caller waits for readers between two runs: a run does not wait, it gives its place and `waitSeconds`. Default false. */
  waitsBetweenCalls?: boolean;
  /** Goes on where a run stopped; without it the registry says what is done, and a walk begins anew. */
  resume?: MigratePlace | undefined;
  /** Waits so many milliseconds. Default: a timer. */
  wait?: (milliseconds: number) => Promise<void>;
  /** Chance, 0 to 1: the jitter of retries, and the number of the first shape of a table with items. Default: `Math.random`. */
  random?: () => number;
  /** Called after each step. */
  onStep?: (step: MigrateStep) => void;
  /** Called before it waits for something else than readers, with the reason. */
  onWait?: (reason: EdgeloomError, milliseconds: number) => void;
  /** Called with how many items a walk over the table has passed, and what it does: `backfill`, `verify`, ... */
  onProgress?: (items: number, phase: string) => void;
}

/** A step that was made. */
export interface MigrateStep {
  /** What was done: `keep`, `backfill`, `ready`, ... */
  step: Step['kind'];
  /** What it concerns, with ids: `search:USER.name@2`. */
  projection: string;
  /** What it is now: `kept`, `ready`, `absent`, of views `trusted`, `distrusted`. */
  state: string;
  writes: number;
  wcu: number;
  rcu: number;
  seconds: number;
}

/** What a migration came to. */
export interface MigrateResult {
  steps: MigrateStep[];
  /** Whether the table keeps everything as the model has it. */
  done: boolean;
  /** What comes next, in words; empty where nothing does. */
  next: string;
  /** Where to go on; there where the run stopped for want of time, or for its caller to wait. */
  place?: MigratePlace;
  /** Seconds to wait before the next call; there where a place is. */
  waitSeconds?: number;
}
