import { countText } from '../../../../src/foundation/figure.ts';
import type { PartitionAnswer, StoredItem } from '../../api/inspect.ts';
import { useAnswer, useLive } from '../base/ask.ts';
import { hereWith, Link } from '../base/place.tsx';
import { Item } from '../items/item.tsx';
import { AnswerOf, Badge, Card } from '../parts/basics.tsx';
import { Pager } from '../parts/rows.tsx';

const SIDES = { base: 'Base items', derived: 'Derived items' } as const;

interface ItemsProps {
  isWritable: boolean;
  id: string;
  parameters: URLSearchParams;
}

export function ItemsOfNode(props: ItemsProps) {
  const { id, parameters, isWritable } = props;
  const target = parameters.get('target');
  const asked = useAnswer<{ item: StoredItem | null }>(target === null ? undefined : '/api/item', {
    source: id,
    target: target ?? undefined,
  });
  useLive(asked);
  return (
    <>
      {target !== null && (
        <Card title={target}>
          <AnswerOf asked={asked}>
            {({ item }) => (
              <Item
                item={item ?? { source: id, target, kind: 'absent', bytes: 0, attributes: {} }}
                isWritable={isWritable}
                onChange={asked.again}
              />
            )}
          </AnswerOf>
        </Card>
      )}
      <div class="split even">
        <Side {...props} side="base" />
        <Side {...props} side="derived" />
      </div>
    </>
  );
}

function Side({ id, parameters, side }: ItemsProps & { side: keyof typeof SIDES }) {
  const cursor = parameters.get(side) ?? undefined;
  const asked = useAnswer<PartitionAnswer>('/api/partition', { id, side, limit: '25', cursor });
  useLive(asked);
  return (
    <Card title={SIDES[side]}>
      <AnswerOf asked={asked}>
        {({ items, cursor: next }) => (
          <>
            {items.length === 0 && <p class="quiet">None.</p>}
            <ul class="nodes">
              {items.map(({ target, kind, bytes, isOver }) => (
                <li key={target}>
                  <Link
                    to={hereWith({ part: 'items', target })}
                    class="key"
                    aria-current={target === parameters.get('target') ? 'true' : undefined}
                  >
                    <bdi>{target}</bdi>
                  </Link>{' '}
                  <Badge kind="plain">{kind}</Badge> {isOver && <Badge kind="late">ended</Badge>}{' '}
                  <span class="quiet">{countText(bytes, 'byte')}</span>
                </li>
              ))}
            </ul>
            <Pager name={side} next={next} />
          </>
        )}
      </AnswerOf>
    </Card>
  );
}
