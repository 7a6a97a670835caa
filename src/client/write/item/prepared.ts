import type { Item } from '../../../core/items/attribute-value.ts';
import type { BaseChange, BaseCondition } from '../../../core/store-port.ts';
import type { ConditionFailedError } from './conditions.ts';

export interface Prepared {
  change: BaseChange;
  /** The condition that the caller asked for. */
  asked: BaseCondition;
  /** The error if that condition fails, with the item as it is. */
  refusal: (current: Item | undefined) => ConditionFailedError;
  /** The change also depends on what was read. If only this fails, it is prepared again. */
  isGuarded?: boolean;
  /** What was read already shows that the requested condition fails. */
  isRefused?: boolean;
}
