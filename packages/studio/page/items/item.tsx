import { countText } from '../../../../src/foundation/figure.ts';
import type { ExplainedPart, PartState } from '../../../../src/trust/explain/base-item.ts';
import type { Explanation } from '../../../../src/trust/explain/explain.ts';
import type { StoredItem } from '../../api/inspect.ts';
import { useAnswer } from '../base/ask.ts';
import { ItemLink } from '../base/place.tsx';
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
      {isWritable && isOfProducer && <Editable item={item} onChange={onChange} />}
      <Explained key={JSON.stringify(item)} {...props} />
    </>
  );
}

function Explained({ item: { source, target }, isWritable, onChange }: ItemProps) {
  const asked = useAnswer<Explanation>('/api/explain', { source, target });
  const changed = (): void => {
    asked.again();
    onChange();
  };
  return (
    <section class="explained" aria-label={`Explanation of ${target}`}>
      <h3>Explanation</h3>
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

export function PlaceState({ part: { source, target, name, state, reason, difference } }: { part: ExplainedPart }) {
  return (
    <>
      <Badge kind={STATES[state]}>{state}</Badge> <code>{name}</code> at <ItemLink source={source} target={target} />
      {difference === undefined ? <p class="quiet">{reason}</p> : <Difference {...difference} />}
    </>
  );
}
