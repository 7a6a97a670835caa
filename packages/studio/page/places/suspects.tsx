import { useState } from 'preact/hooks';
import type { SuspectsAnswer } from '../../api/trust.ts';
import type { Suspect } from '../../base/suspects.ts';
import { type Asked, useAskedLater } from '../base/ask.ts';
import { ItemLink } from '../base/place.tsx';
import { reasonOf } from '../base/words.ts';
import { Redrive } from '../items/redrive.tsx';
import { RepairNode } from '../items/repair-node.tsx';
import { Badge, Card, Told } from '../parts/told.tsx';

const AGAIN_MS = 10_000;
const REPAIRABLE = ['missing', 'stale', 'orphan', 'drift'];

export function Suspects({ asked, isWritable }: { asked: Asked<SuspectsAnswer>; isWritable: boolean }) {
  // Repaired items stay visible until the page is left.
  const [repaired, setRepaired] = useState<readonly Suspect[]>([]);
  useAskedLater(asked, AGAIN_MS);
  return (
    <Card title="Needs attention">
      <Told asked={asked}>
        {({ items, hasMore }) => (
          <>
            {items.length === 0 && <p class="quiet">No drift is known, and nothing is in quarantine.</p>}
            <ul class="items">
              {items
                .filter((item) => !repaired.some((one) => isSame(one, item)))
                .map(({ source, target, why, reason }) => (
                  <li key={`${source} ${target}`}>
                    <ItemLink source={source} target={target} /> <Badge kind="bad">{why}</Badge>{' '}
                    {reason !== undefined && <bdi>{reasonOf({ source, target, reason })} </bdi>}
                    {isWritable && REPAIRABLE.includes(why) && (
                      <RepairNode
                        id={source}
                        onDone={() =>
                          setRepaired((before) => [
                            ...before,
                            ...items.filter((one) => one.source === source && REPAIRABLE.includes(one.why)),
                          ])
                        }
                      />
                    )}
                    {isWritable && reason !== undefined && <Redrive id={source} onDone={asked.again} />}
                  </li>
                ))}
              {repaired.map(({ source, target }) => (
                <li key={`repaired ${source} ${target}`}>
                  <ItemLink source={source} target={target} /> <Badge kind="good">repaired</Badge>
                </li>
              ))}
            </ul>
            {hasMore && <p class="quiet">There are more. Redrive or repair these first.</p>}
          </>
        )}
      </Told>
    </Card>
  );
}

function isSame(one: Suspect, other: Suspect): boolean {
  return one.source === other.source && one.target === other.target;
}
