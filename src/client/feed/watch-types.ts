/** The whole list, read for the first time or once more. */
export interface PageEvent<Item> {
  type: 'page';
  /** In the order of the list. */
  items: Item[];
}

/** One step of a list. The steps are taken one after the other, each at its index in the list as the steps before have left it. */
export interface StepEvent<Item> {
  /** An item comes in at `at`; the item at `at` goes, or has other attributes. An item that has moved leaves and enters. */
  type: 'enter' | 'leave' | 'change';
  item: Item;
  /** Index in the list. */
  at: number;
}

/** Changes may have been missed: a `page` follows. */
export interface ResyncEvent {
  type: 'resync';
  /** One sentence. */
  reason: string;
}

/** An event of a watched list, or of watched nodes. */
export type WatchEvent<Item = unknown> = (PageEvent<Item> | StepEvent<Item> | ResyncEvent) & {
  /**
   * An ISO time: a list that has taken this event and those before it shows every change that was projected before. On a quiet stream it lags
   * by seconds, since a record may show late. It does not move in the first ten seconds, since an index may lag.
   */
  upTo: string;
};

/**
 * Takes one event into a list, in place: a list that has taken all events so far is the watched one.
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
