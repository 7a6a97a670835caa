import { median } from '../support/statistics.ts';
import type { Finding, NetworkCost } from './findings.ts';
import { LAYOUTS } from './layouts/index.ts';
import type { Operation } from './layouts/layout.ts';
import type { Plot } from './plots.ts';
import { figure, growthRows, markdownTable, type Rows } from './text.ts';
import { verdictLines } from './verdict.ts';

export interface PageContent {
  sizes: readonly number[];
  operations: number;
  /** Times differ between a folder in memory and one on disk, so the page names the folder. */
  folder: string;
  mostFriends: number;
  costs: readonly NetworkCost[];
  findings: readonly Finding[];
  plots: readonly Plot[];
}

const NOISY_PERCENT = 15;

export function friendsPage(content: PageContent): string {
  const { sizes, operations, folder, mostFriends, costs, findings, plots } = content;
  const largest = sizes.at(-1)!;
  return `# Friend lists: five layouts, measured

<!-- Written by \`npm run bench -- friends\`. Change bench/friends/page.ts, not this file. -->

Users read users. Four operations: add a friend, check whether A reads B, list all friends, remove a friend. An article
compared five layouts on HBase, where a cell is read and written by itself. DynamoDB bills whole items. So what is left of the
article's claims? Each layout is one short module in \`bench/friends/layouts\`, on the plain AWS SDK.

${markdownTable(layoutRows())}

## What keeps its O(1), in capacity units

${verdictLines(findings, mostFriends)
  .map((line) => `- ${line}`)
  .join('\n')}

DynamoDB bills a write by the larger of the item before and after, 1 unit for each started KB, and a consistent read by
the item, 1 unit for each started 4 KB, whatever the expression names: a long list in one item makes each of its friends
expensive. Such an item also ends at 400 KB, after about 9,000 friends. With two writers of one list, \`default\` and \`count\`
turn one away; the other three never collide.

An edge of Edgeloom is stored as in \`row\`. \`hash\` costs the same, and spreads one user's friends over all partitions, but
no Query lists them: only a Scan does, which reads the friendships of all users. The article claims no growth for
listing. A list cannot be read in less than its length, so the verdict leaves listing out.

## Constant factors
${noiseText(findings)}
${markdownTable(factorRows(costs, largest))}

Ratios of two medians or two means on the network of ${largest.toLocaleString('en-US')} users. The article measured times, on HBase.

## Growth

\`n\` is the number of friends in the list, 0 to ${figure(mostFriends)}; a time is a multiple of a check in \`row\`, on the embedded engine. Each cell: constant or
linear, the model with its figures, and its error (root mean square of the residuals, in percent of the mean).
${noiseText(findings)}
${markdownTable(growthRows(findings))}

Measurements at about the same number of friends make one point, of times the median; a constant and a line are fitted by
weighted least squares. The line is taken where the corrected Akaike criterion prefers it by 6 or more (20 times as
likely) and it rises by at least a tenth of the mean from the shortest list to the longest; steps of whole units are part
of its error. A small rise in a small range can stay below that: a constant is what these lists show, no proof beyond them.

## One operation on the network of ${largest.toLocaleString('en-US')} users

${markdownTable(costRows(costs.filter(({ size }) => size === largest)))}

Means, of times the median. Bytes are keys, attribute names and values, both ways.

## Plots

${plots.map(({ name, title }) => `### ${title}\n\n![${title}](img/${name}.svg)`).join('\n\n')}

## How it is measured

Networks of ${sizes.map((size) => size.toLocaleString('en-US')).join(', ')} users; each user reads a random number of others,
from one to all. All five layouts get the same network and the same operations: all friends are added in random order,
then checked (every second answer is yes), the lists are read, and all friends are removed in random order. At most ${operations.toLocaleString('en-US')} operations of each network, layout
and kind are timed, a random sample (of listings at most one a user and 25 a network); what lies between them is written in batches. Checks draw
friendships, so that a user comes as often as it has friends. Where a list had to be prepared, each layout then adds, checks and
removes a friend on an empty list, untimed: the first operation after the
writes that prepare a list pays for what they left behind, and would seem to grow with the list. Layouts take turns operation by
operation and users come in random order, so that a machine that slows down meanwhile does not look like growth. Units
are those that the engine reports, except for reads of a single attribute: the engine bills what they return, DynamoDB the
whole item, so the whole item is read once more, outside the clock, and those units count. Tables have no stream. The layout
\`hash\` hashes with SHA-256, of which it takes 128 bits.
Times are medians, of a machine that does other work as well; the engine's file lay in \`${folder}\`.

In a clone:

\`\`\`sh
npm run bench -- friends --repetitions ${operations}  # measures again, and writes this page with other times
\`\`\`
`;
}

const CLAIMED = ['add', 'check', 'remove'] as const;

function noiseText(findings: readonly Finding[]): string {
  const error = median(findings.map(({ time }) => time.errorPercent));
  if (error <= NOISY_PERCENT) return '';
  return `
**The machine was busy in this run.** Half of the times' errors are above ${figure(Math.round(error))} %: they show neither growth nor a factor
of less than about two, and a constant time below means only that no growth could be seen. Units and bytes do not depend on it.

`;
}

function layoutRows(): Rows {
  return [
    ['', 'layout', 'what is stored', ...CLAIMED.map((operation) => `${operation}, claimed`)],
    ...LAYOUTS.map(({ name, summary, claims }, place) => [
      String(place + 1),
      `\`${name}\``,
      summary,
      ...CLAIMED.map((operation) => claims[operation]),
    ]),
  ];
}

function costRows(costs: readonly NetworkCost[]): Rows {
  return [
    ['layout', 'operation', 'friends before', 'RCU', 'WCU', 'bytes', 'time'],
    ...costs.map(({ layout, operation, friends, rcu, wcu, bytes, time }) => [
      layout,
      operation,
      String(Math.round(friends)),
      ...[rcu, wcu, bytes, time].map(figure),
    ]),
  ];
}

const FACTORS: readonly { claim: string; operation: Operation; layouts: readonly [string, string] }[] = [
  { claim: 'adding in 2 costs twice that in 3', operation: 'add', layouts: ['count', 'col'] },
  { claim: 'adding in 2 costs twice that in 4', operation: 'add', layouts: ['count', 'row'] },
  { claim: 'adding in 2 costs twice that in 5', operation: 'add', layouts: ['count', 'hash'] },
  { claim: 'removing in 2 is slower than in 1', operation: 'remove', layouts: ['count', 'default'] },
  { claim: 'removing in 4 is slower than in 3', operation: 'remove', layouts: ['row', 'col'] },
  { claim: 'removing in 5 is slower than in 3', operation: 'remove', layouts: ['hash', 'col'] },
];

export function factorRows(costs: readonly NetworkCost[], size: number): Rows {
  const costOf = (layout: string, operation: Operation): NetworkCost =>
    costs.find((cost) => cost.layout === layout && cost.operation === operation && cost.size === size)!;
  return [
    ['article', 'here', 'time', 'capacity'],
    ...FACTORS.map(({ claim, operation, layouts }) => {
      const [first, second] = layouts.map((layout) => costOf(layout, operation)) as [NetworkCost, NetworkCost];
      return [
        claim,
        `${operation}: ${layouts[0]} / ${layouts[1]}`,
        `${figure(first.time / second.time)} x`,
        `${figure((first.rcu + first.wcu) / (second.rcu + second.wcu))} x`,
      ];
    }),
  ];
}
