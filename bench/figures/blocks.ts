import { PARTITION_GIGABYTES } from '../../packages/cost/monthly.ts';
import { EVENTUAL_READ_UNIT_BYTES } from '../../src/core/items/capacity.ts';
import { readParameters } from '../../src/deployment/stack/base/parameters.ts';
import { PAGE_CHILDREN } from '../../src/reconcile/fan-out.ts';
import { MOST_UNITS } from '../../src/trust/check/run/plan.ts';
import type { FigureFile, MeasuredBenchmark } from '../support/figure-file.ts';
import { middleOf, numberText } from '../support/report.ts';

/**
 * Fills the tables of figures between `<!-- figures: NAME -->` and `<!-- /figures -->` from
 * `docs/project/figures.json`. A test compares the pages.
 */

type Benchmarks = Readonly<Record<string, MeasuredBenchmark>>;

const BLOCK = /<!-- figures: ([a-z-]+) -->\n.*?<!-- \/figures -->/gs;

export const PAGES_WITH_FIGURES: readonly string[] = [
  '../README.md',
  'explain/limits.md',
  'how-to/modeling.md',
  'how-to/repair.md',
  'how-to/lists.md',
];

export function withFigures(page: string, { benchmarks }: FigureFile): string {
  return page.replace(BLOCK, (_, name: string) => {
    const lines = BLOCKS[name];
    if (lines === undefined) throw new Error(`There is no block of figures named ${name}`);
    return [`<!-- figures: ${name} -->`, ...lines(benchmarks), '<!-- /figures -->'].join('\n');
  });
}

const BLOCKS: Readonly<Record<string, (benchmarks: Benchmarks) => string[]>> = {
  modeling,
  joined,
  has,
  redrive,
  list,
  scale,
  peers,
};

function modeling(benchmarks: Benchmarks): string[] {
  const figures = figuresOf(benchmarks, 'modeling');
  const of = (name: string): string =>
    `${number(figures, name)} ${name.includes(': add ') || name.includes(': change ') ? 'WCU' : 'RCU'}`;
  return [
    '| strategy | add a child | read | what is read |',
    '|---|---|---|---|',
    `| complex attribute | ${of('complex attribute: add a child (the parent is written whole)')}, because the whole parent is written twice (item and view) | ${of('complex attribute: parent with its children')} | the parent with its children |`,
    `| duplicated data | ${of('duplicated data: add a child')}: item, view, reverse item; ${of('duplicated data: change the parent of 20')} to change a parent with 20 children | ${of('duplicated data: child with its parent')} | a child with its parent's attributes |`,
    `| item collection | ${of('item collection: add a child')} | ${of('item collection: children of one type')} | the children of one type |`,
    `| | | ${of('item collection: is it a child')} | whether a node is a child (\`has\`) |`,
    `| secondary index | ${of('secondary index: add a child')}: 1 for the item, 1 for the view, 3 for the index item of the two orders | ${of('secondary index: parent and the 10 newest children')} | the parent and its 10 newest children |`,
    `| composite sort key | ${of('composite sort key: add a child')}: 1 for the item, 1 for the view, 2 for the index item | ${of('composite sort key: children on any level')} | the children on any level |`,
  ];
}

function joined(benchmarks: Benchmarks): string[] {
  const sizes = ['1', '10', '1,000'];
  const changes = [
    ['title changed', 'a projected attribute of the source changes'],
    ['due date changed', 'an attribute that the order sorts by changes'],
    [
      'changed and changed back: r alone',
      'an attribute changes and changes back in the same batch, so only revision numbers are written',
    ],
  ] as const;
  const row = ([figure, change]: readonly [string, string]): string => {
    const capacity = sizes.map((size) =>
      number(
        figuresOf(benchmarks, 'joined', { title: `a change of a node with ${size} edges (dynoxide)` }),
        `${figure}: capacity`,
      ),
    );
    return `| ${change} | ${capacity.join(', ')} WCU |`;
  };
  const added = figuresOf(benchmarks, 'joined', {
    title: 'edges added, by the edge alone and by its source (dynoxide)',
  });
  const addition = (how: string): string =>
    [`${how}, by the edge alone: for an edge`, `${how}, by its source: for an edge`]
      .map((figure) => `${number(added, figure, 'WCU')} WCU and ${number(added, figure, 'RCU')} RCU`)
      .join(' in an order by edge attributes; ');
  return [
    '| | capacity, for a source with 1, 10 and 1,000 edges |',
    '|---|---|',
    ...changes.map(row),
    '',
    '| | capacity for each edge |',
    '|---|---|',
    `| an edge is added, alone in its batch | ${addition('one edge a batch')} in an order by source attributes |`,
    `| 100 edges of one source are added in a batch | ${addition('100 edges of a node in a batch')} in an order by source attributes |`,
  ];
}

