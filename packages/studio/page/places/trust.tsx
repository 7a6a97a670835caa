import { isWrongVerdict, VERDICT_NAMES, VERDICTS } from '../../../../src/core/verdicts.ts';
import type { Finding } from '../../../../src/trust/check/finding.ts';
import type { SuspectsAnswer } from '../../api/trust.ts';
import type { Suspect } from '../../base/suspects.ts';
import { type Asked, useAnswer, useLive } from '../base/ask.ts';
import { ItemLink } from '../base/place.tsx';
import { reasonOf } from '../base/words.ts';
import { Redrive, RepairNode } from '../items/buttons.tsx';
import { AnswerOf, Badge, Card, type PlaceProps } from '../parts/basics.tsx';
import { Difference, Text } from '../parts/value.tsx';
import { CheckPanel } from './check-panel.tsx';

/** `SERVICE_PARTITION`, which the page can't import because its file needs Node.js. Its items have no page. */
const SERVICE = '~edgeloom';
const NOT_WRONG: readonly string[] = VERDICT_NAMES.filter((verdict) => !isWrongVerdict(verdict));
/** The observer reports `drift`. */
const REPAIRABLE: readonly string[] = [...VERDICT_NAMES.filter((verdict) => VERDICTS[verdict].isRepaired), 'drift'];

export function Trust({ model: { isWritable } }: PlaceProps) {
  const suspects = useAnswer<SuspectsAnswer>('/api/suspects');
  useLive(suspects);
  return (
    <>
      <Suspects asked={suspects} isWritable={isWritable} />
      <CheckPanel isWritable={isWritable} onDone={suspects.again} />
    </>
  );
}

function Suspects({ asked, isWritable }: { asked: Asked<SuspectsAnswer>; isWritable: boolean }) {
  return (
    <Card title="Needs attention">
      <AnswerOf asked={asked}>
        {({ items, hasMore }) => (
          <>
            {items.length === 0 && <p class="quiet">No drift is known, and nothing is in quarantine.</p>}
            <ul class="items">
              {items.map(({ source, target, why, reason, found }) => (
                <li key={`${source} ${target}`}>
                  {source === SERVICE ? <bdi class="key">{target}</bdi> : <ItemLink {...{ source, target }} />}{' '}
                  <Badge kind={NOT_WRONG.includes(why) ? 'late' : 'bad'}>{why}</Badge>{' '}
                  {reason !== undefined && <bdi>{reasonOf({ source, target, reason })} </bdi>}
                  {isWritable && REPAIRABLE.includes(why) && <RepairNode id={source} onDone={asked.again} />}
                  {isWritable && (reason !== undefined || why === 'quarantined') && (
                    <Redrive id={source} onDone={asked.again} />
                  )}
                  {found !== undefined && <Found {...{ source, target, why }} {...found} />}
                </li>
              ))}
            </ul>
            {hasMore && <p class="quiet">There are more. Redrive or repair these first.</p>}
          </>
        )}
      </AnswerOf>
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
