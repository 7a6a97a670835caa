import type { Item } from '../../../core/items/attribute-value.ts';
import type { BaseChange, BaseCondition } from '../../../core/store-port.ts';
import type { ConditionFailedError } from './conditions.ts';

export interface Prepared {
  change: BaseChange;
  asked: BaseCondition;
  refusal: (current: Item | undefined) => ConditionFailedError;
  /** True if the change also depends on what was read. If only that has changed, the change is prepared again. */
  isGuarded?: boolean;
  /** True if the requested condition already fails for the item that was read. */
  isRefused?: boolean;
}
