import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { isDerivedKey, isServicePartition } from '../../../../src/core/items/keys.ts';
import { EdgeloomError } from '../../../../src/foundation/errors.ts';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import { printable } from '../../../../src/foundation/printable.ts';
import { createClient } from '../../../../src/store/client.ts';
import { describeForeignTable, sampleForeignTable } from '../../../../src/store/foreign-table.ts';
import { inPlace } from '../../../workbench/adopt/in-place.ts';
import { LIBRARIES } from '../../../workbench/adopt/kinds.ts';
import { edgeTypes, unplaced } from '../../../workbench/adopt/mapping.ts';
import { mappingText, modelText } from '../../../workbench/adopt/proposal-text.ts';
import { type LeftOut, propose } from '../../../workbench/adopt/propose.ts';
import { type SampledItem, sampledItem } from '../../../workbench/adopt/sampled-item.ts';
import { type DescribedTable, tableFacts, withFreeNames } from '../../../workbench/adopt/table-facts.ts';
import { settingsOf } from '../../shared/model.ts';
import { examples, wholeNumber } from '../../shared/options.ts';
import { print } from '../../shared/output.ts';
import { readSettings, type Settings } from '../../shared/settings.ts';

interface CommandOptions {
  sample: number;
  out?: string;
}

/** Items that are read if the command line names no number. */
const SAMPLE = 2_000;

const HELP = `
Reads the table's description and a sample of its items, and writes nothing to the table. The file has a model, and a mapping with a case for
each kind of item: by fromElectroDB, fromOneTable or fromToolbox where they wrote the table. Comments say what a person has to look at
(UNSURE), and which items are not of the graph, with the reason. Of a table whose items are nodes and edges already the file has the model
alone. Rights: dynamodb:DescribeTable, dynamodb:DescribeTimeToLive and dynamodb:Scan on the table.
`;

/** `edgeloom adopt`: a model and a mapping for a table that other software writes. */
export function adoptCommand(command: Command): void {
  command
    .option('--sample <n>', 'maximum number of items to read', wholeNumber, SAMPLE)
    .option('--out <file>', 'write the model to this file instead of printing it; never overwrites a file')
    .addHelpText(
      'after',
      HELP + examples('adopt --table legacy', 'adopt --table legacy --sample 10000 --out edgeloom.config.ts'),
    )
    .action(async (...args: [CommandOptions, Command]): Promise<void> => {
      const settings = readSettings(settingsOf(args));
      print(await adopt(settings, args[0]), settings.json);
    });
}

async function adopt(settings: Settings, { sample, out }: CommandOptions) {
  const { table } = settings;
  if (table === undefined) {
    throw new EdgeloomError('usage', 'adopt needs the name of a table.', 'Name it: edgeloom adopt --table legacy');
  }
  const client = createClient(settings.client);
  try {
    const { table: description, ttl } = await describeForeignTable(client, table);
    const described = tableFacts(description, ttl);
    const { items, rcu } = await sampleForeignTable(client, table, sample);
    const { keys, keyAttributes } = described;
    const sampled = items
      .map((item) => sampledItem(item, keys, keyAttributes))
      .filter((item): item is SampledItem => item !== undefined && !isEdgeloomItem(item));
    if (sampled.length === 0) {
      throw new EdgeloomError(
        'nothing-to-adopt',
        `The table ${table} has no items of other software in a sample of ${figureText(sample)}.`,
        'Name another with --table, or begin with edgeloom init.',
      );
    }
    const { text, ...summary } = proposed(sampled, described, table);
    if (out !== undefined) await writeNew(out, text);
    const words = `${summary.layout}; ${countText(summary.nodes.length, 'node type')}, ${countText(summary.edges.length, 'edge type')}`;
    const left = summary.leftOut.map(({ items: count }) => count).reduce((sum, count) => sum + count, 0);
    const looked = [
      ...summary.leftOut.map((one) => `not of the graph: ${exampleText(one)}`),
      ...summary.unsure.map((one) => `unsure: ${exampleText(one)}`),
    ];
    return {
      json: { ...summary, sampled: sampled.length, rcu, file: out ?? null, model: text },
      text:
        out === undefined
          ? text.trimEnd()
          : [
              ...looked,
              `${out}: ${words} for ${figureText(sampled.length - left)} of ${countText(sampled.length, 'item')}; ${figureText(rcu)} RCU`,
            ].join('\n'),
    };
  } finally {
    client.destroy();
  }
}

function exampleText({ items, example, reason }: LeftOut): string {
  return printable(`${countText(items, 'item')}, such as ${example.join(' ').trimEnd()}: ${reason}`);
}

/** Tells whether an item is Edgeloom's own, of a table that is adopted already. */
function isEdgeloomItem({ keys: [source, target] }: SampledItem): boolean {
  return isServicePartition(source) || isDerivedKey(target);
}

/** The proposal for a sample, with its file. */
function proposed(items: readonly SampledItem[], described: DescribedTable, table: string) {
  const { keys, keyAttributes, notes, ttl } = described;
  const tableItems = Math.max(described.items, items.length);
  const found = keys.length === 2 ? inPlace(items) : undefined;
  if (found !== undefined) {
    const { options } = withFreeNames(described, new Set(items.flatMap(({ names }) => names)));
    const { nodes, edges, leftOut } = found;
    const facts = { table, sampled: items.length, tableItems, notes, leftOut };
    const text = modelText(found, options, facts);
    const types = { nodes: [...nodes.keys()], edges: [...edges.keys()] };
    return { layout: 'in place', ...types, leftOut, unsure: [] as LeftOut[], tableItems, notes, text };
  }
  const proposal = propose(items, keys);
  const leftOut = unplaced(proposal, table, keyAttributes);
  const facts = { table, sampled: items.length, tableItems, ttl, notes, leftOut };
  const text = mappingText(proposal, facts, keyAttributes);
  const layout = proposal.library === undefined ? 'by hand' : LIBRARIES[proposal.library];
  const edges = [...edgeTypes(proposal).keys()];
  const unsure = proposal.kinds.flatMap(({ items, unsure: doubts }) =>
    doubts.map((reason): LeftOut => ({ items: items.length, example: items[0]!.keys, reason })),
  );
  return { layout, nodes: proposal.nodes, edges, leftOut, unsure, tableItems, notes, text };
}

/** Writes a file that does not exist yet. */
async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new EdgeloomError(
        'file-exists',
        `The file ${file} already exists, and was not changed.`,
        'Name another file with --out.',
      );
    }
    throw new EdgeloomError(
      'invalid-option',
      `The file ${file} of --out cannot be written.`,
      'Name a file in a folder that exists.',
      {
        cause: error,
      },
    );
  }
}
