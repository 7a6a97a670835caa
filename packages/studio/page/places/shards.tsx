import { useState } from 'preact/hooks';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import type { ShardsAnswer } from '../../api/searches.ts';
import type { DescribedSearch } from '../../base/describe-model.ts';
import { unitsOfShards } from '../../base/price.ts';
import type { ValueCount } from '../../base/table-sample.ts';
import { useAnswer } from '../base/ask.ts';
import { ChoiceField } from '../parts/fields.tsx';
import { Priced } from '../parts/price.tsx';
import { Badge, Told } from '../parts/told.tsx';

/** Times the even share. */
const UNEVEN = 5;

export interface ShardsProps {
  search: DescribedSearch & { shards: number };
  choices: readonly ValueCount[];
}

export function Shards({ search: { name, shards, partition: attribute }, choices }: ShardsProps) {
  const [partition, setPartition] = useState<string>();
  return (
    <section aria-label={`Shards of ${name}`}>
      <h4>
        {countText(shards, 'shard')} of {name}
      </h4>
      {attribute !== undefined && (
        <ChoiceField
          name={`partition-of-${name}`}
          label={`${attribute} (partition)`}
          choices={choices}
          onChange={(event) => setPartition(event.currentTarget.value || undefined)}
        />
      )}
      {(attribute === undefined || partition !== undefined) && (
        <Priced
          key={partition}
          units={unitsOfShards(shards)}
          doing={`Count the ${countText(shards, 'shard')} of ${name}`}
        >
          <Counted name={name} partition={partition} />
        </Priced>
      )}
    </section>
  );
}

function Counted({ name, partition }: { name: string; partition: string | undefined }) {
  const asked = useAnswer<ShardsAnswer>('/api/shards', { name, partition });
  return (
    <Told asked={asked}>
      {({ shards, items, hottest, empty, hash, shardBy, counts }) => (
        <>
          <p>
            {countText(items, 'item')} in {countText(shards, 'shard')}, by {hash} of the {shardBy}; {figureText(empty)}{' '}
            empty.{' '}
            {items > 0 && (
              <>
                Shard {hottest.shard} has the most items: {figureText(hottest.share * 100)} % (an even share is{' '}
                {figureText(100 / shards)} %).{' '}
                {items >= shards * 10 && hottest.share * shards > UNEVEN && <Badge kind="bad">uneven</Badge>}
              </>
            )}
          </p>
          <Spread label={`Items of ${name} in each of ${shards} shards`} counts={counts} />
        </>
      )}
    </Told>
  );
}

function Spread({ label, counts }: { label: string; counts: readonly number[] }) {
  const most = Math.max(1, ...counts);
  return (
    <svg
      class="spread"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${counts.length} ${most}`}
      preserveAspectRatio="none"
    >
      {counts.map((count, i) => (
        <rect key={i} x={i + 0.1} y={most - count} width={0.8} height={count}>
          <title>{`shard ${i + 1}: ${countText(count, 'item')}`}</title>
        </rect>
      ))}
    </svg>
  );
}
