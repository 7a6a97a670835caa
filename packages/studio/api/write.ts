import * as z from 'zod';
import { itemOfJson } from '../../../src/client/write/import.ts';
import { createWriter } from '../../../src/client/write/writer.ts';
import { type Item, sameValue } from '../../../src/core/items/attribute-value.ts';
import { toPlain } from '../../../src/core/items/plain.ts';
import type { RequestContext } from '../base/context.ts';
import type { Flow } from '../base/flow.ts';
import { input, route } from '../base/route.ts';

/** Names a node, or an edge. */
const subject = z.union([z.object({ source: input.id, type: input.id, target: input.id }), z.object({ id: input.id })]);
type Subject = z.infer<typeof subject>;

/** The capacity of a write. */
export interface WriteAnswer {
  /** Attributes that were changed; of a new item all. */
  changed: string[];
  /** The number of changes that the studio had seen before: the write is behind it. */
  after: number;
}

/** Edits of base items through the writer, which checks them. */
export const WRITE_ROUTES = [
  route(
    'POST /api/put',
    z.object({ subject, json: z.string() }),
    async ({ graph, store, flow }, { subject, json }): Promise<WriteAnswer> => {
      const item = itemOfJson(json);
      const attributes = plainAttributesOf(item, Object.keys(item));
      const writer = createWriter(graph, { store });
      const options = { ifAbsent: true };
      const after = await seenBefore(flow);
      if ('id' in subject) await writer.putNode(subject.id, attributes, options);
      else await writer.putEdge(subject.source, subject.type, subject.target, attributes, options);
      return { changed: Object.keys(attributes), after };
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
      const writer = createWriter(graph, { store });
      const after = await seenBefore(flow);
      if ('id' in subject) await writer.deleteNode(subject.id);
      else await writer.deleteEdge(subject.source, subject.type, subject.target);
      return { changed: [], after };
    },
    { writes: true },
  ),
];

/** Writes what was edited, if those attributes are still as they were shown; what others changed meanwhile stays. */
async function writeEdited(
  { graph, store, flow }: RequestContext,
  subject: Subject,
  before: string,
  after: string,
): Promise<WriteAnswer> {
  const [old, edited] = [itemOfJson(before), itemOfJson(after)];
  const names = [...new Set([...Object.keys(old), ...Object.keys(edited)])];
  const changed = names.filter((name) => !sameValue(old[name], edited[name]));
  const remove = changed.filter((name) => edited[name] === undefined);
  const set = plainAttributesOf(
    edited,
    changed.filter((name) => edited[name] !== undefined),
  );
  const options = { if: plainAttributesOf(old, changed), ifPresent: true };
  const writer = createWriter(graph, { store });
  const seen = await seenBefore(flow);
  if (changed.length === 0) return { changed, after: seen };
  if ('id' in subject) await writer.updateNode(subject.id, { set, remove }, options);
  else await writer.updateEdge(subject.source, subject.type, subject.target, { set, remove }, options);
  return { changed, after: seen };
}

/** The number of changes that the stream has shown so far. */
async function seenBefore(flow: Flow): Promise<number> {
  // Who may write the table may not be allowed to read its stream: the trace of the write says so, and the write is made.
  await flow.look().catch(() => undefined);
  return flow.changes.count;
}

/** Some attributes of an item, plain; those that it lacks are undefined. */
function plainAttributesOf(item: Item, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, item[name] && toPlain(item[name])]));
}
