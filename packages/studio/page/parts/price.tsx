import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { figureText } from '../../../../src/foundation/figure.ts';
import type { EdgeCount } from '../../base/edge-count.ts';
import { UNITS_AT_ONCE } from '../../base/price.ts';

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

export function countedText({ count, isExact }: EdgeCount): string {
  return isExact ? figureText(count) : `at least ${figureText(count)}`;
}
