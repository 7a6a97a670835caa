import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { marshall } from '@aws-sdk/util-dynamodb';
import { type Item, sameItem, stringOf } from '../../../../src/core/items/attribute-value.ts';
import { textOfKey } from '../../../../src/core/items/keys.ts';
import { defineGraph } from '../../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../../src/core/model/compiled.ts';
import { edge, node } from '../../../../src/core/model/schema.ts';
import { StoreError } from '../../../../src/foundation/errors.ts';
import { contentOf, contributionsOf } from '../../../../src/mirror/contributions.ts';
import { mappedEdge, mappedNode } from '../../../../src/mirror/items.ts';
import { importLines, type LinesResult } from '../../../../src/mirror/lines.ts';
import { mapped } from '../../../../src/mirror/mapped.ts';
import { type SourceTable, sourceTable } from '../../../../src/mirror/source.ts';
import { MemoryStore } from '../../../support/memory-store/memory-store.ts';
import { packOfTexts } from '../../kernel/pack.ts';
import { Random } from '../../kernel/random.ts';

/**
 * One schedule of imports of another system's log: lines in any order, again, in several files, imports that end in the middle and answers
 * that are lost, and a mapping that changes, which at first refuses some lines. In the end each base item is what the newest lines make.
 */

const graph = defineGraph({
  table: 'records',
  nodes: { ORDER: node(), USER: node() },
  edges: { OF: edge({ from: 'ORDER', to: 'USER' }) },
  mirrored: ['ORDER', 'USER', 'OF'],
}) as CompiledModel;

interface Row {
  id: string;
  name: string;
  of: string | null;
  isOdd: boolean;
}
interface Line {
  position: string;
  before: Row | null;
  after: Row | null;
}

/** The mapping of a version: the second makes other edges, and a picky one refuses odd rows. */
function mapping(version: number, isPicky = false): SourceTable {
  return sourceTable('orders', {
    version,
    keys: { partitionKey: 'id' },
    map({ id, name, of, isOdd }) {
      if (isPicky && isOdd === true) throw new Error('odd');
      const makesEdge = of !== null && (version === 1 || of === 'u1');
      return [
        mappedNode(`ORDER-${id}`, { name, ...(version > 1 && { version }) }),
        ...(makesEdge ? [mappedEdge(`ORDER-${id}`, 'OF', `USER-${of}`, { name })] : []),
      ];
    },
  });
}

/** The pack of these schedules. */
export const PACK = packOfTexts(runLines);

let files = 0;

/** Runs the schedule of a seed; gives what went wrong. */
export async function runLines(seed: number): Promise<string[]> {
  const file = join(tmpdir(), `edgeloom-lines-${process.pid}-${files++}.jsonl`);
  try {
    return await new LinesSchedule(new Random(seed), file).run();
  } finally {
    await rm(file, { force: true });
  }
}

class LinesSchedule {
  private readonly store = new MemoryStore(graph.table);
  private readonly rows = new Map<string, Row>();
  private readonly log: readonly Line[];
  private readonly faults: number;

  constructor(
    private readonly random: Random,
    private readonly file: string,
  ) {
    this.faults = random.oneOf([0, 0.03, 0.1]);
    this.log = Array.from({ length: 4 + random.below(12) }, (_, i) => this.change(i));
  }

  async run(): Promise<string[]> {
    const { random, log } = this;
    const cut = random.below(log.length + 1);
    for (const part of [log.slice(0, cut), log.slice(cut)].reverse()) await this.import(mapping(1), part);
    let version = 1;
    if (random.chance(0.6)) {
      version = 2;
      const isRefused = log.some(({ before, after }) => before?.isOdd === true || after?.isOdd === true);
      if (isRefused) await this.import(mapping(2, true), log, true);
      await this.import(mapping(2), log, true);
      if (random.chance(0.5)) await this.import(mapping(1), log);
    }
    return this.verify(mapping(version));
  }

  private change(i: number): Line {
    const { random, rows } = this;
    const id = random.oneOf(['a', 'b', 'c']);
    const before = rows.get(id) ?? null;
    const of = random.oneOf(['u1', 'u2', null] as const);
    const isGone = before !== null && random.chance(0.3);
    const after: Row | null = isGone ? null : { id, name: `n${random.below(5)}`, of, isOdd: random.chance(0.1) };
    if (after === null) rows.delete(id);
    else rows.set(id, after);
    // Positions of more digits come later, whatever their texts.
    return { position: i < 6 ? `${i}` : `1${String(i).padStart(24, '0')}`, before, after };
  }

  /** Imports lines in any order, some of them twice, until the import does not end in the middle. */
  private async import(source: SourceTable, part: readonly Line[], complete = false): Promise<LinesResult> {
    const { random, file } = this;
    const lines = [...part, ...part.filter(() => random.chance(0.2))];
    for (let i = lines.length - 1; i > 0; i--) {
      const j = random.below(i + 1);
      [lines[i], lines[j]] = [lines[j]!, lines[i]!];
    }
    await writeFile(file, lines.map((line) => JSON.stringify(line)).join('\n'));
    for (;;) {
      try {
        const options = { wait: async () => undefined, random: () => random.next() };
        return await importLines(graph, { source, store: this.ours(), file, complete, concurrency: 1, ...options });
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
      }
    }
  }

  /** Our table as an import calls it. */
  private ours() {
    const { store, random, faults } = this;
    const call = async <T>(run: () => Promise<T>): Promise<T> => {
      const fault = random.next();
      // The import ends there.
      if (fault < faults / 3) throw new StoreError('fatal', 'AccessDeniedException', 'Ended.');
      if (fault < (2 * faults) / 3) throw new StoreError('retryable', 'ThrottlingException', 'Throttled.');
      const answer = await run();
      if (fault < faults) throw new StoreError('retryable', 'TimeoutError', 'The answer was lost.');
      return answer;
    };
    return {
      get: (...given: Parameters<typeof store.get>) => call(() => store.get(...given)),
      change: (...given: Parameters<typeof store.change>) => call(() => store.change(...given)),
      query: (...given: Parameters<typeof store.query>) => call(() => store.query(...given)),
      scan: (...given: Parameters<typeof store.scan>) => call(() => store.scan(...given)),
    };
  }

  private async verify(source: SourceTable): Promise<string[]> {
    const wanted = new Map<string, Item | undefined>();
    for (const row of this.rows.values()) {
      for (const [key, item] of mapped(graph, source, marshall(row) as Item)) wanted.set(key, contentOf(graph, item));
    }
    const { items } = await this.store.scan({ segment: 0, segments: 1 });
    const failures: string[] = [];
    for (const item of items) {
      const contributions = contributionsOf(graph, item);
      const shown = contributions?.byMaker.get(contributions.shown)?.content;
      const text = textOfKey({ source: stringOf(item['source'])!, target: stringOf(item['target'])! });
      if (shown === undefined) continue;
      if (!sameItem(shown, wanted.get(text))) failures.push(`${text}: shows ${JSON.stringify(shown)}`);
      wanted.delete(text);
    }
    return [...failures, ...[...wanted.keys()].map((text) => `${text}: is missing`)];
  }
}
