import { isTypeName, notATypeName } from '../../core/items/keys.ts';
import { checkOptions } from '../../foundation/options.ts';

/** Options of `newId`. */
export interface NewIdOptions {
  /**
   * Makes ids sort by creation time (UUID version 7): to the millisecond and, within a process, exactly. Default:
   * false.
   */
  sortable?: boolean | undefined;
}

const MOST_OF_A_MILLISECOND = 0xfff;
let last = { ms: 0, number: 0 };

/**
 * Returns a new node id with a random or sortable UUID, such as `GOAL-…`.
 *
 * @example
 * newId('TICKET', { sortable: true }); // sorts after earlier tickets
 */
export function newId<T extends string>(type: T, options: NewIdOptions = {}): `${T}-${string}` {
  checkOptions('newId', options, { sortable: 'boolean' });
  if (!isTypeName(type)) throw notATypeName(type);
  const random = globalThis.crypto.randomUUID();
  return `${type}-${options.sortable === true ? sortableUuid(random) : random}`;
}

/** UUID version 7 (RFC 9562): milliseconds, a number within the millisecond, and the end of a random UUID. */
function sortableUuid(random: string): string {
  // If the clock was set back, continue in the last id's millisecond.
  const now = Math.max(Date.now(), last.ms);
  const number = now === last.ms ? last.number + 1 : 0;
  // If the millisecond has no number left, continue in the next one.
  last = number > MOST_OF_A_MILLISECOND ? { ms: now + 1, number: 0 } : { ms: now, number };
  const hex = last.ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${last.number.toString(16).padStart(3, '0')}${random.slice(18)}`;
}
