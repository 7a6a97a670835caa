import { useEffect, useRef, useState } from 'preact/hooks';
import type { TouchedPlaces } from '../../base/touched.ts';
import type { Asked } from './ask.ts';
import { followEvents, type Moving } from './events.ts';

/** True if some places are followed, and how often something in them was written. */
export interface Touches extends Moving {
  count: number;
}

const NONE: Touches = { isLive: false, count: 0 };

/** Follows what is written in some places while the page is in front. `places`: undefined follows nothing. */
export function useTouches(places: TouchedPlaces | undefined): Touches {
  const body = places && JSON.stringify(places);
  const [state, setState] = useState<{ body?: string; touches: Touches }>({ touches: NONE });
  useEffect(() => {
    if (body === undefined) return;
    let count = 0;
    return followEvents(
      '/api/touched',
      JSON.parse(body) as object,
      () => {
        count += 1;
      },
      (moving) => setState({ body, touches: { ...moving, count } }),
    );
  }, [body]);
  return state.body === body ? state.touches : NONE;
}

/** Asks again whenever something was written: one question at a time, and one more for what was written while it was under way. */
export function useAskedAgain({ again, isWaiting }: Pick<Asked<unknown>, 'again' | 'isWaiting'>, count: number): void {
  const answered = useRef(0);
  useEffect(() => {
    // Another set of places begins to count at 0.
    if (count < answered.current) answered.current = 0;
    if (isWaiting || count === answered.current) return;
    answered.current = count;
    again();
  }, [again, isWaiting, count]);
}
