import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { figureText } from '../../../../src/foundation/figure.ts';
import type { EdgeCount, EdgeEnd } from '../../base/ended-counts.ts';
import { UNITS_AT_ONCE } from '../../base/price.ts';
import { askStudio, type Failure } from '../base/ask.ts';
import { FailureNote } from './told.tsx';

/** The price of a look, before it is taken: `100 RCU or more`. */
export function priceText(units: number): string {
  return `${figureText(units)} RCU or more`;
}

/** A look at the table. A costly one waits for a button, which says what is done and the price: `Count the 200 shards: 100 RCU or more`. */
export function Priced({ units, doing, children }: { units: number; doing: string; children: ComponentChildren }) {
  const [isWanted, setWanted] = useState(units <= UNITS_AT_ONCE);
  if (isWanted) return <>{children}</>;
  return (
    <p>
      <button type="button" onClick={() => setWanted(true)}>
        {doing}: {priceText(units)}
      </button>
    </p>
  );
}

/** How much more the next count may take than the one before. */
const STEP = 10;

/** The properties of a count. */
export interface CountedProps {
  id: string;
  type: string;
  direction: EdgeEnd['direction'];
  /** The number that the place has read. */
  counted: EdgeCount;
}

/** A number of edges. Where the count was ended for its price, a button says what it takes at most to count on. */
export function Counted({ id, type, direction, counted }: CountedProps) {
  const [more, setMore] = useState<EdgeCount>();
  const [most, setMost] = useState(UNITS_AT_ONCE * STEP);
  const [isCounting, setCounting] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const { count, isExact } = more === undefined || counted.isExact || counted.count > more.count ? counted : more;
  const countOn = (): void => {
    setCounting(true);
    askStudio<EdgeCount>('/api/edge-count', { id, type, direction, rcu: String(most) })
      .then((answer) => {
        setFailure(undefined);
        setMore(answer);
        setMost(most * STEP);
      }, setFailure)
      .finally(() => setCounting(false));
  };
  return (
    <>
      {countedText({ count, isExact })}{' '}
      {!isExact && (
        <button type="button" disabled={isCounting} onClick={countOn}>
          {isCounting ? 'Counting …' : `Count on: ${figureText(most)} RCU at most`}
        </button>
      )}
      {failure !== undefined && <FailureNote failure={failure} />}
    </>
  );
}

/** A number of edges in words: `1,204`, or `at least 500`. */
export function countedText({ count, isExact }: EdgeCount): string {
  return isExact ? figureText(count) : `at least ${figureText(count)}`;
}
