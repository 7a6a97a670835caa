import { useState } from 'preact/hooks';
import { DERIVED_PREFIX } from '../../../../src/core/items/derived-prefix.ts';
import type { Explanation } from '../../../../src/trust/explain/explain.ts';
import type { PartitionAnswer, StoredItem } from '../../api/inspect.ts';
import type { SuspectsAnswer } from '../../api/trust.ts';
import { addressOf } from '../base/address.ts';
import { type Asked, useAnswer } from '../base/ask.ts';
import { Link } from '../base/place.tsx';
import { type ItemProps, ItemView } from '../items/item.tsx';
import { IdForm } from '../parts/id-form.tsx';
import { Pager } from '../parts/rows.tsx';
import { Badge, Card, type PlaceProps, Told } from '../parts/told.tsx';
import { OverTime } from './over-time.tsx';
import { Start } from './start.tsx';
import { Suspects } from './suspects.tsx';

const SIDES = { base: 'Base items', derived: 'Derived items' } as const;
type Side = keyof typeof SIDES;

/** A partition: base items next to derived items, and why each item is as it is. */
export function Inspect({ model, parameters }: PlaceProps) {
  const id = parameters.get('id');
  const suspects = useAnswer<SuspectsAnswer>(id === null ? '/api/suspects' : undefined);
  return (
    <>
      <IdForm id={id ?? ''} to="/inspect" />
      {id === null ? (
        <>
          <p class="quiet">The partition of a node holds its base items and what is derived from them.</p>
          <Suspects asked={suspects} />
          <Start model={model} path="/inspect" type={parameters.get('type') ?? undefined} />
        </>
      ) : parameters.has('at') ? (
        <OverTime key={parameters.toString()} id={id} parameters={parameters} />
      ) : (
        <Partition key={id} isWritable={model.isWritable} id={id} parameters={parameters} />
      )}
    </>
  );
}

/** Properties of both sides of a partition. */
interface PartitionProps {
  isWritable: boolean;
  id: string;
  parameters: URLSearchParams;
}

function Partition(props: PartitionProps) {
  const { id, parameters } = props;
  const pageParameters = (side: Side) => ({ id, side, limit: '25', cursor: parameters.get(side) ?? undefined });
  const base = useAnswer<PartitionAnswer>('/api/partition', pageParameters('base'));
  const derived = useAnswer<PartitionAnswer>('/api/partition', pageParameters('derived'));
  const [explanation, setExplanation] = useState<Explanation>();
  const again = (): void => {
    base.again();
    derived.again();
  };
  const chosen = parameters.get('target');
  const isOfChosen = explanation?.item.source === id && explanation.item.target === chosen;
  const missing = isOfChosen ? missingItems(explanation) : [];
  return (
    <>
      <p>
        <Link to={addressOf('/explore', { id })}>Explore this node</Link>{' '}
        <Link to={addressOf('/inspect', { id, at: 'now' })}>Over time</Link>
      </p>
      <div class="split even">
        <SideOf {...props} side="base" asked={base} onChange={again} onExplained={setExplanation} missing={[]} />
        <SideOf {...props} side="derived" asked={derived} onChange={again} missing={missing} />
      </div>
    </>
  );
}

/** The derived items of the same partition that an explained base item asks for, and that are not there. */
function missingItems({ item, parts }: Explanation): string[] {
  const own = parts.filter(({ source, difference }) => source === item.source && difference?.stored === null);
  return [...new Set(own.filter(({ name }) => name !== 'keys').map(({ target }) => target))];
}

function SideOf({
  isWritable,
  id,
  parameters,
  side,
  asked,
  missing,
  onChange,
  onExplained,
}: PartitionProps & { side: Side; asked: Asked<PartitionAnswer>; missing: readonly string[] } & Pick<
    ItemProps,
    'onChange' | 'onExplained'
  >) {
  const chosen = parameters.get('target');
  const isOfThisSide = chosen?.startsWith(DERIVED_PREFIX) === (side === 'derived');
  const cursors = { base: parameters.get('base') ?? undefined, derived: parameters.get('derived') ?? undefined };
  return (
    <Card title={SIDES[side]}>
      <Told asked={asked}>
        {({ items, cursor }) => (
          <>
            {chosen !== null && isOfThisSide && items.every(({ target }) => target !== chosen) && (
              <Elsewhere
                key={chosen}
                {...{ isWritable, onChange }}
                itemKey={{ source: id, target: chosen }}
                place={addressOf('/inspect', { id, ...cursors })}
              />
            )}
            {items.length === 0 && <p class="quiet">There are none.</p>}
            <ul class="items">
              {missing
                .filter((target) => items.every((item) => item.target !== target))
                .map((target) => (
                  <li key={target} class="ghost">
                    <Link to={addressOf('/inspect', { id, ...cursors, target })} class="key">
                      <bdi>{target}</bdi>
                    </Link>{' '}
                    <Badge kind="bad">not there</Badge>
                  </li>
                ))}
              {items.map((item) => (
                <li key={item.target} class={item.target === chosen ? 'chosen' : undefined}>
                  <ItemView
                    item={item}
                    isChosen={item.target === chosen}
                    isWritable={isWritable}
                    place={addressOf('/inspect', {
                      id,
                      ...cursors,
                      target: item.target === chosen ? undefined : item.target,
                    })}
                    onChange={onChange}
                    onExplained={onExplained}
                  />
                </li>
              ))}
            </ul>
            <Pager
              first={cursors[side] && addressOf('/inspect', { id, ...cursors, [side]: undefined })}
              next={cursor && addressOf('/inspect', { id, ...cursors, [side]: cursor })}
            />
          </>
        )}
      </Told>
    </Card>
  );
}

/** The chosen item, where it is on another page of its list, or is absent. */
function Elsewhere({
  itemKey,
  ...rest
}: Pick<ItemProps, 'isWritable' | 'onChange' | 'place'> & { itemKey: { source: string; target: string } }) {
  const asked = useAnswer<{ item: StoredItem | null }>('/api/item', itemKey);
  return (
    <div class="chosen">
      <Told asked={asked}>
        {({ item }) => (
          <ItemView item={item ?? { ...itemKey, kind: 'absent', bytes: 0, attributes: {} }} isChosen {...rest} />
        )}
      </Told>
    </div>
  );
}
