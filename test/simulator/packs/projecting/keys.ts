import { createHash } from 'node:crypto';
import type { Item } from '../../../../src/core/items/attribute-value.ts';
import { textOf } from '../../kernel/values.ts';
import type { ModelOptions } from './models.ts';

/** Sort keys of edges as the models have them, written apart from those that the projector makes. */

const EDGE = /^(MEMBER|LINK|WORK)-(.*)$/s;

/** The sort key that an edge's plain one stands for: of an edge type of the model hashed, if its keys are. */
export function storedKey({ keys }: ModelOptions, plainKey: string): string {
  const [, type, id] = EDGE.exec(plainKey) ?? [];
  if (keys === 'plain' || type === undefined || id === undefined) return plainKey;
  return `${type}-#${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
}

/** The id in an edge's plain sort key. */
export function targetOf(plainKey: string): string {
  return plainKey.slice(plainKey.indexOf('-') + 1);
}

/** The plain sort key that an item's own one stands for; undefined for a hashed one that is not its target's. */
export function plainKey(options: ModelOptions, item: Item): string | undefined {
  const stored = textOf(item['target']);
  const [, type] = EDGE.exec(stored) ?? [];
  if (options.keys === 'plain' || type === undefined) return stored;
  const plain = `${type}-${textOf(item['targetId'])}`;
  return storedKey(options, plain) === stored ? plain : undefined;
}
