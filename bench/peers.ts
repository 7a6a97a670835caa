import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Outcome, PEERS, PROJECTOR } from './peers/consumers.ts';
import { atMost, type Figure, figure, type Report } from './support/report.ts';

/**
 * Compares the cost and correctness of consumers that users write. They differ in the software that delivers records
 * and writes items. Half of the stream is delivered again. Each consumer runs in its own process, whose CPU time
 * counts.
 */

const CHILD = fileURLToPath(new URL('peers/child.js', import.meta.url));

export async function peers(): Promise<Report[]> {
  const consumers = [{ name: PROJECTOR, files: ['bench/support/models.ts', 'handlers/stream.ts'] }, ...PEERS];
  const outcomes = await Promise.all(consumers.map(({ name }) => inOwnProcess(name)));
  const wrong = outcomes[0]!.map((outcome) => outcome.wrong);
  if (wrong.some((count) => count > 0)) throw new Error(`the projector left wrong items: ${wrong.join(' and ')}`);
  const first = consumers.flatMap(({ name, files }, i): Figure[] => [
    ...figuresOf(name, outcomes[i]![0]),
    figure(`${name}: lines to write`, linesOf(files), 'lines'),
  ]);
  const again = consumers.flatMap(({ name }, i) => figuresOf(name, outcomes[i]![1])).filter(({ unit }) => unit !== 's');
  const what = 'edge sets, index items and search items';
  return [
    { name: 'peers', title: `11,000 records of a stream, ${what}, by consumers that users write`, figures: first },
    { name: 'peers-late', title: 'the first half of them delivered a second time, late', figures: again },
  ];
}

async function inOwnProcess(name: string): Promise<[Outcome, Outcome]> {
  const { stdout } = await promisify(execFile)(process.execPath, [CHILD, name], { maxBuffer: 1024 * 1024 });
  return JSON.parse(stdout) as [Outcome, Outcome];
}

function figuresOf(name: string, { calls, wcu, cpuSeconds, wrong }: Outcome): Figure[] {
  return [
    figure(`${name}: calls`, calls, 'calls'),
    figure(`${name}: write capacity`, wcu, 'WCU'),
    figure(`${name}: CPU`, cpuSeconds, 's'),
    figure(`${name}: wrong items`, wrong, 'items', name === PROJECTOR ? atMost(0) : undefined),
  ];
}

function linesOf(files: readonly string[]): number {
  const lines = files.flatMap((file) => readFileSync(join(process.cwd(), file), 'utf8').split('\n'));
  return lines.filter((line) => !/^\s*(\/\/|\/\*|\*|$)/.test(line)).length;
}
