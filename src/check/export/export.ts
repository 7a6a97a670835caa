import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import * as z from 'zod';
import { EdgeloomError } from '../../errors.ts';
import { type Item, setOwn, stringOf, typeOf, withBytes } from '../../items/attribute-value.ts';
import type { CompiledModel } from '../../model/compiled.ts';
import { readOnlyStore } from '../../store/read-only.ts';
import { check } from '../check.ts';
import { PartitionSummary } from '../compare.ts';
import { type CheckTotals, emptyTotals } from '../cursor.ts';
import { DanglingEdges } from '../dangling.ts';
import type { Finding } from '../finding.ts';
import { ExportedPartitions } from './partitions.ts';

/** Options of a check of an export. */
export interface ExportCheckOptions {
  graph: CompiledModel;
  /** Folder with a full export to S3 in DynamoDB JSON: `manifest-files.json` and `data/*.json.gz`, at any depth. */
  folder: string;
  /** Label of the table's stream. Default: unknown, so only the form of watermarks is checked. */
  streamLabel?: string;
  onFinding?: (finding: Finding) => void;
  /** Called now and then with the number of items read. */
  onProgress?: (items: number) => void;
}

/** What a check of an export came to. */
export interface ExportCheckResult extends CheckTotals {
  /** Partitions that differ; the live table tells whether they still do. */
  suspects: string[];
}

/** How many items are read between two words on the progress. */
const PROGRESS_ITEMS = 10_000;

/**
 * Checks an export of a table to S3: the table itself is not touched, no capacity is consumed. The files are read once for
 * the digests of all partitions (about a kilobyte for each is held), and, where some differ, once more for those. What was
 * on its way to be projected when the export was made differs as well: the live table settles it. Copies of nodes, reverse
 * items and fan-outs are left out: what they should be is in other partitions, each of which would be looked for in the files.
 *
 * Throws `invalid-export` where the folder holds no export, or not all of it.
 */
export async function checkExport(options: ExportCheckOptions): Promise<ExportCheckResult> {
  const { graph, folder, streamLabel, onFinding, onProgress } = options;
  const files = await dataFiles(folder);
  const nowSeconds = Math.floor(Date.now() / 1000);
  const partitions = new Map<string, PartitionSummary>();
  const totals = emptyTotals();
  const found = (finding: Finding): void => {
    if (finding.verdict === 'dangling' || finding.verdict === 'unknown' || finding.verdict === 'quarantined') {
      totals[finding.verdict] += 1;
    }
    onFinding?.(finding);
  };
  const dangling = new DanglingEdges(graph);
  let items = 0;
  try {
    for await (const { source, target, item } of itemsOf(graph, files)) {
      let summary = partitions.get(source);
      if (summary === undefined) {
        summary = new PartitionSummary(graph, source, nowSeconds, streamLabel);
        partitions.set(source, summary);
      }
      const noted = summary.add(target, item);
      if (noted === 'base') dangling.add({ source, target }, item);
      if (noted === 'unknown') found({ source, target, verdict: 'unknown', expected: null, actual: null });
      items += 1;
      if (items % PROGRESS_ITEMS === 0) {
        await dangling.flush();
        onProgress?.(items);
      }
    }
    await dangling.report(undefined, found);
  } finally {
    await dangling.close();
  }
  const suspects: string[] = [];
  for (const [source, { baseItems, derivedItems, quarantined, isClean }] of partitions) {
    totals.partitions += 1;
    totals.baseItems += baseItems;
    totals.derivedItems += derivedItems;
    for (const [target, reason] of quarantined) {
      found({ source, target, verdict: 'quarantined', expected: null, actual: reason });
    }
    if (!isClean) suspects.push(source);
  }
  suspects.sort();
  const { drift } = await lookCloser(options, files, suspects);
  return { ...totals, drift, suspects };
}

/** Names what differs in some partitions, read from the files once more. */
async function lookCloser(
  { graph, streamLabel, onFinding }: ExportCheckOptions,
  files: readonly DataFile[],
  suspects: readonly string[],
): Promise<Pick<CheckTotals, 'drift'>> {
  if (suspects.length === 0) return emptyTotals();
  const wanted = new Set(suspects);
  const partitions = new ExportedPartitions(graph.table);
  for await (const { source, target, item } of itemsOf(graph, files)) {
    if (wanted.has(source)) partitions.add({ source, target }, item);
  }
  const store = readOnlyStore(partitions);
  return await check({
    ...{ graph, store, streamLabel, sources: suspects, settleMs: 0, withoutLookUps: true },
    onFinding: (finding) => {
      const { verdict } = finding;
      if (verdict === 'missing' || verdict === 'stale' || verdict === 'orphan') onFinding?.(finding);
    },
  });
}

interface DataFile {
  path: string;
  /** As the manifest says; undefined where there is none. */
  itemCount?: number;
}

const manifestLine = z.object({ itemCount: z.int().min(0), dataFileS3Key: z.string().min(1) });

async function dataFiles(folder: string): Promise<DataFile[]> {
  let names: string[];
  try {
    names = await readdir(folder, { recursive: true });
  } catch (error) {
    throw invalid(`The folder ${folder} cannot be read.`, error);
  }
  const paths = new Map(names.filter((name) => name.endsWith('.json.gz')).map((name) => [basename(name), name]));
  const manifest = names.find((name) => basename(name) === 'manifest-files.json');
  if (manifest === undefined) {
    if (paths.size === 0) throw invalid(`The folder ${folder} holds no file *.json.gz of an export.`);
    return [...paths.values()].map((name) => ({ path: join(folder, name) }));
  }
  const lines = (await readFile(join(folder, manifest), 'utf8')).split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const { itemCount, dataFileS3Key } = manifestLine.parse(JSON.parse(line));
    const name = paths.get(basename(dataFileS3Key));
    if (name === undefined) throw invalid(`The export's file ${dataFileS3Key} is not in ${folder}.`);
    return { path: join(folder, name), itemCount };
  });
}

async function* itemsOf(
  graph: CompiledModel,
  files: readonly DataFile[],
): AsyncGenerator<{ source: string; target: string; item: Item }> {
  const { partitionKey, sortKey } = graph.table;
  for (const { path, itemCount } of files) {
    const lines = createInterface({ input: createReadStream(path).pipe(createGunzip()), crlfDelay: Infinity });
    let count = 0;
    for await (const line of lines) {
      if (line === '') continue;
      count += 1;
      const item = parsedLine(line, `line ${count} of ${path}`);
      const [source, target] = [stringOf(item[partitionKey]), stringOf(item[sortKey])];
      if (source === undefined || target === undefined) {
        throw invalid(`The item of line ${count} of ${path} has no text keys ${partitionKey} and ${sortKey}.`);
      }
      yield { source, target, item };
    }
    if (itemCount !== undefined && count !== itemCount) {
      throw invalid(`The file ${path} holds ${count} items; its manifest says ${itemCount}.`);
    }
  }
}

function parsedLine(line: string, where: string): Item {
  try {
    const { Item: attributes } = JSON.parse(line) as { Item: Item };
    const item: Item = {};
    for (const name of Object.keys(attributes)) {
      typeOf(attributes[name]!);
      setOwn(item, name, withBytes(attributes[name]!));
    }
    return item;
  } catch (error) {
    throw invalid(`There is no item in DynamoDB JSON in ${where}.`, error);
  }
}

function invalid(message: string, cause?: unknown): EdgeloomError {
  return new EdgeloomError(
    'invalid-export',
    message,
    'Give the folder of a full export in DynamoDB JSON, with its manifest-files.json and all of its data files.',
    { cause },
  );
}