function has(benchmarks: Benchmarks): string[] {
  const friends = ['10', '100', '1,000', '10,000', '100,000'];
  const row = (title: string, keys: string, how: string, operation: string): string => {
    const figures = figuresOf(benchmarks, 'has', {
      name: `has, ${keys} keys`,
      title: `one friend of a person with up to 100,000; ${how}`,
    });
    const cells = friends.map((count) => {
      const figure = figures.find(({ name }) => name.replace(', evicted', '') === `${operation} among ${count}`)!;
      return `${text(figure)} ${figure.unit}${figure.name.endsWith(', evicted') ? ', evicted' : ''}`;
    });
    const growth = figures.find(({ name }) => name.startsWith(`${operation}: growth exponent`))!;
    const exponent = Number(text(growth)).toFixed(1);
    const upTo = growth.name.slice(growth.name.indexOf('to '));
    const reads = figures.find(({ name }) => name === 'reads of an add or remove')!;
    const read = operation === 'has' ? '' : `${rangeText(reads)} RCU`;
    return `| ${title} | ${cells.join(' | ')} | ${read} | ${exponent} up ${upTo} |`;
  };
  const whole = 'edgeSet: false, so that nothing is projected';
  const counted = 'edgeSet: false and degree: true, the projection included';
  const inSet = 'in the edge set, the projection included; beyond 64 KB of view the type is evicted';
  return [
    `| for a person with this many friends | ${friends.join(' | ')} | reads | growth exponent |`,
    `|---|${'---|'.repeat(friends.length + 2)}`,
    row('`has`', 'plain', whole, 'has'),
    row('add or remove a friend, `edgeSet: false`', 'plain', whole, 'add or remove'),
    row('the same with `degree: true`, projection included', 'plain', counted, 'add or remove'),
    row('the same in the edge set, plain keys', 'plain', inSet, 'add or remove'),
    row('the same in the edge set, hashed keys', 'hashed', inSet, 'add or remove'),
  ];
}

function redrive(benchmarks: Benchmarks): string[] {
  const sizes = [
    ['redrive', '4,000'],
    ['redrive-large', '10,000'],
  ] as const;
  const rows = sizes.flatMap(([benchmark, records]) =>
    [
      ['nothing projected', 'not projected yet'],
      ['all of it right', 'already correct'],
    ].map(([state, description], i) => {
      const { title, figures } = benchmarks[benchmark]!.reports[0]!;
      const of = (name: string): string => number(figures, `${state}: ${name}`);
      const megabytes = (Number(/([\d,]+) KB/.exec(title)![1]!.replace(',', '')) / 1000).toFixed(1);
      const batch = i === 0 ? `${records} (${megabytes} MB)` : '';
      return `| ${batch} | ${description} | ${of('write capacity')} | ${of('read capacity')} | ${of('peak memory')} MB |`;
    }),
  );
  const measured = figuresOf(benchmarks, 'redrive', { name: 'redrive-speed' });
  const times = Number(number(measured, 'seconds of a redrive against projecting')).toFixed(1);
  const calls = Math.round(1000 * Number(number(measured, 'calls for a record, redriven')));
  const speed = `A redrive makes about ${calls} calls for 1,000 records, and takes about ${times} times as long as projecting the same records.`;
  return ['| records | | WCU | RCU | peak memory |', '|---|---|---|---|---|', ...rows, '', speed];
}

