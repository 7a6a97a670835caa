import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failureText } from '../../packages/cli/shared/failure.ts';
import { startProgress } from '../../packages/cli/shared/progress.ts';
import { failureDocument } from '../../src/foundation/failure-document.ts';
import { seededRandom } from '../support/random.ts';
import { type BetweenCost, compareBetween } from './between.ts';
import { runExperiment, type Sample } from './experiment.ts';
import { checkMilliseconds, costsByNetwork, findGrowth, longestList } from './findings.ts';
import { runLongList } from './long-list.ts';
import { type FriendsOptions, parseFriendsOptions, USAGE } from './options.ts';
import { friendsPage } from './page.ts';
import { drawPlots, writePlots } from './plots.ts';
import { figure, growthRows, lengthRows, plainTable } from './text.ts';
import { judge, verdictLines } from './verdict.ts';

/** `npm run bench -- friends`: five layouts of a friend list on DynamoDB, measured, plotted and judged. */

// The SDK's notice about future Node versions says nothing about a layout.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';

/** Of the operations of a network, so many times fewer removals compare what lies between them. */
const BETWEEN_PART = 2;

try {
  const options = parseFriendsOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(USAGE);
  else if (options.longest === undefined) await run(options);
  else await runLongest(options, options.longest);
} catch (error) {
  process.exitCode = 2;
  const isJson = process.argv.includes('--json');
  if (isJson) process.stdout.write(`${JSON.stringify(failureDocument(error), null, 2)}\n`);
  else process.stderr.write(failureText(error, false));
}

async function run(options: FriendsOptions): Promise<void> {
  const start = performance.now();
  const { samples, between } = await measured(options);
  const { sizes, operations, seed, hash, outDir } = options;
  const costs = costsByNetwork(samples);
  const findings = findGrowth(samples);
  const mostFriends = longestList(samples);
  const plots = await drawPlots(costs);
  await mkdir(outDir, { recursive: true });
  const page = join(outDir, 'friends.md');
  await writeFile(
    page,
    friendsPage({ sizes, operations, seed, folder: tmpdir(), hash, mostFriends, costs, findings, plots, between }),
  );
  const files = [page, ...(await writePlots(plots, join(outDir, 'img')))];
  const seconds = Number(((performance.now() - start) / 1000).toFixed(1));
  if (options.json) {
    const { constant } = judge(findings);
    const document = {
      seed,
      sizes,
      operations,
      seconds,
      mostFriends,
      growth: findings,
      constantCapacity: constant,
      costs,
      between,
      files,
    };
    process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
    return;
  }
  const lines = verdictLines(findings, mostFriends).map((line) => `- ${line.replace(/\*\*|`/g, '')}`);
  process.stdout.write(
    [
      `Five layouts of a friend list, networks of ${sizes.join(', ')} users, seed ${seed}. n: friends in the list.`,
      '',
      plainTable(growthRows(findings)),
      '',
      'In capacity units:',
      ...lines,
      '',
      `${samples.length.toLocaleString('en-US')} operations timed, ${seconds} s. Written: ${page}, and ${files.length - 1} plots in ${join(outDir, 'img')}.`,
      '',
    ].join('\n'),
  );
}

/** One list that grows: plots, and tables for people or JSON; the page is of networks. */
async function runLongest({ operations, seed, hash, outDir, json }: FriendsOptions, longest: number): Promise<void> {
  const start = performance.now();
  const progress = startProgress('lengths', 0);
  const { samples, stopped } = await runLongList({
    longest,
    operations,
    seed,
    hash,
    onProgress: progress.update,
  }).finally(progress.stop);
  const costs = costsByNetwork(samples);
  const growth = findGrowth(samples);
  const files = await writePlots(await drawPlots(costs, 'friends in the list'), join(outDir, 'img'));
  const seconds = Number(((performance.now() - start) / 1000).toFixed(1));
  if (json) {
    const document = { seed, longest, operations, seconds, stopped, growth, costs, files };
    process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
    return;
  }
  const stops = stopped.map(({ layout, friends }) => `- ${layout} stops before ${figure(friends)} friends, at 400 KB.`);
  process.stdout.write(
    [
      `Five layouts of one friend list that grows to ${figure(longest)} friends, seed ${seed}. Nothing is written between operations.`,
      '',
      plainTable(lengthRows(costs)),
      '',
      ...stops,
      `${samples.length.toLocaleString('en-US')} operations timed, ${seconds} s. ${files.length} plots written: ${join(outDir, 'img')}.`,
      '',
    ].join('\n'),
  );
}

interface Measured {
  samples: Sample[];
  between: BetweenCost[];
}

async function measured({ sizes, operations, seed, hash }: FriendsOptions): Promise<Measured> {
  const progress = startProgress('operations', 0);
  try {
    const samples = await runExperiment({ sizes, operations, seed, hash, onProgress: progress.update });
    const rounds = Math.ceil(operations / BETWEEN_PART);
    return { samples, between: await compareBetween(seededRandom(seed), rounds, checkMilliseconds(samples)) };
  } finally {
    progress.stop();
  }
}
