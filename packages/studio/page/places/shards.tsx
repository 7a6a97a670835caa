import { countText, figureText } from '../../../../src/foundation/figure.ts';
import type { ShardsAnswer } from '../../api/searches.ts';
import type { DescribedSearch } from '../../base/describe-model.ts';
import { unitsOfShards } from '../../base/price.ts';
import type { ValueCount } from '../../base/table-sample.ts';
import { addressOf } from '../base/address.ts';
import { useAnswer } from '../base/ask.ts';
import { goTo } from '../base/place.tsx';
import { Choices } from '../parts/choices.tsx';
import { Priced } from '../parts/price.tsx';
import { Rows } from '../parts/rows.tsx';
import { Badge, Told } from '../parts/told.tsx';

/** A shard with more than this many times the even share of the items makes the spread uneven. */
const UNEVEN = 5;

/** Properties of the shards of a search. */
export interface ShardsProps {
  search: DescribedSearch & { shards: number };
  /** The value of the search's partition, if the model gives the search one. */
  partition: string | undefined;
  /** Values of the partition to choose from. */
  choices: readonly ValueCount[];
}

/** The address of a search's shards: they are shown with the node type. */
export function placeOfShards(search: string, partition?: string): string {
  return addressOf('/', { picked: `node ${search.slice(0, search.indexOf('.'))}`, shards: search, partition });
}

/** How the items of a search are distributed over its shards, and how the other hash would distribute them. */
export function Shards({ search, partition, choices }: ShardsProps) {
  const { name, shards } = search;
  return (
    <section aria-label={`Shards of ${name}`}>
      <h4>Shards of {name}</h4>
      {search.partition !== undefined && (
        <>
          <form
            class="row"
            onSubmit={(event) => {
              event.preventDefault();
              goTo(placeOfShards(name, String(new FormData(event.currentTarget).get('partition'))));
            }}
          >
            <label>
              {search.partition} (partition)
              <input key={partition} name="partition" defaultValue={partition ?? ''} required autocomplete="off" />
            </label>
            <button type="submit">Show</button>
          </form>
          <Choices name={search.partition} values={choices} to={(value) => placeOfShards(name, value)} />
        </>
      )}
      {(search.partition === undefined || partition !== undefined) && (
        <Priced
          key={`${name} ${partition}`}
          units={unitsOfShards(shards)}
          doing={`Count the ${countText(shards, 'shard')}`}
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
      {({ shards, items, hottest, empty, hash, shardBy, compared, byHash }) => (
        <>
          <p>
            {countText(items, 'item')} over {countText(shards, 'shard')} by {hash} of the {shardBy}; {figureText(empty)}{' '}
            are empty.{' '}
            {items > 0 && (
              <>
                Shard {hottest.shard} has the most items, {figureText(hottest.share * 100)} % (even would be{' '}
                {figureText(100 / shards)} %).{' '}
                {items >= shards * 10 && hottest.share * shards > UNEVEN && <Badge kind="bad">uneven</Badge>}
              </>
            )}
          </p>
          <Rows
            label={`The two hashes, with ${countText(compared, 'item')}`}
            headings={[
              'hash',
              'items by shard',
              'shard with the most',
              'its share (%)',
              'empty',
              'unevenness (1 is chance)',
            ]}
            rows={Object.entries(byHash).map(([one, counts]) => [
              one === hash ? `${one} (in use)` : one,
              <Spread label={`Items of ${name} in each of ${shards} shards with ${one}`} counts={counts} />,
              ...figuresOfSpread(counts),
            ])}
          />
        </>
      )}
    </Told>
  );
}

/** A bar for each shard. */
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

/** The shard with the most items, its share, empty shards, and the variance over what chance would give. */
function figuresOfSpread(counts: readonly number[]): (number | string)[] {
  const items = counts.reduce((sum, count) => sum + count, 0);
  const most = Math.max(...counts);
  const mean = items / counts.length;
  const variance = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / counts.length;
  return [
    items === 0 ? 'none' : counts.indexOf(most) + 1,
    items === 0 ? 0 : (most / items) * 100,
    counts.filter((count) => count === 0).length,
    mean === 0 ? 0 : variance / mean,
  ];
}
