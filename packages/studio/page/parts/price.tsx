import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { figureText } from '../../../../src/foundation/figure.ts';
import type { EdgeCount } from '../../base/edge-count.ts';
import { UNITS_AT_ONCE } from '../../base/price.ts';

/** A look at the table. A costly one waits for a button, which says what is done and the price: `Count the 200 shards (at least 100 RCU)`. */
export function Priced({ units, doing, children }: { units: number; doing: string; children: ComponentChildren }) {
  const [isWanted, setWanted] = useState(units <= UNITS_AT_ONCE);
  if (isWanted) return <>{children}</>;
  return (
    <p>
      <button type="button" onClick={() => setWanted(true)}>
        {doing} (at least {figureText(units)} RCU)
      </button>
    </p>
  );
}

/** A number of edges in words: `1,204`, or `at least 500`. */
export function countedText({ count, isExact }: EdgeCount): string {
  return isExact ? figureText(count) : `at least ${figureText(count)}`;
}
