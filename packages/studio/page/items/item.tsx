import { countText } from '../../../../src/foundation/figure.ts';
import type { ExplainedPart, PartState } from '../../../../src/trust/explain/base-item.ts';
import type { Explanation } from '../../../../src/trust/explain/explain.ts';
import type { StoredItem } from '../../api/inspect.ts';
import { LIVE_MS, useAnswer, useAskedLater } from '../base/ask.ts';
import { ItemLink } from '../base/place.tsx';
import { AnswerOf, Badge } from '../parts/basics.tsx';
import { Attributes, Difference, jsonText } from '../parts/value.tsx';
import { Redrive, RepairNode } from './buttons.tsx';
import { Edit } from './forms.tsx';

const STATES: Record<PartState, 'good' | 'late' | 'bad' | 'plain'> = {
  right: 'good',
  lag: 'late',
  drift: 'bad',
  quarantined: 'bad',
  evicted: 'late',
  absent: 'plain',
};

interface ItemProps {
  item: StoredItem;
  isWritable: boolean;
  onChange: () => void;
}

export function Item(props: ItemProps) {
  const { item, isWritable, onChange } = props;
  const isOfProducer = item.kind === 'base' || item.kind === 'part';
  return (
    <>
      <p>
        <Badge kind="plain">{item.kind}</Badge> {item.isOver && <Badge kind="late">ended</Badge>}{' '}
        <span class="quiet">{countText(item.bytes, 'byte')}</span>
      </p>
      <Attributes attributes={item.attributes} />
      {isWritable && isOfProducer && <Edit item={item} onDone={onChange} />}
      <Explained key={jsonText(item)} {...props} />
    </>
  );
}

function Explained({ item: { source, target }, isWritable, onChange }: ItemProps) {
  const asked = useAnswer<Explanation>('/api/explain', { source, target });
  const isLagging = asked.answer?.parts.some(({ state }) => state === 'lag') === true;
  useAskedLater(asked, isLagging ? LIVE_MS : undefined);
  const onDone = (): void => {
    asked.again();
    onChange();
  };
  return (
    <section class="explained" aria-label={`Explanation of ${target}`}>
      <h3>Explanation</h3>
      <AnswerOf asked={asked}>
        {({ parts, notes }) => (
          <>
            {notes.map((note) => (
              <p key={note}>
                <bdi>{note}</bdi>
              </p>
            ))}
            <ul class="items">
              <Places parts={parts} />
            </ul>
            {isWritable && parts.some(({ difference }) => difference !== undefined) && (
              <RepairNode id={source} onDone={onDone} />
            )}
            {isWritable && parts.some(({ state }) => state === 'quarantined') && (
              <Redrive id={source} onDone={onDone} />
            )}
          </>
        )}
      </AnswerOf>
    </section>
  );
}

/** Lists derived items with their states. Searches that share an item share its difference. */
export function Places({ parts }: { parts: readonly ExplainedPart[] }) {
  const placeOf = (part: ExplainedPart): string =>
    JSON.stringify([part.source, part.target, part.difference === undefined ? part.name : '']);
  return [...Map.groupBy(parts, placeOf)].map(([place, alike]) => {
    const { source, target, state, reason, difference } = alike[0]!;
    return (
      <li key={place}>
        <Badge kind={STATES[state]}>{state}</Badge> <code>{alike.map(({ name }) => name).join(', ')}</code> at{' '}
        <ItemLink source={source} target={target} />
        {difference === undefined ? (
          <p class="quiet">{reason}</p>
        ) : (
          <Difference of={{ source, target }} {...difference} />
        )}
      </li>
    );
  });
}
