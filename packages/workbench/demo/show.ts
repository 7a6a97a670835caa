import { foldText } from '../../../src/core/items/folding.ts';
import { type HashName, shardOf } from '../../../src/core/items/shard.ts';
import { tally } from '../adopt/texts.ts';
import { airportId } from './expected.ts';
import { expectSame } from './report.ts';
import type { DemoWorld } from './world.ts';

const PAGE_ITEMS = 5;
const HUB = 'ATL';

export async function verifyAll({ say, expected, reader }: DemoWorld): Promise<void> {
  const iatas = [...expected.airports.keys()];
  const views = await reader.getViews(iatas.map(airportId));
  for (const [i, iata] of iatas.entries()) {
    const { name, city } = expected.airports.get(iata)!;
    const { attributes, edgeSet } = views[i]!;
    expectSame(`the view of ${iata}`, [attributes?.name, attributes?.city], [name, city]);
    expectSame(`the edge set of ${iata}`, edgeSet, expected.edgeSet(iata));
  }
  let routes = 0;
  for (const iata of iatas) {
    const answer = expected.inbound(iata);
    // Skip the queries of airports without arrivals, which are most.
    if (answer.length === 0) continue;
    const { items, cursor } = await reader.inbound(airportId(iata), 'ROUTE', { reverse: true, limit: 1000 });
    expectSame(
      `the routes to ${iata}`,
      [items.map(({ source, attributes }) => [source, attributes?.count]), cursor],
      [answer.map(({ origin, count }) => [airportId(origin), count]), undefined],
    );
    routes += items.length;
  }
  for (const search of ['AIRPORT.name', 'AIRPORT.state'] as const) {
    const { count } = await reader.search(search).count();
    expectSame(`the count of ${search}`, count, iatas.length);
  }
  await verifyLocations(expected, reader);
  say(`verified ${iatas.length} views, ${routes} routes in their order, and three searches`);
}

async function verifyLocations(expected: DemoWorld['expected'], reader: DemoWorld['reader']): Promise<void> {
  const countries = new Set([...expected.airports.values()].map(({ country }) => country));
  for (const country of countries) {
    const { items } = await reader.search('AIRPORT.location').all({ partition: country, limit: 10_000 });
    expectSame(
      `the airports of ${country}`,
      items.map(({ id }) => id),
      expected.airportsAt(country, []).map(({ iata }) => airportId(iata)),
    );
  }
}

export async function showLocations({ say, expected, reader }: DemoWorld): Promise<void> {
  const path = ['IL', 'Chicago', "Chicago O'Hare International"];
  const found: string[] = [];
  for (let levels = 0; levels <= path.length; levels++) {
    const segments = path.slice(0, levels);
    const scope = { partition: 'USA' };
    const { count } = await reader.search('AIRPORT.location').count({ path: segments }, scope);
    const answer = expected.airportsAt('USA', segments);
    expectSame(`the count of airports in ${['USA', ...segments].join(', ')}`, count, answer.length);
    const { items } = await reader.search('AIRPORT.location').path(segments, { ...scope, limit: PAGE_ITEMS });
    expectSame(
      `the airports in ${['USA', ...segments].join(', ')}`,
      items.map(({ id, value }) => [id, value]),
      answer.slice(0, PAGE_ITEMS).map(({ iata, state, city, name }) => [airportId(iata), [state, city, name]]),
    );
    found.push(`${count} in ${segments.at(-1) ?? 'the USA'}`);
  }
  const { count } = await reader.search('AIRPORT.location').count({ path: ['IL', 'Chic'] }, { partition: 'USA' });
  expectSame('the count of airports in a city named Chic', count, 0);
  say(`airports by location, level by level: ${found.join(', ')}; "Chic" is no city and finds none`);
}

export async function showPages({ say, expected, reader }: DemoWorld): Promise<void> {
  const arrivals = expected.inbound(HUB);
  let cursor: string | undefined;
  for (const number of [1, 2]) {
    const options = { reverse: true, limit: PAGE_ITEMS, cursor, with: ['ROUTE' as const] };
    const page = await reader.page(airportId(HUB), 'ROUTE', options);
    const answer = arrivals.slice((number - 1) * PAGE_ITEMS, number * PAGE_ITEMS);
    expectSame(
      `page ${number} of the airports that fly to ${HUB}`,
      page.items.map(({ id }) => id),
      answer.map(({ origin }) => airportId(origin)),
    );
    const neighbors = new Set(answer.flatMap(({ origin }) => expected.edgeSet(origin).map(({ target }) => target)));
    const shown = new Set(page.items.flatMap(({ edges }) => edges.ROUTE.map(({ node }) => node.id)));
    expectSame('the destinations of the page', [...shown].sort(), [...neighbors].sort());
    say(
      `busiest airports that fly to ${HUB}, page ${number}: ${page.calls} DynamoDB calls for ${page.items.length} airports and ${neighbors.size} destinations`,
    );
    for (const [i, { attributes, edges }] of page.items.entries()) {
      const names = edges.ROUTE.slice(0, 3).map(({ node }) => node.attributes?.city);
      say(
        `  ${answer[i]!.count} flights from ${attributes?.name}: ${edges.ROUTE.length} destinations, such as ${names.join(', ')}`,
      );
    }
    cursor = page.cursor;
  }
}

export async function showPrefixSearch({ say, expected, reader }: DemoWorld): Promise<void> {
  const prefix = 'chicago';
  const { items } = await reader.search('AIRPORT.name').beginsWith(prefix);
  const answer = expected.airportsNamed(prefix);
  expectSame(
    `the airports named ${prefix}`,
    items.map(({ id, value }) => [id, value]),
    answer.map(({ iata, name }) => [airportId(iata), name]),
  );
  const counted = await reader.search('AIRPORT.name').count({ beginsWith: prefix }, { capacity: true });
  const { count, capacity } = counted;
  expectSame(`the count of airports named ${prefix}`, count, answer.length);
  const exact = answer[0]!.name;
  const found = await reader.search('AIRPORT.name').equals(exact.toUpperCase());
  expectSame(
    `the airports named exactly ${exact}`,
    found.items.map(({ value }) => value),
    [exact],
  );
  say(
    `names that begin with "${prefix}": ${items.map(({ value }) => value).join(', ')}; 200 shards asked, ${capacity!.rcu} RCU (an exact name: one shard)`,
  );
}

/** Compares the fullest shard's share by either hash. The table's share must equal the share by `fnv1a`. */
export async function showShards({ say, expected, reader }: DemoWorld): Promise<void> {
  const spread = await reader.shards('AIRPORT.name');
  const names = [...expected.airports.values()].map(({ name }) => foldText(name));
  const hottestShare = (hash: HashName): number => {
    const counts = tally(names.map((name) => shardOf(name, 200, hash)));
    return Math.max(...counts.values()) / names.length;
  };
  expectSame('the share of the hottest shard', spread.hottest.share, hottestShare('fnv1a'));
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  say(
    `hottest of 200 shards of the names: ${percent(spread.hottest.share)} by fnv1a, ${percent(hottestShare('codepoint-product'))} by code-point product (even: 0.5 %)`,
  );
}
