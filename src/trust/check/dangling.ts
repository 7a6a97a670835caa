import type { FileHandle } from 'node:fs/promises';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Item } from '../../core/items/attribute-value.ts';
import { fnv1a } from '../../core/items/shard.ts';
import { classifyBaseItem } from '../../core/model/base-item.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { isGone, isItemThere, isNodeThere } from '../../core/model/gone.ts';
import type { ItemKey, Store } from '../../core/store-port.ts';
import type { Finding } from './finding.ts';

const MAP_BITS = 2 ** 27;
const FLUSH_LINES = 5_000;
const CHUNK = 50;

/** An edge whose target the scan hasn't read yet. */
type FarEdge = [source: string, sortKey: string, target: string];

/**
 * Finds edges to missing nodes within one scan. Each node sets a bit in a map of 16 MB, whatever the table's size.
 * Edges whose target has no bit yet are kept, in a file if there are many, and tested again after the scan. Only edges
 * whose target still has no bit are looked up. Two nodes may share a bit, which hides a few dangling edges.
 */
export class DanglingEdges {
  private readonly nodes = new Uint8Array(MAP_BITS / 8);
  private lines: string[] = [];
  private folder: string | undefined;
  private file: FileHandle | undefined;

  constructor(private readonly graph: CompiledModel) {}

  add({ source, target }: ItemKey, item: Item): void {
    if (source === target) {
      if (!isNodeThere(this.graph, source, item)) return;
      const bit = bitOfId(source);
      this.nodes[bit >> 3]! |= 1 << (bit & 7);
      return;
    }
    const kind = classifyBaseItem(this.graph, source, target, item);
    // Edges that don't fit the model are reported as quarantined.
    if (kind.kind !== 'edge' || isGone(kind.edge, item) || this.mayHaveNode(kind.target)) return;
    const edge: FarEdge = [source, target, kind.target];
    this.lines.push(`${JSON.stringify(edge)}\n`);
  }

  async flushToFile(): Promise<void> {
    if (this.lines.length < FLUSH_LINES) return;
    const text = this.lines.join('');
    this.lines = [];
    this.folder ??= await mkdtemp(join(tmpdir(), 'edgeloom-check-'));
    this.file ??= await open(join(this.folder, 'edges'), 'a+');
    await this.file.appendFile(text);
  }

  /**
   * Call this after the scan. Without a store, nothing can have changed during the scan, so all remaining edges are
   * reported without look-ups.
   */
  async reportDangling(
    store: Pick<Store, 'getMany'> | undefined,
    onFinding: (finding: Finding) => void,
  ): Promise<void> {
    let chunk: FarEdge[] = [];
    const reportChunk = async (): Promise<void> => {
      for (const [source, target, node] of store === undefined
        ? chunk
        : await stillDangling(this.graph, store, chunk)) {
        onFinding({ source, target, verdict: 'dangling', expected: `a node ${node}`, actual: null });
      }
      chunk = [];
    };
    for await (const line of this.allLines()) {
      const edge = JSON.parse(line) as FarEdge;
      if (this.mayHaveNode(edge[2])) continue;
      chunk.push(edge);
      if (chunk.length === CHUNK) await reportChunk();
    }
    if (chunk.length > 0) await reportChunk();
  }

  async deleteFile(): Promise<void> {
    await this.file?.close();
    if (this.folder !== undefined) await rm(this.folder, { recursive: true, force: true });
  }

  private async *allLines(): AsyncGenerator<string> {
    if (this.file !== undefined) {
      yield* createInterface({ input: this.file.createReadStream({ start: 0, autoClose: false }) });
    }
    yield* this.lines;
  }

  private mayHaveNode(id: string): boolean {
    const bit = bitOfId(id);
    return (this.nodes[bit >> 3]! & (1 << (bit & 7))) !== 0;
  }
}

async function stillDangling(
  graph: CompiledModel,
  store: Pick<Store, 'getMany'>,
  edges: readonly FarEdge[],
): Promise<FarEdge[]> {
  const keys = edges.flatMap(([source, target, node]): ItemKey[] => [
    { source, target },
    { source: node, target: node },
  ]);
  const { items } = await store.getMany(keys, { consistent: false });
  return edges.filter(([source, target, node], i) => {
    return isItemThere(graph, { source, target }, items[2 * i]) && !isNodeThere(graph, node, items[2 * i + 1]);
  });
}

function bitOfId(id: string): number {
  return fnv1a(id) % MAP_BITS;
}
