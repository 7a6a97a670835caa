import type { CompiledModel } from '../../core/model/compiled.ts';
import type { CallResult } from '../call/capacity.ts';
import type { WriteOptions } from './item/single.ts';
import type { AttributeChange } from './update/attribute-change.ts';
import type { UpdateOptions } from './update/update.ts';
import type { Writer } from './writer.ts';

export type ItemWords = { id: string; part?: string } | { source: string; type: string; target: string };

export interface ItemCalls {
  put(attributes: Record<string, unknown>, options: WriteOptions): Promise<CallResult>;
  update(change: AttributeChange, options: UpdateOptions): Promise<CallResult>;
  delete(options: WriteOptions): Promise<CallResult>;
}

export function itemCalls(writer: Writer<CompiledModel>, words: ItemWords): ItemCalls {
  if (!('id' in words)) {
    const { source, type, target } = words;
    return {
      put: (attributes, options) => writer.putEdge(source, type, target, attributes, options),
      update: (change, options) => writer.updateEdge(source, type, target, change, options),
      delete: (options) => writer.deleteEdge(source, type, target, options),
    };
  }
  const { id, part } = words;
  if (part === undefined) {
    return {
      put: (attributes, options) => writer.putNode(id, attributes, options),
      update: (change, options) => writer.updateNode(id, change, options),
      delete: (options) => writer.deleteNode(id, options),
    };
  }
  return {
    put: (attributes, options) => writer.putPart(id, part, attributes, options),
    update: (change, options) => writer.updatePart(id, part, change, options),
    delete: (options) => writer.deletePart(id, part, options),
  };
}
