/** The whole list when watching begins. */
export interface PageEvent<Item> {
  type: 'page';
  items: Item[];
}

/** One change to a list. `at` is the item's index after the previous steps. */
export interface StepEvent<Item> {
  /** An item that has moved leaves and enters. */
  type: 'enter' | 'leave' | 'change';
  item: Item;
  at: number;
}

/** An event of `Reader.watch`. */
export type WatchEvent<Item = unknown> = (PageEvent<Item> | StepEvent<Item>) & {
  /** ISO time. The list shows every change projected before this time. */
  upTo: string;
};

/** Applies an event to `items`, in place. */
export function applyWatchEvent<Item>(items: Item[], event: WatchEvent<Item>): void {
  if (event.type === 'page') items.splice(0, items.length, ...event.items);
  else if (event.type === 'enter') items.splice(event.at, 0, event.item);
  else if (event.type === 'leave') items.splice(event.at, 1);
  else items[event.at] = event.item;
}
