import { useState } from 'preact/hooks';
import type { ShardsResult } from '../../../../src/client/read/lists/count-search.ts';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import type { DescribedSearch } from '../../base/describe-model.ts';
import { unitsOfShards } from '../../base/price.ts';
import { useAnswer } from '../base/ask.ts';
import { AnswerOf, Badge } from '../parts/basics.tsx';
import { TextField } from '../parts/fields.tsx';
import { Priced } from '../parts/price.tsx';

/** Shards are uneven if the fullest holds more than this many times the mean. */
const UNEVEN = 5;

export function Shards({ search }: { search: DescribedSearch & { shards: number } }) {
  const { name, shards, partition: attribute } = search;
  const [partition, setPartition] = useState<string>();
  return (
    <section aria-label={`Shards of ${name}`}>
      <h4>
        {countText(shards, 'shard')} of {name}
      </h4>
      {attribute !== undefined && (
        <TextField
          label={`${attribute} (partition)`}
          onChange={(event) => setPartition(event.currentTarget.value || undefined)}
        />
      )}
      {(attribute === undefined || partition !== undefined) && (
        <Priced
          key={partition}
          units={unitsOfShards(shards)}
          doing={`Count the ${countText(shards, 'shard')} of ${name}`}
        >
          <Counted search={search} partition={partition} />
        </Priced>
      )}
    </section>
  );
}

function Counted({ search: { name, shardBy }, partition }: { search: DescribedSearch; partition: string | undefined }) {
  const asked = useAnswer<ShardsResult>('/api/shards', { name, partition });
  return (
    <AnswerOf asked={asked}>
      {({ shards, items, hottest, empty, hash }) => (
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
      )}
    </AnswerOf>
  );
}
