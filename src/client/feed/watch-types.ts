/** The whole list, read for the first time or again. */
export interface PageEvent<Item> {
  type: 'page';
  /** In list order. */
  items: Item[];
}

/** One step of a list. Apply steps in order: each index counts after the previous steps. */
export interface StepEvent<Item> {
  /**
   * `enter`: an item is added at `at`; `leave`, `change`: the item at `at` is removed, or has other attributes. An item
   * that has moved leaves and enters.
   */
  type: 'enter' | 'leave' | 'change';
  item: Item;
  /** Index in the list. */
  at: number;
}

/** Changes may have been missed; a `page` follows. */
export interface ResyncEvent {
  type: 'resync';
  /** One sentence. */
  reason: string;
}

/** An event of a watched list, or of watched nodes. */
export type WatchEvent<Item = unknown> = (PageEvent<Item> | StepEvent<Item> | ResyncEvent) & {
  /**
   * ISO time: after this event and those before it, the list shows every change projected before this time. On a quiet
   * stream it lags by seconds, since records may arrive late. It stays put for the first ten seconds, since an index
   * may lag.
   */
  upTo: string;
};

/**
 * Applies one event to a list, in place.
 *
 * @example
 * const items = [];
 * for await (const event of reader.watch({ inbound: ['USER-U1', 'TICKET'] })) {
 *   applyWatchEvent(items, event);
 *   show(items);
 * }
 */
export function applyWatchEvent<Item>(items: Item[], event: WatchEvent<Item>): void {
  if (event.type === 'page') items.splice(0, items.length, ...event.items);
  else if (event.type === 'enter') items.splice(event.at, 0, event.item);
  else if (event.type === 'leave') items.splice(event.at, 1);
  else if (event.type === 'change') items[event.at] = event.item;
}