const HOUR_SECONDS = 3600;
/** Default limits of DynamoDB and Lambda. */
const DEFAULTS = { partitionWcu: 1_000, tableRcu: 40_000, tableWcu: 40_000, newTableWcu: 4_000, functions: 1_000 };
/** For the edge, the view and the index item of an edge with one order. */
const EDGE_WCU = 3;
/** Half a batch window, and a whole one. */
const ROUND_TRIP_SECONDS = [0.5, 1] as const;
const GIGABYTE = 1024 ** 3;

function scale(benchmarks: Benchmarks): string[] {
  const measured = figuresOf(benchmarks, 'scale');
  const scaling = number(measured, '8 workers against 1');
  const hours = (seconds: number): string => `${Number((seconds / HOUR_SECONDS).toPrecision(2))} h`;
  const whole = (count: number): string => Math.round(count).toLocaleString('en-US');
  const { partitionWcu, tableRcu, tableWcu, newTableWcu, functions } = DEFAULTS;
  const billionOf = (list: string): string => {
    const units = (kind: string): number => Number(number(measured, `${list}: ${kind} capacity of an item`));
    const [rcu, wcu] = [units('read'), units('write')];
    const seconds = 1_000_000_000 * Math.max(rcu / tableRcu, wcu / tableWcu);
    return `${hours(seconds)} for ${list} (${rcu.toFixed(1)} RCU and ${wcu.toFixed(1)} WCU per item)`;
  };
  const pages = 10_000_000 / PAGE_CHILDREN;
  const [quick, slow] = ROUND_TRIP_SECONDS.map((seconds) => hours(pages * seconds));
  const night = readParameters({ stage: 'prod' }).checkHours * HOUR_SECONDS * MOST_UNITS * EVENTUAL_READ_UNIT_BYTES;
  const rows = [
    [
      'new edges of one target',
      `${whole(partitionWcu)} per second, 1 WCU each, in the target's index partition. 10 million edges take ${hours(10_000_000 / partitionWcu)}`,
      'Set `shards` under `inbound`',
    ],
    [
      'new edges with one order',
      `${whole(tableWcu / EDGE_WCU)} per second at the default quota of ${whole(tableWcu)} WCU per table, or ${whole(newTableWcu / EDGE_WCU)} per second in a new table`,
      'Request a higher quota. Warm the table up before the first load',
    ],
    [
      'a change to a node that many others copy (a fan-out)',
      `${PAGE_CHILDREN} dependent items for each round trip through the stream. 10 million items take ${quick} to ${slow}`,
      'Copy fewer attributes. Read a node with that many dependents directly',
    ],
    [
      'a migration or rebuild',
      `8 workers are ${Number(scaling).toFixed(1)} times as fast as one (measured). At ${whole(tableRcu)} RCU and ${whole(tableWcu)} WCU per second, a billion items take ${billionOf('a new search')} and ${billionOf('a second order')}. The reads are the bottleneck`,
      'Set `maxRcu`, `maxWcu` and `workers` of the execution',
    ],
    [
      'a check',
      `${whole(night / GIGABYTE)} GB per night at ${whole(MOST_UNITS)} RCU per second. The check continues the next night`,
      'Set `checkMaxRcu`, `checkHours` and `checkOverdueHours`',
    ],
    [
      'concurrent functions',
      `${whole(functions)} in an account, enough for ${whole(functions)} stream shards, or about ${whole((functions * PARTITION_GIGABYTES) / 1000)} TB`,
      'Request a higher quota. Set `reservedConcurrency`',
    ],
  ];
  return ['| load | where it stops | what to do |', '|---|---|---|', ...rows.map((row) => `| ${row.join(' | ')} |`)];
}

