import { useEffect, useState } from 'preact/hooks';
import { figureText } from '../../../../src/foundation/figure.ts';
import type { ExplainedPart, PartState } from '../../../../src/trust/explain/base-item.ts';
import type { Explanation } from '../../../../src/trust/explain/explain.ts';
import type { StoredItem } from '../../api/inspect.ts';
import { addressOf } from '../base/address.ts';
import { useAnswer } from '../base/ask.ts';
import { Link } from '../base/place.tsx';
import { Badge, Told } from '../parts/told.tsx';
import { Attributes, Difference } from '../parts/value.tsx';
import { Edit } from './edit.tsx';
import { RepairNode } from './repair-node.tsx';
import { Ripple } from './ripple.tsx';

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
  const [isEdited, setEdited] = useState(false);
  const [after, setAfter] = useState<number>();
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
          {isWritable && (item.kind === 'base' || item.kind === 'part') && !isEdited && (
            <button type="button" onClick={() => setEdited(true)}>
              Edit
            </button>
          )}
          {isEdited && (
            <Edit
              item={item}
              onClose={(written) => {
                setEdited(false);
                setAfter(written?.after);
                if (written !== undefined) onChange();
              }}
            />
          )}
          {after !== undefined && (
            <section aria-label="Path of the write">
              <h3>Saved</h3>
              <Ripple
                write={{ source: item.source, target: item.target, after }}
                onProjected={onChange}
                onUndone={(next) => {
                  setAfter(next);
                  onChange();
                }}
              />
            </section>
          )}
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
            <ul class="parts-list">
              {parts.map((part) => (
                <li key={`${part.name} ${part.source} ${part.target}`}>
                  <PlaceState part={part} />
                </li>
              ))}
            </ul>
            {parts.some(({ difference }) => difference !== undefined) && isWritable && (
              <RepairNode id={source} onDone={changed} />
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
      <Badge kind={STATES[state]}>{state}</Badge> <code>{name}</code> at{' '}
      <Link to={addressOf('/inspect', { id: source, target })} class="key">
        <bdi>
          {source} {target}
        </bdi>
      </Link>
      {difference === undefined ? <p class="quiet">{reason}</p> : <Difference {...difference} />}
    </>
  );
}
