import { lstat, writeFile } from 'node:fs/promises';
import type { DynamoDBClient, TableDescription } from '@aws-sdk/client-dynamodb';
import type { Command } from 'commander';
import { isDerivedKey, isServicePartition } from '../../../../src/core/items/keys.ts';
import { docsPage } from '../../../../src/foundation/docs.ts';
import { EdgeloomError } from '../../../../src/foundation/errors.ts';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import { printable } from '../../../../src/foundation/printable.ts';
import { createClient } from '../../../../src/store/client.ts';
import { requireTable, ttlOf } from '../../../../src/store/described-table.ts';
import { readForeignTable } from '../../../../src/store/foreign-table.ts';
import type { LeftOut } from '../../../workbench/adopt/propose.ts';
import { proposedFile } from '../../../workbench/adopt/proposed-file.ts';
import { Sample } from '../../../workbench/adopt/sample.ts';
import { type SampledItem, sampledItem } from '../../../workbench/adopt/sampled-item.ts';
import { tableFacts } from '../../../workbench/adopt/table-facts.ts';
import { settingsOf } from '../../shared/model.ts';
import { examples, wholeNumber } from '../../shared/options.ts';
import { print } from '../../shared/output.ts';
import { startProgress } from '../../shared/progress.ts';
import type { Settings } from '../../shared/settings.ts';
import { createStopSignal } from '../../shared/signals.ts';
import { requireWritable } from '../../shared/writable.ts';

interface CommandOptions {
  sample?: number;
  maxRcu?: number;
  out?: string;
}

/** Default share of a provisioned table's read capacity that the scan uses. */
const SHARE = 0.25;

const HELP = `
Reads the table's description and all of its items, and writes nothing to the table. With --sample it reads only that many items, at many
places, and may miss what is rare. The same items always give the same proposal. The file has a model, and a mapping with a case for each kind of item: by fromElectroDB,
fromOneTable or fromToolbox if they wrote the table. Comments say what to look at (UNSURE), and which items aren't part of the graph, with the
reason. If the items are nodes and edges already, the file has only the model. Rights: dynamodb:DescribeTable, dynamodb:DescribeTimeToLive and
dynamodb:Scan on the table.
`;

export function adoptCommand(command: Command): void {
  command
    .option('--sample <n>', 'read only this many items, at many places of a large table (default: all)', wholeNumber)
    .option(
      '--max-rcu <n>',
      'read at most this many units a second (default: a quarter of the provisioned capacity; on demand: unlimited)',
      wholeNumber,
    )
    .option('--out <file>', 'write the model to this file instead of printing it; never overwrites a file')
    .addHelpText(
      'after',
      HELP + examples('adopt --table legacy', 'adopt --table legacy --sample 100000 --out edgeloom.config.ts'),
    )
    .action(async (...args: [CommandOptions, Command]): Promise<void> => {
      const settings = settingsOf(args);
      print(await adopt(settings, args[0]), settings.json);
    });
}

async function adopt(settings: Settings, options: CommandOptions) {
  const { table } = settings;
  const { out } = options;
  if (table === undefined) {
    throw new EdgeloomError('usage', 'adopt needs the name of a table.', 'Name it: edgeloom adopt --table legacy');
  }
  if (out !== undefined) await requireNew(out);
  const client = createClient(settings.client);
  try {
    const description = await requireTable(client, table, 'Name another with --table.');
    const facts = tableFacts(description, await ttlOf(client, table));
    requireTextKeys(description, facts.keys);
    const { sample, ...scan } = await sampleTable(client, table, facts, options);
    const chosen = chosenItems(table, sample, scan.read);
    const { text, ...summary } = proposedFile(chosen, facts, { read: sample.seen, isWhole: scan.isWhole });
    if (out !== undefined) await writeNew(out, text);
    return {
      json: { ...summary, ...scan, sampled: chosen.length, file: out ?? null, model: text },
      text: out === undefined ? text.trimEnd() : summaryText(summary, scan, chosen.length, out),
    };
  } finally {
    client.destroy();
  }
}

interface Scan {
  read: number;
  rcu: number;
  isWhole: boolean;
}

