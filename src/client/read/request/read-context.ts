import { describe } from '../../../core/items/describe.ts';
import type { NumberReader } from '../../../core/items/plain.ts';
import type { CompiledModel } from '../../../core/model/compiled.ts';
import type { Store } from '../../../core/store-port.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import type { OptionNames } from '../../../foundation/options.ts';
import type { ProjectionsInForce } from '../../../registry/projections-in-force.ts';
import type { CallOptions, Spending } from '../../call/capacity.ts';
import type { Session } from '../../session/session.ts';
import type { CursorKey } from './cursor.ts';

/** What every read needs. */
export interface ReadContext {
  graph: CompiledModel;
  /** The table as reads show it. */
  store: Store;
  /** The table including ended items: a look compares everything stored. */
  stored: Store;
  /** The most DynamoDB calls that one read has in flight. */
  concurrency: number;
  /** How a number's text becomes a JS value. */
  readNumber: NumberReader;
  /** The session whose own writes answers show. */
  session?: Session;
  /** The current time in milliseconds since 1970. */
  now: () => number;
  /** Signs cursors if set. */
  cursorKey?: CursorKey;
  /** The projections that this read may use. */
  projections: ProjectionsInForce;
  /** What a read with `maxRcu` has spent; absent without such a bound. */
  spending?: Spending | undefined;
}

/** Options of every read. */
export interface EveryReadOptions<Asked extends boolean | undefined = boolean | undefined> extends CallOptions<Asked> {
  /** Includes expired items that aren't deleted yet, and what is derived from them, for types with `expires`. Default false. */
  includeExpired?: boolean | undefined;
}

export const READ_OPTIONS: OptionNames<EveryReadOptions> = {
  signal: true,
  capacity: 'boolean',
  includeExpired: 'boolean',
};

const DEFAULT_LIMIT = 100;

export function checkLimit(limit: number | undefined, name = 'limit', otherwise = DEFAULT_LIMIT): number {
  if (limit === undefined) return otherwise;
  if (Number.isSafeInteger(limit) && limit >= 1) return limit;
  throw new EdgeloomError(
    'invalid-limit',
    `${name} should be a whole number of 1 or more, but is ${describe(limit)}.`,
    'Read on with the cursor of each page instead of asking for everything at once.',
  );
}

/** DynamoDB has no consistent reads of an index. Throws `no-consistent-index-read`. */
export function refuseConsistent(consistent: boolean | undefined, read: string): void {
  if (consistent !== true) return;
  throw new EdgeloomError(
    'no-consistent-index-read',
    `${read} reads a global secondary index, and DynamoDB has no consistent reads of those.`,
    'Use get, edges or has with consistent: true, or a session, which shows its own writes at once.',
  );
}
