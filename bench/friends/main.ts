import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchmarkOptions } from '../support/command.ts';
import { sizeOf } from '../support/extent.ts';
import type { Report } from '../support/report.ts';
import { runExperiment } from './experiment.ts';
import { costsByNetwork, findGrowth, longestList, type NetworkCost } from './findings.ts';
import { friendsPage } from './page.ts';
import { drawPlots, writePlots } from './plots.ts';

export const ARTICLE_SIZES: readonly number[] = [5, 10, 30, 50, 70, 90, 110, 130, 150, 170];
const SEED = 20_200_701;
const OPERATIONS = 25;
const SIZES = sizeOf({ whole: ARTICLE_SIZES, short: [5, 10] });
/** Only figures of the article's networks go onto the page. */
const FOLDER = sizeOf({ whole: join('docs', 'project'), short: join('.edgeloom', 'friends') });

/**
 * Measures five layouts of a friend list on DynamoDB, compares them with an article's claims, and writes the page
 * `friends.md` with its plots.
 */
export async function friends({ repetitions = OPERATIONS }: BenchmarkOptions): Promise<Report[]> {
  return [reportOf(await measureFriends(SIZES, repetitions, FOLDER))];
}

export async function measureFriends(
  sizes: readonly number[],
  operations: number,
  folder: string,
): Promise<NetworkCost[]> {
  const samples = await runExperiment({ sizes, operations, seed: SEED });
  const costs = costsByNetwork(samples);
  const plots = await drawPlots(costs);
  await mkdir(folder, { recursive: true });
  const page = friendsPage({
    ...{ sizes, operations, costs, plots, folder: tmpdir() },
    ...{ mostFriends: longestList(samples), findings: findGrowth(samples) },
  });
  await writeFile(join(folder, 'friends.md'), page);
  await writePlots(plots, join(folder, 'img'));
  return costs;
}

function reportOf(costs: readonly NetworkCost[]): Report {
  const largest = Math.max(...costs.map(({ size }) => size));
  return {
    name: 'friends',
    title: `an operation on a friend list in five layouts, in a network of ${largest} users`,
    figures: costs
      .filter(({ size }) => size === largest)
      .map(({ layout, operation, rcu, wcu }) => ({
        name: `${layout}: ${operation}`,
        value: rcu + wcu,
        unit: 'RCU + WCU',
      })),
  };
}