function peers(benchmarks: Benchmarks): string[] {
  const [once, again] = (benchmarks['peers'] ?? { reports: [] }).reports;
  const consumer = (report: typeof once, name: string, figure: string): string =>
    number(report?.figures ?? [], `${name}: ${figure}`);
  const lists = figuresOf(benchmarks, 'list');
  const both = (what: string, report: typeof once, figure: string): string =>
    `| ${what} | ${consumer(report, 'projector', figure)} | ${consumer(report, 'DocumentClient', figure)} | |`;
  const rcu = (name: string): string => number(lists, `${name}: read capacity`);
  const single = figuresOf(benchmarks, 'writes');
  const electrodb = figuresOf(benchmarks, 'electrodb');
  const wcu = (what: string, name: string): string => {
    const [ours, native, hand] = ['', ': native', ': by hand'].map((way) => number(single, `${name}${way}`));
    // The benchmark `electrodb` measures only new items.
    const theirs = electrodb.some((figure) => figure.name === name) ? ` ${number(electrodb, name)}` : '';
    return `| ${what}: WCU | ${ours}; native ${native} | ${hand} |${theirs} |`;
  };
  return [
    '| | Edgeloom | by hand, with the document client | ElectroDB |',
    '|---|---|---|---|',
    both('project 11,000 records: lines of code', once, 'lines to write'),
    both('project 11,000 records: WCU', once, 'write capacity'),
    both('wrong items after late duplicates', again, 'wrong items'),
    `| read 100 goals of a user with their titles: RCU | ${rcu('page without edge sets, titles projected')} | ${rcu('by hand, titles duplicated')} | |`,
    `| read them with their members' names as well: RCU | ${rcu('page, with edge sets and neighbors')} | not measured | |`,
    wcu('add an edge to one list and an edge set', 'edge in an order, add'),
    wcu('move the edge in the list', 'edge in an order, another place'),
    wcu('create a node with two edges', 'issue with two edges, create'),
    wcu('create a node with six searches', 'product with six searches, create'),
    wcu('change one value of a node with six searches', 'product with six searches, one changed'),
  ];
}

function list(benchmarks: Benchmarks): string[] {
  const rows = [
    ['page, with edge sets and neighbors', 'nodes and neighbors: edges, views of the nodes, views of the neighbors'],
    [
      'page, neighbors copied under the edges',
      'the same, if the edge types `copy` the attributes of neighbors that are shown',
    ],
    [
      'page without edge sets',
      '`with: []`: edges, then the views of their nodes (and a node itself, if its view lacks one of `attributes`)',
    ],
    ['page without edge sets, titles projected', '`with: []`, if `projectSource` has all `attributes`: edges only'],
    [
      'by hand, titles duplicated',
      'for comparison, by hand: one Query of edges to which your program has copied the titles',
    ],
  ] as const;
  const figures = figuresOf(benchmarks, 'list');
  const of = (name: string): string => number(figures, name);
  return [
    '| what you ask for, and what is read | calls for 100 nodes | RCU | bytes of items |',
    '|---|---|---|---|',
    ...rows.map(
      ([name, asked]) =>
        `| ${asked} | ${of(`${name}: calls`)} | ${of(`${name}: read capacity`)} | ${of(`${name}: items read`)} |`,
    ),
  ];
}

type MeasuredReport = MeasuredBenchmark['reports'][number];
type MeasuredFigure = MeasuredReport['figures'][number];

function figuresOf(benchmarks: Benchmarks, benchmark: string, report: Partial<MeasuredReport> = {}): MeasuredFigure[] {
  const found = benchmarks[benchmark]?.reports.find(
    ({ name, title }) => name === (report.name ?? name) && title === (report.title ?? title),
  );
  if (found === undefined) throw new Error(`docs/project/figures.json lacks a report of the benchmark ${benchmark}`);
  return found.figures;
}

/** `unit` distinguishes figures with the same name. */
function number(figures: readonly MeasuredFigure[], name: string, unit?: string): string {
  const found = figures.find((figure) => figure.name === name && figure.unit === (unit ?? figure.unit));
  if (found === undefined) throw new Error(`docs/project/figures.json lacks the figure "${name}"`);
  return text(found);
}

function text({ value }: MeasuredFigure): string {
  return plainText(middleOf({ value }));
}

function rangeText(figure: MeasuredFigure): string {
  const { value } = figure;
  if (typeof value === 'number' || value.min === value.max) return text(figure);
  return `${plainText(value.min)} to ${plainText(value.max)}`;
}

function plainText(value: number): string {
  return numberText(value)
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '');
}
