import type { Item } from '../../../core/items/attribute-value.ts';
import type { BaseChange, BaseCondition } from '../../../core/store-port.ts';
import type { ConditionFailedError } from './conditions.ts';

export interface Prepared {
  change: BaseChange;
  asked: BaseCondition;
  refusal: (current: Item | undefined) => ConditionFailedError;
  /** The change also depends on what was read. If only that has changed, the change is prepared again. */
  isGuarded?: boolean;
  /** The requested condition already fails for the item that was read. */
  isRefused?: boolean;
}
