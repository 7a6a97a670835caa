import { useEffect, useRef, useState } from 'preact/hooks';
import type { FlowAnswer } from '../../base/flow.ts';
import { type Asked, askStudio, type Failure } from './ask.ts';
import { isLost, onConnection } from './connection.ts';

/** An answer, and the one before it. */
interface Tick {
  answer: FlowAnswer;
  before: FlowAnswer | undefined;
}

const EVERY_MS = 1_000;
/** After a question without an answer. */
const LATER_MS = 5_000;

/** All parts of the page follow the stream by the same questions: a listener gets the last answer, or why there is none. */
const listeners = new Set<(told: Tick | Failure) => void>();
let last: Tick | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

async function ask(): Promise<void> {
  let waitMs = EVERY_MS;
  try {
    if (!document.hidden) {
      const answer = await askStudio<FlowAnswer>('/api/flow', { after: last && String(last.answer.seen) });
      last = { answer, before: last?.answer };
      for (const listen of listeners) listen(last);
    }
  } catch (failure) {
    waitMs = LATER_MS;
    for (const listen of listeners) listen(failure as Failure);
  }
  askAfter(waitMs);
}

function askAfter(ms: number): void {
  clearTimeout(timer);
  timer = listeners.size === 0 ? undefined : setTimeout(() => void ask(), ms);
}

onConnection(() => {
  if (!isLost()) askAfter(0);
});

/** Calls with each answer, and asks as long as somebody listens. Returns how to stop. */
function follow(listen: (told: Tick | Failure) => void): () => void {
  listeners.add(listen);
  if (timer === undefined) askAfter(0);
  return () => {
    listeners.delete(listen);
  };
}

/** Whether some nodes are followed, and how often something of them was written. */
export interface Touches {
  isLive: boolean;
  /** Why they cannot be followed now. */
  failure?: string | undefined;
  count: number;
}

const STILL: Touches = { isLive: false, count: 0 };

/**
 * Follows what is written to a node, or to the nodes of a type, while the page is in front.
 *
 * @param of the id, or a type with its hyphen: `GOAL-`; undefined follows nothing.
 * @param isList true if an index is read, which has a change a little later: each change counts again a second later.
 */
export function useTouches(of: string | undefined, isList = false): Touches {
  const [state, setState] = useState<{ of?: string; touches: Touches }>({ touches: STILL });
  useEffect(() => {
    if (of === undefined) return;
    let touches = STILL;
    const isOf = (id: string): boolean => (of.endsWith('-') ? id.startsWith(of) : id === of);
    const isIn = ({ changed }: FlowAnswer): boolean => changed === null || changed.some(isOf);
    return follow((told) => {
      let { count } = touches;
      let failure: string | undefined;
      if ('answer' in told) {
        const { answer, before } = told;
        if (isIn(answer) || (isList && before !== undefined && isIn(before))) count += 1;
        failure = answer.hasStream ? (answer.failure ?? undefined) : 'The table has no stream.';
      } else failure = told.message;
      if (count === touches.count && failure === touches.failure && touches.isLive === (failure === undefined)) return;
      touches = { isLive: failure === undefined, failure, count };
      setState({ of, touches });
    });
  }, [of, isList]);
  return state.of === of ? state.touches : STILL;
}

/** Asks again whenever something was written: one question at a time, and one more for what was written while it was under way. */
export function useAskedAgain({ again, isWaiting }: Pick<Asked<unknown>, 'again' | 'isWaiting'>, count: number): void {
  const answered = useRef(0);
  useEffect(() => {
    // Other nodes begin to count at 0.
    if (count < answered.current) answered.current = 0;
    if (isWaiting || count === answered.current) return;
    answered.current = count;
    again();
  }, [again, isWaiting, count]);
}
