import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { isDerivedKey, SERVICE_PARTITION } from '../../../../src/core/items/keys.ts';
import { EdgeloomError } from '../../../../src/foundation/errors.ts';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import { createClient } from '../../../../src/store/client.ts';
import { describeForeignTable, sampleForeignTable } from '../../../../src/store/foreign-table.ts';
import { modelText } from '../../../workbench/adopt/model-text.ts';
import { type Proposal, proposeModel } from '../../../workbench/adopt/propose-model.ts';
import { type SampledItem, sampledItem } from '../../../workbench/adopt/sampled-item.ts';
import { tableFacts, withFreeNames } from '../../../workbench/adopt/table-facts.ts';
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
Reads the table's description and a sample of its items, and writes nothing to the table. The model has the types, the keys as templates,
the attributes that tell types apart, and the names of TTL and indexes. Comments say what a person has to look at (UNSURE), and which items
no type fits. Rights: dynamodb:DescribeTable, dynamodb:DescribeTimeToLive and dynamodb:Scan on the table.
`;

/** `edgeloom adopt`: a model file for a table that other software writes. */
export function adoptCommand(command: Command): void {
  command
    .option('--sample <n>', 'items to read at most', wholeNumber, SAMPLE)
    .option('--out <file>', 'write the model file instead of printing it; a file that exists stays')
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
    const { partitionKey, sortKey } = described;
    const sampled = items
      .map((item) => sampledItem(item, partitionKey, sortKey))
      .filter((item): item is SampledItem => item !== undefined && !isEdgeloomItem(item));
    if (sampled.length === 0) {
      throw new EdgeloomError(
        'nothing-to-adopt',
        `The table ${table} has no items of other software in a sample of ${figureText(sample)}.`,
        'Name another with --table, or begin with edgeloom init.',
      );
    }
    const facts = withFreeNames(described, new Set(sampled.flatMap(({ names }) => names)));
    const proposal = proposeModel(sampled, facts);
    const tableItems = Math.max(facts.items, sampled.length);
    const text = modelText(proposal, { sampled: sampled.length, tableItems, notes: facts.notes });
    if (out !== undefined) await writeNew(out, text);
    const json = { ...summaryOf(proposal), sampled: sampled.length, tableItems, rcu, notes: facts.notes };
    return {
      json: { ...json, file: out ?? null, model: text },
      text:
        out === undefined ? text.trimEnd() : `${out}: ${wordsFor(proposal, sampled.length)}; ${figureText(rcu)} RCU`,
    };
  } finally {
    client.destroy();
  }
}

/** Whether an item is Edgeloom's own, of a table that is adopted already. */
function isEdgeloomItem({ source, target }: SampledItem): boolean {
  return source === SERVICE_PARTITION || isDerivedKey(target);
}

function summaryOf({ table, nodes, edges, leftOut }: Proposal) {
  const ofNodes = [...nodes].map(([type, { key, parts, items, unsure }]) => ({ type, key, parts, items, unsure }));
  const ofEdges = [...edges].map(([type, { from, to, key, items, unsure }]) => ({
    type,
    from,
    to,
    key,
    items,
    unsure,
  }));
  return { table, nodes: ofNodes, edges: ofEdges, leftOut };
}

function wordsFor({ nodes, edges, leftOut }: Proposal, sampled: number): string {
  const left = leftOut.reduce((sum, { items }) => sum + items, 0);
  const doubts = [...nodes.values(), ...edges.values()].reduce((sum, { unsure }) => sum + unsure.length, 0);
  const types = `${countText(nodes.size, 'node type')}, ${countText(edges.size, 'edge type')}`;
  return `${types} for ${figureText(sampled - left)} of ${countText(sampled, 'item')}; UNSURE: ${figureText(doubts)}`;
}

/** Writes a file that does not exist yet. */
async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new EdgeloomError(
        'file-exists',
        `The file ${file} exists, and stays as it is.`,
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
