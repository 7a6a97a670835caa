import type { Item } from '../../../core/items/attribute-value.ts';
import { isDerivedKey, isServicePartition, SERVICE_PARTITION } from '../../../core/items/keys.ts';
import type { CompiledModel } from '../../../core/model/compiled.ts';
import { joinedEdgeTypes, type SourceNode, sourceNodeKeys, sourceNodeOf } from '../../../core/model/joined.ts';
import { isWrongVerdict } from '../../../core/verdicts.ts';
import { runtimeOf } from '../../../foundation/runtime.ts';
import { modelToCheck } from '../../../registry/checked.ts';
import { type CheckCounts, emptyCounts } from '../cursor.ts';
import { DanglingEdges } from '../dangling.ts';
import type { Finding } from '../finding.ts';
import { CheckTally } from '../findings.ts';
import { Inspector } from '../inspect.ts';
import { PartitionComparison, usedByEdges } from '../partition.ts';
import { PartitionsInMemory } from '../partitions-in-memory.ts';
import { isOfModel } from '../unknown-types.ts';
import { type DataFile, dataFiles, itemsOf } from './files.ts';

export interface ExportCheckOptions {
  graph: CompiledModel;
  /**
   * Folder with a full export to S3 in DynamoDB JSON: its `*.json.gz` files, at any level, and `manifest-files.json`.
   * Without the manifest, a missing file goes unnoticed.
   */
  folder: string;
  onFinding?: (finding: Finding) => void;
  /** Called every 10,000 items with the number of items read. */
  onProgress?: (items: number) => void;
}

export interface ExportCheckResult extends CheckCounts {
  /** Partitions that differ. A check of the live table shows whether they still do. */
  suspects: string[];
}

/** The files are unordered, so all partitions stay open at once, each with only one bucket per group. */
const SUMS_ONLY = { mostParts: 0, buckets: 1 };
const PROGRESS_ITEMS = 10_000;

/**
 * Checks an export of a table to S3 without consuming the table's capacity. Reads the files up to four times: for the
 * registry, for the nodes that edges depend on, for digests of all partitions, about a kilobyte each, and for the items
 * of partitions that differ. Records that weren't yet projected at the time of the export count as differences; a check
 * of the live table shows whether they are real. Doesn't check copies of nodes, reverse items, entries of totals and
 * fan-outs: other partitions determine them, and each would need a search through the files.
 *
 * Throws `invalid-file` if there is no export, a file can't be read, or the files aren't those of the manifest.
 */
export async function checkExport(options: ExportCheckOptions): Promise<ExportCheckResult> {
  const files = await dataFiles(options.folder);
  const graph = await modelOfExport(options.graph, files);
  const totals = emptyCounts();
  const tally = new CheckTally(totals, options.onFinding);
  tally.addModelChanges(graph, { isReported: true });
  const suspects = await differingPartitions(options, graph, files, tally);
  await nominateInFiles(graph, files, suspects, tally);
  return { ...totals, suspects };
}

async function differingPartitions(
  { graph: own, onProgress }: ExportCheckOptions,
  graph: CompiledModel,
  files: readonly DataFile[],
  tally: CheckTally,
): Promise<string[]> {
  const nodes = await sourceNodes(graph, files);
  const partitions = new Map<string, PartitionComparison>();
  const comparisonOf = (source: string): PartitionComparison => {
    const known = partitions.get(source);
    if (known !== undefined) return known;
    const comparison = new PartitionComparison(graph, source, SUMS_ONLY);
    comparison.setNode(nodes.get(source) ?? NO_NODE);
    nodes.delete(source);
    partitions.set(source, comparison);
    return comparison;
  };
  const dangling = new DanglingEdges(graph);
  let items = 0;
  try {
    for await (const { source, target, item } of itemsOf(graph, files)) {
      if (isServicePartition(source)) continue;
      const key = { source, target };
      const noted = comparisonOf(source).add(target, item);
      if (noted === 'base') dangling.add(key, item);
      if (noted === 'unknown' && !isOfModel(own, key, item)) tally.addUnknownType(graph, key);
      items += 1;
      if (items % PROGRESS_ITEMS === 0) {
        await dangling.flushToFile();
        onProgress?.(items);
      }
    }
    await dangling.reportDangling(undefined, (edge) => tally.countAndReport(edge));
  } finally {
    await dangling.deleteFile();
  }
  const suspects: string[] = [];
  for (const [source, comparison] of partitions) {
    tally.addPartition(comparison);
    if (!comparison.isClean) suspects.push(source);
  }
  return suspects.sort();
}

async function modelOfExport(own: CompiledModel, files: readonly DataFile[]): Promise<CompiledModel> {
  const partitions = new PartitionsInMemory(own.table);
  for await (const { source, target, item } of itemsOf(own, files, `"${SERVICE_PARTITION}"`)) {
    if (source === SERVICE_PARTITION) partitions.add({ source, target }, item);
  }
  return await modelToCheck(own, partitions).current();
}

const NO_NODE: SourceNode = { item: undefined };

/**
 * Reads the nodes, with their parts, that index items of edges depend on. An edge may precede its node in the files, so
 * this happens first.
 */
async function sourceNodes(graph: CompiledModel, files: readonly DataFile[]): Promise<Map<string, SourceNode>> {
  const nodes = new Map<string, SourceNode>();
  if (joinedEdgeTypes(graph).size === 0) return nodes;
  const partial = new Map<string, Map<string, Item>>();
  const add = (source: string, items: ReadonlyMap<string, Item>): void => {
    const pieces = sourceNodeKeys(graph, source).map((key) => items.get(key));
    nodes.set(source, usedByEdges(graph, source, sourceNodeOf(graph, source, pieces)));
  };
  for await (const { source, target, item } of itemsOf(graph, files)) {
    const keys = isDerivedKey(target) ? [] : sourceNodeKeys(graph, source);
    if (!keys.includes(target)) continue;
    const items = (partial.get(source) ?? new Map<string, Item>()).set(target, item);
    if (items.size < keys.length) partial.set(source, items);
    else {
      partial.delete(source);
      add(source, items);
    }
  }
  for (const [source, items] of partial) add(source, items);
  return nodes;
}

async function nominateInFiles(
  graph: CompiledModel,
  files: readonly DataFile[],
  suspects: readonly string[],
  tally: CheckTally,
): Promise<void> {
  if (suspects.length === 0) return;
  const named = new Set(suspects);
  const partitions = new PartitionsInMemory(graph.table);
  for await (const { source, target, item } of itemsOf(graph, files)) {
    if (named.has(source)) partitions.add({ source, target }, item);
  }
  // A check with `sources` would read each partition twice: for its scan, and to inspect it.
  const inspector = new Inspector({
    graph,
    store: partitions,
    graceMs: 0,
    withoutLookUps: true,
    // Nothing waits for a stream here, so more open partitions would only take memory.
    mostOpen: 16,
    ...runtimeOf(),
    onFinding: (finding) => {
      if (isWrongVerdict(finding.verdict)) tally.countAndReport(finding);
    },
    onCounts: () => undefined,
  });
  await inspector.beginAll(suspects.map((source) => ({ source })));
  await inspector.finish();
}
