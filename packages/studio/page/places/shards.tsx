import { countText, figureText } from '../../../../src/foundation/figure.ts';
import type { ShardsAnswer } from '../../api/searches.ts';
import type { DescribedSearch } from '../../base/describe-model.ts';
import { unitsOfShards } from '../../base/price.ts';
import type { SampleAnswer } from '../../base/table-sample.ts';
import { addressOf } from '../base/address.ts';
import { useAnswer } from '../base/ask.ts';
import { goTo, Link } from '../base/place.tsx';
import { sampledText } from '../base/words.ts';
import { Bars } from '../parts/charts.tsx';
import { Choices } from '../parts/choices.tsx';
import { Priced } from '../parts/price.tsx';
import { Rows } from '../parts/rows.tsx';
import { Badge, Card, type PlaceProps, Told } from '../parts/told.tsx';

/** Items of a shard with more than this many times the even share are spread badly. */
const UNEVEN = 5;

/** How the items of a search lie over its shards, and how they would with the other hash. */
export function Shards({ model, parameters }: PlaceProps) {
  const searches = model.nodes.flatMap((node) => node.searches).filter(({ shards }) => shards !== 'value');
  const { answer: sample } = useAnswer<SampleAnswer>('/api/sample');
  const name = parameters.get('search') ?? searches[0]?.name;
  const search = searches.find((one) => one.name === name);
  if (search === undefined) return <p class="quiet">The model has no search with a number of shards.</p>;
  const partition = parameters.get('partition') ?? undefined;
  const type = search.name.slice(0, search.name.indexOf('.'));
  const choices = search.partition === undefined ? [] : (sample?.nodes[type]?.values[search.partition] ?? []);
  const isAsked = search.partition === undefined || partition !== undefined;
  return (
    <>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          const given = new FormData(event.currentTarget).get('partition');
          goTo(addressOf('/shards', { search: name, partition: String(given ?? '') }));
        }}
      >
        <label>
          Search
          <select value={name} onChange={(event) => goTo(addressOf('/shards', { search: event.currentTarget.value }))}>
            {searches.map((one) => (
              <option key={one.name}>{one.name}</option>
            ))}
          </select>
        </label>
        {search.partition !== undefined && (
          <>
            <label>
              {search.partition} (partition)
              <input key={partition} name="partition" defaultValue={partition ?? ''} required autocomplete="off" />
            </label>
            <button type="submit">Show</button>
          </>
        )}
      </form>
      {search.partition !== undefined && (
        <Choices
          name={search.partition}
          values={choices}
          to={(value) => addressOf('/shards', { search: name, partition: value })}
        />
      )}
      {isAsked ? (
        <Spread key={`${search.name} ${partition}`} search={search} partition={partition} />
      ) : (
        <p class="quiet">Name a partition.</p>
      )}
      {searches.length > 1 && <AllSearches searches={searches} sample={sample} />}
    </>
  );
}

/** Every search with shards, to go on with. */
function AllSearches({ searches, sample }: { searches: readonly DescribedSearch[]; sample: SampleAnswer | undefined }) {
  return (
    <Card title="All searches">
      <Rows
        label="Searches with shards"
        headings={['search', 'by', 'shards', 'shard by', 'hash', 'nodes']}
        rows={searches.map(({ name, from, shards, shardBy, hash }) => [
          <Link to={addressOf('/shards', { search: name })}>{name}</Link>,
          from,
          shards,
          shardBy,
          hash,
          sample && sampledText(sample.nodes[name.slice(0, name.indexOf('.'))]?.count ?? 0, sample),
        ])}
      />
    </Card>
  );
}

function Spread({ search: { name, shards }, partition }: { search: DescribedSearch; partition: string | undefined }) {
  return (
    <Priced units={unitsOfShards(Number(shards))} doing={`Count the ${countText(Number(shards), 'shard')}`}>
      <CountedShards name={name} partition={partition} />
    </Priced>
  );
}

function CountedShards({ name, partition }: { name: string; partition: string | undefined }) {
  const asked = useAnswer<ShardsAnswer>('/api/shards', { name, partition });
  return <Told asked={asked}>{(answer) => <Shown name={name} answer={answer} />}</Told>;
}

function Shown({ name, answer }: { name: string; answer: ShardsAnswer }) {
  const { shards, items, hottest, empty, hash, shardBy, counts, compared, byHash } = answer;
  const isUneven = items >= shards * 10 && hottest.share * shards > UNEVEN;
  return (
    <div class="cards">
      <Card title="Items per shard" wide>
        <p>
          {countText(items, 'item')} over {countText(shards, 'shard')} by {hash} of the {shardBy}; {figureText(empty)}{' '}
          are empty.{' '}
          {items > 0 && (
            <>
              Shard {hottest.shard} has the most items, {figureText(hottest.share * 100)} % (even would be{' '}
              {figureText(100 / shards)} %). {isUneven && <Badge kind="bad">uneven</Badge>}
            </>
          )}
        </p>
        <Bars
          label={`Items of ${name} in each of ${shards} shards`}
          unit="shard"
          series={[{ name: 'items', counts }]}
        />
      </Card>
      <Card title="The two hashes compared" wide>
        <p>How {figureText(compared)} of the items would lie with each hash.</p>
        <Bars
          label={`Items of ${name} by shard, with each of the two hashes`}
          unit="shard"
          series={Object.entries(byHash).map(([one, own]) => ({ name: one, counts: own }))}
        />
        <Rows
          label="The two hashes"
          headings={['hash', 'shard with the most items', 'its share (%)', 'empty shards', 'unevenness (1 is chance)']}
          rows={Object.entries(byHash).map(([one, own]) => [
            one === hash ? `${one} (in use)` : one,
            ...figuresOfSpread(own),
          ])}
        />
      </Card>
    </div>
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
