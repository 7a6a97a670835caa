import { useEffect } from 'preact/hooks';
import { figureText } from '../../../../src/foundation/figure.ts';
import type { ExplainedPart, PartState } from '../../../../src/trust/explain/base-item.ts';
import type { Explanation } from '../../../../src/trust/explain/explain.ts';
import type { StoredItem } from '../../api/inspect.ts';
import { useAnswer } from '../base/ask.ts';
import { ItemLink, Link } from '../base/place.tsx';
import { Badge, Told } from '../parts/told.tsx';
import { Attributes, Difference } from '../parts/value.tsx';
import { Editable } from './edit.tsx';
import { Redrive } from './redrive.tsx';
import { RepairNode } from './repair-node.tsx';

const STATES: Record<PartState, 'good' | 'late' | 'bad' | 'plain'> = {
  right: 'good',
  lag: 'late',
  drift: 'bad',
  quarantined: 'bad',
  evicted: 'late',
  absent: 'plain',
};

/** Properties of an item's view. */
export interface ItemProps {
  item: StoredItem;
  /** True if it is open, and explained. */
  isChosen: boolean;
  isWritable: boolean;
  /** Where it is opened, or closed. */
  place: string;
  /** Called after an edit or a repair. */
  onChange: () => void;
  /** Called with the explanation, once it is there. */
  onExplained?: ((explanation: Explanation) => void) | undefined;
}

/** An item of a partition; the chosen one is open, next to its explanation. */
export function ItemView({ item, isChosen, isWritable, place, onChange, onExplained }: ItemProps) {
  return (
    <article>
      <Link to={place} class="key" aria-expanded={isChosen}>
        <bdi>{item.target}</bdi>
      </Link>{' '}
      <Badge kind="plain">{item.kind}</Badge> {item.isOver && <Badge kind="late">ended</Badge>}{' '}
      <span class="quiet">{figureText(item.bytes)} bytes</span>
      {isChosen && (
        <>
          <Attributes attributes={item.attributes} />
          {isWritable && (item.kind === 'base' || item.kind === 'part') && <Editable item={item} onChange={onChange} />}
          <Explained key={JSON.stringify(item)} {...{ item, isWritable, onChange, onExplained }} />
        </>
      )}
    </article>
  );
}

function Explained({
  item: { source, target },
  isWritable,
  onChange,
  onExplained,
}: Pick<ItemProps, 'item' | 'isWritable' | 'onChange' | 'onExplained'>) {
  const asked = useAnswer<Explanation>('/api/explain', { source, target });
  const { answer } = asked;
  useEffect(() => {
    if (answer !== undefined) onExplained?.(answer);
  }, [answer, onExplained]);
  const changed = (): void => {
    asked.again();
    onChange();
  };
  return (
    <section class="explained" aria-label={`Explanation of ${target}`}>
      <h3>Why it is so</h3>
      <Told asked={asked}>
        {({ parts, notes }) => (
          <>
            {notes.map((note) => (
              <p key={note}>
                <bdi>{note}</bdi>
              </p>
            ))}
            <ul class="items">
              {parts.map((part) => (
                <li key={`${part.name} ${part.source} ${part.target}`}>
                  <PlaceState part={part} />
                </li>
              ))}
            </ul>
            {parts.some(({ difference }) => difference !== undefined) && isWritable && (
              <RepairNode id={source} onDone={changed} />
            )}
            {parts.some(({ state }) => state === 'quarantined') && isWritable && (
              <Redrive id={source} onDone={changed} />
            )}
          </>
        )}
      </Told>
    </section>
  );
}

/** A place that an item should be in, and how it is there. */
export function PlaceState({ part: { source, target, name, state, reason, difference } }: { part: ExplainedPart }) {
  return (
    <>
      <Badge kind={STATES[state]}>{state}</Badge> <code>{name}</code> at <ItemLink source={source} target={target} />
      {difference === undefined ? <p class="quiet">{reason}</p> : <Difference {...difference} />}
    </>
  );
}
