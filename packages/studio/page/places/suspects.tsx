import { useState } from 'preact/hooks';
import { figureText } from '../../../../src/foundation/figure.ts';
import type { SuspectsAnswer } from '../../api/trust.ts';
import { type Asked, useAskedLater } from '../base/ask.ts';
import { ItemLink } from '../base/place.tsx';
import { RepairNode } from '../items/repair-node.tsx';
import { Badge, Card } from '../parts/told.tsx';

/** Milliseconds until the items that need a look are read again. */
const AGAIN_MS = 10_000;
/** What a repair of the node puts right: the drift of a check, and that of the observer. */
const REPAIRABLE = ['missing', 'stale', 'orphan', 'drift'];

/** Lists the items that need a look, worst first. Renders nothing if there are none. */
export function Suspects({ asked, isWritable = false }: { asked: Asked<SuspectsAnswer>; isWritable?: boolean }) {
  const [repaired, setRepaired] = useState<readonly string[]>([]);
  useAskedLater(asked, AGAIN_MS);
  const { items, more } = asked.answer ?? { items: [], more: 0 };
  if (items.length === 0) return null;
  return (
    <Card title="Items that need a look">
      <ul class="nodes">
        {items.map(({ source, target, why }) => {
          const isRepairable = REPAIRABLE.includes(why);
          // The row stays until the items are read again, so that one sees what the repair did.
          const isRepaired = isRepairable && repaired.includes(source);
          return (
            <li key={`${source} ${target}`}>
              <ItemLink source={source} target={target} />{' '}
              <Badge kind={isRepaired ? 'good' : 'bad'}>{isRepaired ? 'repaired' : why}</Badge>{' '}
              {isWritable && isRepairable && !isRepaired && (
                <RepairNode id={source} onDone={() => setRepaired([...repaired, source])} />
              )}
            </li>
          );
        })}
      </ul>
      {more > 0 && <p class="quiet">and {figureText(more)} more</p>}
    </Card>
  );
}
