import type { CompiledModel } from '../core/model/compiled.ts';
import { type SourceNode, sourceNodeKeys, sourceNodeOf } from '../core/model/joined.ts';
import { type CountingReader, readItem, readItems } from '../core/store-pages.ts';

/** A consistent read of a source node, with those of its parts that index items of its edges use. */
export async function readSourceNode(
  context: CountingReader<'get' | 'getMany'> & { graph: CompiledModel },
  source: string,
): Promise<SourceNode> {
  const keys = sourceNodeKeys(context.graph, source).map((target) => ({ source, target }));
  if (keys.length === 1) return { item: await readItem(context, keys[0]!) };
  return sourceNodeOf(context.graph, source, await readItems(context, keys));
}
