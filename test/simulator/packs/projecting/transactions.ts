import type { Item } from '../../../../src/core/items/attribute-value.ts';
import type { ItemKey } from '../../../../src/core/store-port.ts';
import type { Agenda } from '../../kernel/agenda.ts';
import { keysOf } from '../../kernel/values.ts';

/** An item that a transaction is writing. */
interface Underway {
  /** As it was; undefined: absent. */
  before: Item | undefined;
  /** From then on GetItem gives it as the transaction leaves it. */
  shownAtMs: number;
  /** The transaction is acknowledged: everything reads what it wrote, and others may write. */
  endsAtMs: number;
}

/**
 * Transactions that are decided and not yet acknowledged. GetItem shows all of one at one moment. Query, Scan and BatchGet
 * show of each item what was before or what is after, as they please. Nothing else may write any of its items.
 */
export class Transactions {
  private readonly items = new Map<string, Underway>();

  constructor(private readonly agenda: Agenda) {}

  /** Enters the items that a transaction has changed. */
  begin(items: readonly { key: ItemKey; before: Item | undefined }[], shownInMs: number, endsInMs: number): void {
    const { now } = this.agenda;
    for (const { key, before } of items) {
      this.items.set(keysOf(key), { before, shownAtMs: now + shownInMs, endsAtMs: now + endsInMs });
    }
  }

  /** Milliseconds until the transactions of these items are acknowledged. */
  remainingMs(keys: readonly ItemKey[]): number {
    return Math.max(0, ...keys.map((key) => (this.find(key)?.endsAtMs ?? this.agenda.now) - this.agenda.now));
  }

  /** The item before the transaction that writes it; undefined where none does. */
  find(key: ItemKey): Underway | undefined {
    const found = this.items.get(keysOf(key));
    if (found === undefined || found.endsAtMs > this.agenda.now) return found;
    this.items.delete(keysOf(key));
    return undefined;
  }

  /** The item before a transaction that GetItem does not show yet. */
  hidden(key: ItemKey): Underway | undefined {
    const found = this.find(key);
    return found !== undefined && found.shownAtMs > this.agenda.now ? found : undefined;
  }
}
