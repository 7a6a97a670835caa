import { useState } from 'preact/hooks';
import { DERIVED_PREFIX } from '../../../../src/core/items/derived-prefix.ts';
import type { Explanation } from '../../../../src/trust/explain/explain.ts';
import type { PartitionAnswer, StoredItem } from '../../api/inspect.ts';
import { addressOf } from '../base/address.ts';
import { type Asked, useAnswer } from '../base/ask.ts';
import { useAskedAgain } from '../base/flow.ts';
import { Link } from '../base/place.tsx';
import { type ItemProps, ItemView } from '../items/item.tsx';
import { Pager } from '../parts/rows.tsx';
import { Badge, Card, Told } from '../parts/told.tsx';

const SIDES = { base: 'Base items', derived: 'Derived items' } as const;
type Side = keyof typeof SIDES;

/** Properties of both sides of a partition. */
interface PartitionProps {
  isWritable: boolean;
  id: string;
  parameters: URLSearchParams;
  /** How often the page has written. */
  writes: number;
}

/** The partition of a node: base items next to derived items, and why the chosen item is as it is. */
export function ItemsOfNode(props: PartitionProps) {
  const { id, parameters, writes } = props;
  const pageParameters = (side: Side) => ({ id, side, limit: '25', cursor: parameters.get(side) ?? undefined });
  const base = useAnswer<PartitionAnswer>('/api/partition', pageParameters('base'));
  const derived = useAnswer<PartitionAnswer>('/api/partition', pageParameters('derived'));
  useAskedAgain(base, writes);
  useAskedAgain(derived, writes);
  const [explanation, setExplanation] = useState<Explanation>();
  const again = (): void => {
    base.again();
    derived.again();
  };
  const chosen = parameters.get('target');
  const isOfChosen = explanation?.item.source === id && explanation.item.target === chosen;
  const missing = isOfChosen ? missingItems(explanation) : [];
  return (
    <div class="split even">
      <SideOf {...props} side="base" asked={base} onChange={again} onExplained={setExplanation} missing={[]} />
      <SideOf {...props} side="derived" asked={derived} onChange={again} missing={missing} />
    </div>
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
                place={addressOf('/explore', { id, part: 'items', ...cursors })}
              />
            )}
            {items.length === 0 && <p class="quiet">There are none.</p>}
            <ul class="items">
              {missing
                .filter((target) => items.every((item) => item.target !== target))
                .map((target) => (
                  <li key={target} class="ghost">
                    <Link to={addressOf('/explore', { id, part: 'items', ...cursors, target })} class="key">
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
                    place={addressOf('/explore', {
                      id,
                      part: 'items',
                      ...cursors,
                      target: item.target === chosen ? undefined : item.target,
                    })}
                    onChange={onChange}
                    onExplained={onExplained}
                  />
                </li>
              ))}
            </ul>
            <Pager name={side} next={cursor} />
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
