import * as z from 'zod';
import { findEdge } from '../../../src/client/read/request/lookup.ts';
import { itemOfJson } from '../../../src/client/write/import.ts';
import { type ItemWords, itemCalls } from '../../../src/client/write/item-calls.ts';
import { createWriter } from '../../../src/client/write/writer.ts';
import { type Item, sameValue, stringOf } from '../../../src/core/items/attribute-value.ts';
import { TARGET_ID } from '../../../src/core/items/hashed-key.ts';
import { typePrefix } from '../../../src/core/items/keys.ts';
import { toPlain } from '../../../src/core/items/plain.ts';
import { sortKeyOfEdge } from '../../../src/core/model/base-item.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import type { ItemKey } from '../../../src/core/store-port.ts';
import { EdgeloomError } from '../../../src/foundation/errors.ts';
import type { RequestContext } from '../base/context.ts';
import type { Flow } from '../base/flow.ts';
import { input, route } from '../base/route.ts';
import type { SeenChange } from '../base/seen-changes.ts';

const subject = z.union([
  z.object({ source: input.id, type: input.id, target: input.id }),
  z.object({ id: input.id, part: input.id.optional() }),
]);
type Subject = z.infer<typeof subject>;

export interface WriteAnswer extends ItemKey {
  changed: string[];
  /** The number of changes seen before the write, which finds its record. */
  after: number;
}

function keyOf(graph: CompiledModel, subject: Subject): ItemKey {
  if ('id' in subject) return { source: subject.id, target: subject.part ?? subject.id };
  return { source: subject.source, target: sortKeyOfEdge(findEdge(graph, subject.type), subject.target) };
}

export const WRITE_ROUTES = [
  route(
    'POST /api/put',
    z.object({ subject, json: z.string() }),
    async ({ graph, store, flow }, { subject, json }): Promise<WriteAnswer> => {
      const given = itemOfJson(json);
      const attributes = plainAttributesOf(given, Object.keys(given));
      const item = itemCalls(createWriter(graph, { store }), subject);
      const after = await seenBefore(flow);
      await item.put(attributes, { ifAbsent: true });
      return { ...keyOf(graph, subject), changed: Object.keys(attributes), after };
    },
    { writes: true },
  ),
  route(
    'POST /api/update',
    z.object({ subject, before: z.string(), after: z.string() }),
    async (context, { subject, before, after }): Promise<WriteAnswer> => writeEdited(context, subject, before, after),
    { writes: true },
  ),
  route(
    'POST /api/delete',
    z.object({ subject }),
    async ({ graph, store, flow }, { subject }): Promise<WriteAnswer> => {
      const item = itemCalls(createWriter(graph, { store }), subject);
      const after = await seenBefore(flow);
      await item.delete({});
      return { ...keyOf(graph, subject), changed: [], after };
    },
    { writes: true },
  ),
  route('POST /api/undo', z.object({ source: input.id, target: input.id, rev: z.string() }), undoWrite, {
    writes: true,
  }),
];

/** Undoes by the images of the stream, so that values keep their types. */
async function undoWrite(
  { graph, store, flow }: RequestContext,
  { source, target, rev }: { source: string; target: string; rev: string },
): Promise<WriteAnswer> {
  const write = flow.changes.writeOf({ source, target }, { rev });
  if (write === undefined)
    throw new EdgeloomError('invalid-argument', 'The studio no longer has this write.', 'Edit the item instead.');
  const old = attributesOf(graph, write.oldImage);
  const made = attributesOf(graph, write.newImage);
  const names = [...new Set([...Object.keys(old), ...Object.keys(made)])];
  const changed = names.filter((name) => !sameValue(old[name], made[name]));
  const options = { if: plainAttributesOf(made, changed), ifPresent: true };
  const item = itemCalls(createWriter(graph, { store }), wordsOf(graph, write));
  const after = await seenBefore(flow);
  if (write.newImage === undefined) await item.put(plainAttributesOf(old, names), { ifAbsent: true });
  else if (write.oldImage === undefined) await item.delete(options);
  else await item.update(changeTo(old, changed), options);
  return { source, target, changed, after };
}

function attributesOf({ table }: CompiledModel, image: Item = {}): Item {
  const { [table.partitionKey]: _source, [table.sortKey]: _target, [TARGET_ID]: _end, ...attributes } = image;
  return attributes;
}

function wordsOf(graph: CompiledModel, { source, target, oldImage, newImage }: SeenChange): ItemWords {
  if (source === target) return { id: source };
  if (graph.nodes.get(typePrefix(source) ?? '')?.parts.has(target) === true) return { id: source, part: target };
  const type = typePrefix(target) ?? '';
  const isHashed = graph.edges.get(type)?.keys === 'hashed';
  const end = isHashed ? stringOf((newImage ?? oldImage)?.[TARGET_ID]) : target.slice(type.length + 1);
  return { source, type, target: end ?? '' };
}

type Plain = Record<string, unknown>;

function changeTo(item: Item, names: readonly string[]): { set: Plain; remove: string[] } {
  const isLeft = (name: string): boolean => item[name] !== undefined;
  return { set: plainAttributesOf(item, names.filter(isLeft)), remove: names.filter((name) => !isLeft(name)) };
}

/** Fails if somebody has changed one of the edited attributes. */
async function writeEdited(
  { graph, store, flow }: RequestContext,
  subject: Subject,
  before: string,
  after: string,
): Promise<WriteAnswer> {
  const [old, edited] = [itemOfJson(before), itemOfJson(after)];
  const names = [...new Set([...Object.keys(old), ...Object.keys(edited)])];
  const changed = names.filter((name) => !sameValue(old[name], edited[name]));
  const options = { if: plainAttributesOf(old, changed), ifPresent: true };
  const item = itemCalls(createWriter(graph, { store }), subject);
  const seen = await seenBefore(flow);
  const written = { ...keyOf(graph, subject), changed, after: seen };
  if (changed.length === 0) return written;
  await item.update(changeTo(edited, changed), options);
  return written;
}

async function seenBefore(flow: Flow): Promise<number> {
  // A role that may write the table may lack the right to read its stream: write anyway, and let the trace report it.
  await flow.look().catch(() => undefined);
  return flow.changes.count;
}

function plainAttributesOf(item: Item, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, item[name] && toPlain(item[name])]));
}
