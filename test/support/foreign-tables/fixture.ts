import type { CompiledModel, Reader } from '../../../src/index.ts';
import type { Layout } from '../../../src/sources/layouts/layout.ts';
import type { SourceItem } from '../../../src/sources/source.ts';
import type { Random } from '../../simulator/kernel/random.ts';

/** A question that the application asks its own table, and how the mirror is asked. */
export interface Question {
  text: string;
  /** The answer of the application's own query. */
  old: unknown;
  ours: (reader: Reader) => Promise<unknown>;
}

/** A table of an application, laid out in one of the usual ways. */
export interface SampledTable {
  name: string;
  /** Its key attributes. */
  keys: { partitionKey: string; sortKey: string };
  items: (random: Random) => SourceItem[];
}

/** A table whose layout Edgeloom has a mapping for. */
export interface MappedTable extends SampledTable {
  graph: (table: string) => CompiledModel;
  layout: Layout;
  /** The reasons why items are not of the graph. */
  reasons: readonly string[];
  questions: (items: readonly SourceItem[]) => Question[];
}

/** The items of one partition of a table or an index, in the order of their sort keys, as a Query gives them. */
export function query(
  items: readonly SourceItem[],
  [partition, sort]: readonly [string, string],
  value: string,
  beginsWith = '',
): SourceItem[] {
  return items
    .filter((item) => item[partition] === value && String(item[sort]).startsWith(beginsWith))
    .sort((left, right) => (String(left[sort]) < String(right[sort]) ? -1 : 1));
}

/** Numbers from 1 on. */
export function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i + 1);
}

/** The ids of the nodes that enter another by edges of a type, in an order. */
export async function sourcesOf(reader: Reader, type: string, target: string, options: object = {}): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await reader.inbound(target, type, { limit: 3, ...options, ...(cursor !== undefined && { cursor }) });
    found.push(...page.items.map(({ source }) => String(source)));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return found;
}
