import { type AttributeValue, attributeOf, type Item, itemSizeBytes } from '../../../core/items/attribute-value.ts';
import { describe } from '../../../core/items/keys.ts';
import { classifyKey } from '../../../core/model/base-item.ts';
import type { CompiledModel } from '../../../core/model/compiled.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import { itemName } from './problem.ts';

export function checkMaxEntries(graph: CompiledModel, source: string, sortKey: string, item: Item): void {
  const kind = classifyKey(graph, source, sortKey);
  if (kind.kind !== 'node') return;
  for (const [name, limit] of kind.node.maxEntries) {
    const count = entryCount(attributeOf(item, name));
    if (count <= limit) continue;
    throw new EdgeloomError(
      'too-many-entries',
      `${itemName(source, sortKey)}: attribute ${describe(name)} has ${count} entries; its model allows ${limit}. The item has ${itemSizeBytes(item)} bytes.`,
      'Make the entries edges or nodes of their own, or raise maxEntries.',
    );
  }
}

function entryCount(value: AttributeValue | undefined): number {
  if (value === undefined) return 0;
  if ('L' in value) return value.L.length;
  if ('M' in value) return Object.keys(value.M).length;
  if ('SS' in value) return value.SS.length;
  if ('NS' in value) return value.NS.length;
  return 'BS' in value ? value.BS.length : 0;
}
