import { countText } from '../../../../src/foundation/figure.ts';
import type { ExplainedPart, PartState } from '../../../../src/trust/explain/base-item.ts';
import type { Explanation } from '../../../../src/trust/explain/explain.ts';
import type { StoredItem } from '../../api/inspect.ts';
import { useAnswer } from '../base/ask.ts';
import { ItemLink } from '../base/place.tsx';
import { Badge, Told } from '../parts/told.tsx';
import { Attributes, Difference } from '../parts/value.tsx';
import { Redrive, RepairNode } from './buttons.tsx';
import { Editable } from './edit.tsx';

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

/** An item, and why it is as it is. */
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
  const onDone = (): void => {
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
      </Told>
    </section>
  );
}

/** Where an item should be, and how it is there. Searches that share a derived item share its difference. */
export function Places({ parts }: { parts: readonly ExplainedPart[] }) {
  const isSame = (one: ExplainedPart, other: ExplainedPart): boolean =>
    one.difference !== undefined && one.source === other.source && one.target === other.target;
  const shown = parts.filter((part, i) => parts.findIndex((one) => isSame(one, part) || one === part) === i);
  return shown.map((part) => {
    const { source, target, name, state, reason, difference } = part;
    const names = parts.filter((one) => one === part || isSame(one, part)).map((one) => one.name);
    return (
      <li key={`${name} ${source} ${target}`}>
        <Badge kind={STATES[state]}>{state}</Badge> <code>{names.join(', ')}</code> at{' '}
        <ItemLink source={source} target={target} />
        {difference === undefined ? <p class="quiet">{reason}</p> : <Difference of={part} {...difference} />}
      </li>
    );
  });
}
