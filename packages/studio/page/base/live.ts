import { useEffect, useState } from 'preact/hooks';
import { applyWatchEvent, type WatchEvent } from '../../../../src/client/feed/watch-types.ts';
import { addressOf, type PlaceParameters } from './address.ts';
import { followEvents, type Moving } from './events.ts';

/** A row of a list that moves. */
export interface LiveRow<T> {
  /** Stays with the row as long as it is in the list. */
  key: number;
  item: T;
  /** True if it came in while one looked. */
  isFresh: boolean;
}

/** A list that moves. */
export interface Live<T> extends Moving {
  /** Undefined before the first events. */
  rows?: readonly LiveRow<T>[];
}

/** Rows of a first page, where its place does not say how many. */
export const FIRST_ROWS = '50';
const STILL: Live<never> = { isLive: false };
let newestKey = 0;

/**
 * Follows the beginning of a list while the page is in front.
 *
 * @param parameters those of `/api/query`; undefined follows nothing.
 */
export function useLive<T>(parameters: PlaceParameters | undefined): Live<T> {
  const address = parameters && addressOf('/api/watch', parameters);
  const [state, setState] = useState<{ address?: string; live: Live<T> }>({ live: STILL });
  useEffect(() => {
    if (address === undefined) return;
    let rows: LiveRow<T>[] | undefined;
    return followEvents<WatchEvent<T>>(
      address,
      undefined,
      (event) => {
        const next = [...(rows ?? [])];
        applyWatchEvent(next, rowEvent(event, next));
        rows = next;
      },
      (moving) => setState({ address, live: { ...(rows !== undefined && { rows }), ...moving } }),
    );
  }, [address]);
  return state.address === address ? state.live : STILL;
}

/** The same event, of rows that have keys. `before`: the rows that it comes upon. */
function rowEvent<T>(event: WatchEvent<T>, before: readonly LiveRow<T>[]): WatchEvent<LiveRow<T>> {
  const newRow = (item: T, isFresh: boolean): LiveRow<T> => {
    newestKey += 1;
    return { key: newestKey, item, isFresh };
  };
  if (event.type === 'resync') return event;
  if (event.type === 'page') return { ...event, items: event.items.map((item) => newRow(item, false)) };
  if (event.type === 'enter') return { ...event, item: newRow(event.item, true) };
  return { ...event, item: { ...before[event.at]!, item: event.item } };
}
