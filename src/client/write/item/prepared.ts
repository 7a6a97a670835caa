import type { Item } from '../../../core/items/attribute-value.ts';
import type { BaseChange, BaseCondition } from '../../../core/store-port.ts';
import type { ConditionFailedError } from './conditions.ts';

/** An operation of a transaction. */
export interface Prepared {
  change: BaseChange;
  /** The condition that the caller asked for. */
  asked: BaseCondition;
  /** The error if that condition does not hold, with the item as it is. */
  refusal: (current: Item | undefined) => ConditionFailedError;
  /** The change depends on more than was asked for: on what was read. If only this fails, it is prepared again. */
  isGuarded?: boolean;
  /** What was read shows that the condition that was asked for does not hold. */
  isRefused?: boolean;
}
