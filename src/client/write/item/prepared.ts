import type { Item } from '../../../core/items/attribute-value.ts';
import type { BaseChange, BaseCondition } from '../../../core/store-port.ts';
import type { ConditionFailedError } from './conditions.ts';

export interface Prepared {
  change: BaseChange;
  asked: BaseCondition;
  refusal: (current: Item | undefined) => ConditionFailedError;
  /** The change also depends on what was read. If only this fails, it is prepared again. */
  isGuarded?: boolean;
  /** What was read already shows that the requested condition fails. */
  isRefused?: boolean;
}
