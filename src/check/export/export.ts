import { SERVICE_PARTITION } from '../../items/keys.ts';
import type { CompiledModel } from '../../model/compiled.ts';
import { modelToCheck } from '../../registry/checked.ts';
import { sleep } from '../../retry.ts';
import { StreamLabel } from '../../stream/stream-label.ts';
import { PartitionSummary } from '../compare.ts';
import { type CheckTotals, emptyTotals } from '../cursor.ts';
import { DanglingEdges } from '../dangling.ts';
import { type Finding, WRONG } from '../finding.ts';
import { CheckTally } from '../findings.ts';
import { PartitionInspector } from '../inspect.ts';
import { countUnknownType } from '../unknown-types.ts';
import { type DataFile, dataFiles, itemsOf } from './files.ts';
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
 * Checks an export of a table to S3: the table itself is not touched, no capacity is consumed. The files are looked
 * through for the registry, read once for the digests of all partitions (about a kilobyte for each is held), once more where many
 * edges come before a source node that decides with them, and, where some differ, once more for those. What was
 * on its way to be projected when the export was made differs as well: the live table settles it. Copies of nodes, reverse
 * items and fan-outs are left out: what they should be is in other partitions, each of which would be looked for in the files.
 *
 * Throws `invalid-export` where the folder holds no export, or not all of it.
 */
export async function checkExport(options: ExportCheckOptions): Promise<ExportCheckResult> {
  const { folder, streamLabel, onFinding, onProgress } = options;
  const files = await dataFiles(folder);
  const graph = await modelOf(options.graph, files);
  const nowSeconds = Math.floor(Date.now() / 1000);
  const partitions = new Map<string, PartitionSummary>();
  const totals = emptyTotals();
  const tally = new CheckTally(totals, onFinding);
  tally.beginChanging(graph, true);
  const dangling = new DanglingEdges(graph);
  let items = 0;
  try {
    for await (const { source, target, item } of itemsOf(graph, files)) {
      if (source === SERVICE_PARTITION) continue;
      let summary = partitions.get(source);
      if (summary === undefined) {
        summary = new PartitionSummary(graph, source, nowSeconds, streamLabel);
        partitions.set(source, summary);
      }
      const noted = summary.add(target, item);
      if (noted === 'base') dangling.add({ source, target }, item);
      if (noted === 'unknown') {
        countUnknownType(graph, totals.unknownTypes, { source, target });
        tally.found({ source, target, verdict: 'unknown', expected: null, actual: null });
      }
      items += 1;
      if (items % PROGRESS_ITEMS === 0) {
        await dangling.flush();
        onProgress?.(items);
      }
    }
    await dangling.report(undefined, (edge) => tally.found(edge));
  } finally {
    await dangling.close();
  }
  await addAgain(graph, files, partitions);
  const suspects: string[] = [];
  for (const [source, { baseItems, derivedItems, changing, quarantined, isClean }] of partitions) {
    totals.partitions += 1;
    tally.countChanging(changing);
    totals.baseItems += baseItems;
    totals.derivedItems += derivedItems;
    for (const [target, reason] of quarantined) {
      tally.found({ source, target, verdict: 'quarantined', expected: null, actual: reason });
    }
    if (!isClean) suspects.push(source);
  }
  suspects.sort();
  // What was kept of each takes more room than the suspects themselves.
  partitions.clear();
  await lookCloser({ ...options, graph }, files, suspects, tally);
  return { ...totals, suspects };
}

/** The model of what was ready when the export was made, by the registry in it; the own one where it holds none. */
async function modelOf(own: CompiledModel, files: readonly DataFile[]): Promise<CompiledModel> {
  const partitions = new ExportedPartitions(own.table);
  for await (const { source, target, item } of itemsOf(own, files, `"${SERVICE_PARTITION}"`)) {
    if (source === SERVICE_PARTITION) partitions.add({ source, target }, item);
  }
  return await modelToCheck(own, partitions).current();
}

/** Reads the files once more for the nodes with many edges before them: their edges are compared when they are known. */
async function addAgain(
  graph: CompiledModel,
  files: readonly DataFile[],
  partitions: ReadonlyMap<string, PartitionSummary>,
): Promise<void> {
  const left = new Map([...partitions].filter(([, summary]) => summary.isLeft));
  if (left.size === 0) return;
  for await (const { source, target, item } of itemsOf(graph, files)) left.get(source)?.addAgain(target, item);
}

/** Names what differs in some partitions, read from the files once more. */
async function lookCloser(
  { graph, streamLabel }: ExportCheckOptions,
  files: readonly DataFile[],
  suspects: readonly string[],
  tally: CheckTally,
): Promise<void> {
  if (suspects.length === 0) return;
  const wanted = new Set(suspects);
  const partitions = new ExportedPartitions(graph.table);
  for await (const { source, target, item } of itemsOf(graph, files)) {
    if (wanted.has(source)) partitions.add({ source, target }, item);
  }
  // Not a check of these partitions: that reads each of them twice, and waits for what cannot come.
  const inspector = new PartitionInspector({
    ...{ graph, store: partitions, stream: new StreamLabel(streamLabel), settleMs: 0, withoutLookUps: true },
    // Nothing waits for a stream: what would be open beside these only fills the memory.
    mostOpen: 16,
    ...{ now: Date.now, wait: sleep, remainingMs: () => Number.POSITIVE_INFINITY },
    onFinding: (finding) => {
      if ((WRONG as readonly string[]).includes(finding.verdict)) tally.found(finding);
    },
    onSuperseded: () => undefined,
    onMended: () => undefined,
  });
  for (const source of suspects) await inspector.begin(source);
  await inspector.finish();
}
