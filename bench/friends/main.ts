import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { failureDocument, failureText } from '../../src/cli/session/failure.ts';
import { startProgress } from '../../src/cli/session/progress.ts';
import { runExperiment, type Sample } from './experiment.ts';
import { costsByNetwork, findGrowth, longestList } from './findings.ts';
import { type FriendsOptions, parseFriendsOptions, USAGE } from './options.ts';
import { friendsPage } from './page.ts';
import { drawPlots, writePlots } from './plots.ts';
import { growthRows, plainTable } from './text.ts';
import { judge, verdictLines } from './verdict.ts';

/** `npm run experiment:friends`: five layouts of a friend list on DynamoDB, measured, plotted and judged. */

// The SDK's notice about future Node versions says nothing about a layout.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';

try {
  const options = parseFriendsOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(USAGE);
  else await run(options);
} catch (error) {
  process.exitCode = 2;
  const isJson = process.argv.includes('--json');
  if (isJson) process.stdout.write(`${JSON.stringify(failureDocument(error), null, 2)}\n`);
  else process.stderr.write(failureText(error, false));
}

async function run(options: FriendsOptions): Promise<void> {
  const start = performance.now();
  const samples = await measured(options);
  const { sizes, operations, seed, outDir } = options;
  const costs = costsByNetwork(samples);
  const findings = findGrowth(samples);
  const mostFriends = longestList(samples);
  const plots = drawPlots(costs);
  await mkdir(outDir, { recursive: true });
  const page = join(outDir, 'friends.md');
  await writeFile(page, friendsPage({ sizes, operations, seed, mostFriends, costs, findings, plots }));
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

async function measured({ sizes, operations, seed, hash }: FriendsOptions): Promise<Sample[]> {
  const progress = startProgress('operations', 0);
  try {
    return await runExperiment({ sizes, operations, seed, hash, onProgress: progress.update });
  } finally {
    progress.stop();
  }
}