async function sampleTable(
  client: DynamoDBClient,
  table: string,
  { keys, keyAttributes, readCapacity, items: itemCount }: ReturnType<typeof tableFacts>,
  { sample: most = Number.POSITIVE_INFINITY, maxRcu }: CommandOptions,
): Promise<Scan & { sample: Sample }> {
  const sample = new Sample();
  let read = 0;
  const progress = startProgress('items', Math.min(most, itemCount));
  const { signal, release } = createStopSignal();
  try {
    const { rcu, isWhole } = await readForeignTable(client, table, {
      ...{ most, signal },
      maxRcu: maxRcu ?? (readCapacity && Math.max(1, readCapacity * SHARE)),
      onItems(items) {
        for (const item of items) {
          const one = sampledItem(item, keys, keyAttributes);
          if (one !== undefined && !isEdgeloomItem(one)) sample.add(one);
        }
        read += items.length;
        progress.update(read);
      },
    });
    return { sample, read, rcu, isWhole };
  } finally {
    release();
    progress.stop();
  }
}

function chosenItems(table: string, sample: Sample, read: number): ReturnType<Sample['chosen']> {
  const chosen = sample.chosen();
  if (chosen.length > 0) return chosen;
  const hint = 'Name another with --table, or begin with edgeloom init.';
  if (read === 0) throw new EdgeloomError('nothing-to-adopt', `The table ${table} is empty.`, hint);
  throw new EdgeloomError(
    'nothing-to-adopt',
    `None of the ${countText(read, 'item')} read from the table ${table} was written by other software.`,
    hint,
  );
}

function summaryText(
  { layout, nodes, edges, leftOut, unsure, tableItems }: Omit<ReturnType<typeof proposedFile>, 'text'>,
  { read, rcu, isWhole }: Scan,
  chosen: number,
  file: string,
): string {
  const left = leftOut.map(({ items }) => items).reduce((sum, items) => sum + items, 0);
  const words = `${layout}; ${countText(nodes.length, 'node type')}, ${countText(edges.length, 'edge type')}`;
  const placed = `${figureText(chosen - left)} of ${countText(chosen, 'item')}`;
  return [
    ...leftOut.map((one) => `not of the graph: ${exampleText(one)}`),
    ...unsure.map((one) => `unsure: ${exampleText(one)}`),
    ...(isWhole ? [] : [`read: ${figureText(read)} of about ${countText(tableItems, 'item')}; --sample reads more`]),
    `${file}: ${words} for ${placed}; ${figureText(rcu)} RCU`,
  ].join('\n');
}

/** Rejects binary keys before reading the table, since reading it costs capacity. */
function requireTextKeys(
  { TableName, AttributeDefinitions = [] }: TableDescription,
  keys: readonly (string | undefined)[],
): void {
  const binary = keys.filter((name) =>
    AttributeDefinitions.some((one) => one.AttributeName === name && one.AttributeType === 'B'),
  );
  if (binary.length === 0) return;
  throw new EdgeloomError(
    'nothing-to-adopt',
    `The table ${TableName} has binary keys (${binary.join(', ')}), for which no ids can be proposed.`,
    `Write the model file by hand: sourceTable('${TableName}', { keys, map }) takes binary keys (${docsPage('adopting')}).`,
  );
}

function exampleText({ items, example, reason }: LeftOut): string {
  return printable(`${countText(items, 'item')}, such as ${example.join(' ').trimEnd()}: ${reason}`);
}

function isEdgeloomItem({ keys: [source, target] }: SampledItem): boolean {
  return isServicePartition(source) || isDerivedKey(target);
}

/** Checks before the scan that the file can be written. */
async function requireNew(file: string): Promise<void> {
  if (await exists(file)) throw fileExists(file);
  try {
    await requireWritable(file, { isReplaced: false });
  } catch (error) {
    throw notWritten(file, error);
  }
}

async function exists(file: string): Promise<boolean> {
  return await lstat(file).then(
    () => true,
    () => false,
  );
}

async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx' });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? fileExists(file) : notWritten(file, error);
  }
}

function fileExists(file: string): EdgeloomError {
  return new EdgeloomError(
    'file-exists',
    `The file ${file} already exists, and was not changed.`,
    'Name another file with --out.',
  );
}

function notWritten(file: string, error: unknown): EdgeloomError {
  return new EdgeloomError(
    'file-failed',
    `The file ${file} of --out cannot be written.`,
    'Name a file in a folder that exists.',
    { cause: error },
  );
}
