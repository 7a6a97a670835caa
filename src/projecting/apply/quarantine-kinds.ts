import { type Item, stringOf } from '../../core/items/attribute-value.ts';
import { QUARANTINE_FIELDS } from '../../core/items/derived-item.ts';
import type { BatchResult, QuarantineKind } from './projector-types.ts';

/** Counts quarantine entries by code. A refused entry is listed separately, since nothing else names its item. */
export class QuarantineKinds {
  private readonly kinds = new Map<string, QuarantineKind>();

  add(entry: Item, isRefused: boolean): void {
    const code = stringOf(entry[QUARANTINE_FIELDS.code]) ?? '';
    const reason = stringOf(entry[QUARANTINE_FIELDS.reason]) ?? '';
    const kind = this.kinds.get(code);
    if (isRefused) this.kinds.set(`${code} ${this.kinds.size}`, { code, count: 1, reason, isRefused });
    else if (kind !== undefined) kind.count += 1;
    else this.kinds.set(code, { code, count: 1, reason });
  }

  asBatchResult(): Pick<BatchResult, 'quarantines'> {
    return this.kinds.size === 0 ? {} : { quarantines: [...this.kinds.values()] };
  }
}
