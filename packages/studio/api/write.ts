import * as z from 'zod';
import { findEdge } from '../../../src/client/read/request/lookup.ts';
import { type ItemWords, itemCalls } from '../../../src/client/write/item-calls.ts';
import { itemOfJson } from '../../../src/client/write/json-item.ts';
import { createWriter } from '../../../src/client/write/writer.ts';
import { type Item, sameValue, stringOf } from '../../../src/core/items/attribute-value.ts';
import { TARGET_ID } from '../../../src/core/items/hashed-key.ts';
import { typePrefix } from '../../../src/core/items/keys.ts';
import { toPlain } from '../../../src/core/items/plain.ts';
import { classifyKey, sortKeyOfEdge } from '../../../src/core/model/base-item.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import type { ItemKey } from '../../../src/core/store-port.ts';
import { EdgeloomError } from '../../../src/foundation/errors.ts';
import type { RequestContext } from '../base/context.ts';
import { input, route } from '../base/route.ts';

const key = { source: input.id, target: input.id };
const subject = z.union([z.object({ source: input.id, type: input.id, target: input.id }), z.object({ id: input.id })]);

export interface WriteAnswer extends ItemKey {
  changed: string[];
  /** Number of changes seen before the write, used to find its record. */
  after: number;
}

export const WRITE_ROUTES = [
  route(
    'POST /api/put',
    z.object({ subject, json: z.string() }),
    async (context, { subject, json }) => writeItem(context, subject, undefined, itemOfJson(json)),
    { writes: true },
  ),
  route(
    'POST /api/update',
    z.object({ ...key, before: z.string(), after: z.string() }),
    async (context, { before, after, ...own }) => {
      const old = itemOfJson(before);
      return writeItem(context, wordsOf(context.graph, own, old), old, itemOfJson(after));
    },
    { writes: true },
  ),
  route('POST /api/undo', z.object({ ...key, rev: z.string() }), undoWrite, { writes: true }),
];

/** Restores the image from the stream record, because JSON from the page loses the types of values. */
async function undoWrite(context: RequestContext, { rev, ...own }: ItemKey & { rev: string }): Promise<WriteAnswer> {
  const { graph, flow } = context;
  const write = flow.changes.writeOf(own, { rev });
  if (write === undefined)
    throw new EdgeloomError('invalid-argument', 'The studio no longer has this write.', 'Edit the item instead.');
  const { oldImage, newImage } = write;
  const words = wordsOf(graph, own, newImage ?? oldImage);
  return await writeItem(context, words, attributesOf(graph, newImage), attributesOf(graph, oldImage));
}

function attributesOf({ table }: CompiledModel, image: Item | undefined): Item | undefined {
  if (image === undefined) return undefined;
  const { [table.partitionKey]: _source, [table.sortKey]: _target, [TARGET_ID]: _end, ...attributes } = image;
  return attributes;
}

function wordsOf(graph: CompiledModel, { source, target }: ItemKey, item: Item = {}): ItemWords {
  if (source === target) return { id: source };
  if (classifyKey(graph, source, target).kind === 'part') return { id: source, part: target };
  const type = typePrefix(target) ?? '';
  const isHashed = graph.edges.get(type)?.keys === 'hashed';
  const end = isHashed ? stringOf(item[TARGET_ID]) : target.slice(type.length + 1);
  return { source, type, target: end ?? '' };
}

function keyOf(graph: CompiledModel, words: ItemWords): ItemKey {
  if ('id' in words) return { source: words.id, target: words.part ?? words.id };
  return { source: words.source, target: sortKeyOfEdge(findEdge(graph, words.type), words.target) };
}

/** Undefined means no item. Unless nothing changes, fails if a changed attribute or existence differs from `before`. */
async function writeItem(
  { graph, store, flow }: RequestContext,
  words: ItemWords,
  before: Item | undefined,
  after: Item | undefined,
): Promise<WriteAnswer> {
  const [old, edited] = [before ?? {}, after ?? {}];
  const names = [...new Set([...Object.keys(old), ...Object.keys(edited)])];
  const changed = names.filter((name) => !sameValue(old[name], edited[name]));
  const options = { if: plainAttributesOf(old, changed), ifPresent: true };
  const item = itemCalls(createWriter(graph, { store }), words);
  // A role may write the table without being allowed to read its stream. The trace reports that error.
  await flow.look().catch(() => undefined);
  const written = { ...keyOf(graph, words), changed, after: flow.changes.count };
  if (before === undefined) await item.put(plainAttributesOf(edited, names), { ifAbsent: true });
  else if (after === undefined) await item.delete(options);
  else if (changed.length > 0) {
    const isLeft = (name: string): boolean => edited[name] !== undefined;
    const set = plainAttributesOf(edited, changed.filter(isLeft));
    await item.update({ set, remove: changed.filter((name) => !isLeft(name)) }, options);
  }
  return written;
}

function plainAttributesOf(item: Item, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, item[name] && toPlain(item[name])]));
}
