/** The whole list at the time when watching begins. */
export interface PageEvent<Item> {
  type: 'page';
  items: Item[];
}

/** One step of a list. `at` is the index after the previous steps. */
export interface StepEvent<Item> {
  /** An item that has moved leaves and enters. */
  type: 'enter' | 'leave' | 'change';
  item: Item;
  at: number;
}

/** An event of a watched list, or of watched nodes. */
export type WatchEvent<Item = unknown> = (PageEvent<Item> | StepEvent<Item>) & {
  /** ISO time. The list shows every change projected before this time. */
  upTo: string;
};

/** Applies one event to a list, in place. */
export function applyWatchEvent<Item>(items: Item[], event: WatchEvent<Item>): void {
  if (event.type === 'page') items.splice(0, items.length, ...event.items);
  else if (event.type === 'enter') items.splice(event.at, 0, event.item);
  else if (event.type === 'leave') items.splice(event.at, 1);
  else items[event.at] = event.item;
}
