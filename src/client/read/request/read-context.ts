import type { NumberReader } from '../../../core/items/plain.ts';
import type { CompiledModel } from '../../../core/model/compiled.ts';
import type { Store } from '../../../core/store-port.ts';
import { describe } from '../../../foundation/describe.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import type { OptionNames } from '../../../foundation/options.ts';
import type { ProjectionsInForce } from '../../../registry/projections-in-force.ts';
import type { CallOptions, Spending } from '../../call/capacity.ts';
import type { Session } from '../../session/session.ts';
import type { CursorKey } from './cursor.ts';

export interface ReadContext {
  graph: CompiledModel;
  store: Store;
  /** Also returns ended items, for comparisons and counts of all that is stored. */
  stored: Store;
  concurrency: number;
  readNumber: NumberReader;
  session?: Session;
  now: () => number;
  cursorKey?: CursorKey;
  projections: ProjectionsInForce;
  /** Set only if `maxRcu` is given. */
  spending?: Spending | undefined;
}

/** Options that most reads take. */
export interface EveryReadOptions<Asked extends boolean | undefined = boolean | undefined> extends CallOptions<Asked> {
  /** Includes ended items that DynamoDB hasn't deleted yet. Default: false. */
  includeExpired?: boolean | undefined;
}

/** Options of `getNode`, `getEdge`, `has` and `degree`. */
export interface ItemReadOptions<Asked extends boolean | undefined = boolean | undefined>
  extends EveryReadOptions<Asked> {
  /** Strongly consistent reads, at twice the capacity. Default: false. */
  consistent?: boolean | undefined;
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
    'invalid-argument',
    `${name} should be a whole number of 1 or more, but is ${describe(limit)}.`,
    'Read on with the cursor of each page instead of asking for everything at once.',
  );
}

export function refuseConsistent(consistent: boolean | undefined, read: string): void {
  if (consistent !== true) return;
  throw new EdgeloomError(
    'invalid-argument',
    `${read} reads a global secondary index, and DynamoDB has no consistent reads of those.`,
    'Use get, edges or has with consistent: true, or a session, which shows its own writes at once.',
  );
}
