import { useEffect, useState } from 'preact/hooks';
import { isWrongVerdict, VERDICT_NAMES, VERDICTS } from '../../../../src/core/verdicts.ts';
import type { Finding } from '../../../../src/trust/check/finding.ts';
import type { SuspectsAnswer } from '../../api/trust.ts';
import type { Suspect } from '../../base/suspects.ts';
import { type Asked, useAnswer } from '../base/ask.ts';
import { ItemLink } from '../base/place.tsx';
import { reasonOf } from '../base/words.ts';
import { Redrive, RepairNode } from '../items/buttons.tsx';
import { Badge, Card, type PlaceProps, Told } from '../parts/told.tsx';
import { Difference, Text } from '../parts/value.tsx';
import { CheckPanel } from './check-panel.tsx';

/** Partition key of Edgeloom's own items, which have no page. Findings about a model change use it. */
const REGISTRY = '~edgeloom';
const NOT_WRONG: readonly string[] = VERDICT_NAMES.filter((verdict) => !isWrongVerdict(verdict));
/** The observer reports `drift`. */
const REPAIRABLE: readonly string[] = [...VERDICT_NAMES.filter((verdict) => VERDICTS[verdict].isRepaired), 'drift'];

export function Trust({ model: { isWritable } }: PlaceProps) {
  const suspects = useAnswer<SuspectsAnswer>('/api/suspects');
  return (
    <>
      <Suspects asked={suspects} isWritable={isWritable} />
      <CheckPanel isWritable={isWritable} onDone={suspects.again} />
    </>
  );
}

function Suspects({ asked, isWritable }: { asked: Asked<SuspectsAnswer>; isWritable: boolean }) {
  // Repaired nodes stay visible until the list is read again.
  const [repaired, setRepaired] = useState<readonly string[]>([]);
  useEffect(() => setRepaired([]), [asked.answer]);
  return (
    <Card title="Needs attention">
      <Told asked={asked}>
        {({ items, hasMore }) => (
          <>
            {items.length === 0 && <p class="quiet">No drift is known, and nothing is in quarantine.</p>}
            <ul class="items">
              {items.map(({ source, target, why, reason, found }) => (
                <li key={`${source} ${target}`}>
                  {source === REGISTRY ? <bdi class="key">{target}</bdi> : <ItemLink {...{ source, target }} />}{' '}
                  {repaired.includes(source) && REPAIRABLE.includes(why) ? (
                    <Badge kind="good">repaired</Badge>
                  ) : (
                    <>
                      <Badge kind={NOT_WRONG.includes(why) ? 'late' : 'bad'}>{why}</Badge>{' '}
                      {reason !== undefined && <bdi>{reasonOf({ source, target, reason })} </bdi>}
                      {isWritable && REPAIRABLE.includes(why) && (
                        <RepairNode id={source} onDone={() => setRepaired((before) => [...before, source])} />
                      )}
                      {isWritable && (reason !== undefined || why === 'quarantined') && (
                        <Redrive id={source} onDone={asked.again} />
                      )}
                      {found !== undefined && <Found {...{ source, target, why }} {...found} />}
                    </>
                  )}
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

function Found({ why, expected, actual, ...of }: Suspect & Pick<Finding, 'expected' | 'actual'>) {
  if (why === 'pending' || REPAIRABLE.includes(why)) return <Difference of={of} expected={expected} stored={actual} />;
  return actual === null ? null : (
    <p>
      <Text text={actual} />
    </p>
  );
}
