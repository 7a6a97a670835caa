import { toItemOfKey } from '../client/write/checks/base-item.ts';
import { validateAtOnce } from '../client/write/checks/fields.ts';
import { checkBaseKey, partModel } from '../client/write/checks/key.ts';
import { itemName } from '../client/write/checks/problem.ts';
import { isPlainObject } from '../client/write/checks/values.ts';
import { type Item, stringOf } from '../core/items/attribute-value.ts';
import { TARGET_ID } from '../core/items/hashed-key.ts';
import { describe, isTypeName, textOfKey, typePrefix } from '../core/items/keys.ts';
import { sortKeyOfEdge } from '../core/model/base-item.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import { BOOKKEEPING } from '../core/model/mirrored.ts';
import type { ItemKey } from '../core/store-port.ts';
import { EdgeloomError } from '../foundation/errors.ts';
import { textOf } from './claims.ts';
import { isTable, makerOf, type Source, type SourceItem } from './source.ts';

/**
 * Returns the base items that a source item makes: a map from keys (`["source","target"]` as JSON) to contents in wire
 * form without keys. Throws `invalid-mapping` if the mapping throws or the model refuses an item.
 */
export function mapped(
  graph: CompiledModel,
  source: Source,
  key: string,
  item: SourceItem | undefined,
): ReadonlyMap<string, Item> {
  const contents = new Map<string, Item>();
  if (item === undefined) return contents;
  const { partitionKey, sortKey } = graph.table;
  try {
    const all: unknown = source.map(item);
    if (!Array.isArray(all)) {
      throw mistake(`it gave ${describe(all)}.`, 'Give a list of mappedNode(…) and mappedEdge(…), [] for none.');
    }
    for (const given of all) {
      const { [partitionKey]: from, [sortKey]: to, ...content } = baseItemOf(graph, given);
      const made = { source: stringOf(from)!, target: stringOf(to)! };
      const text = textOfKey(made);
      const isTwice = contents.has(text);
      if (isTwice)
        throw mistake(`it makes the item ${itemName(made.source, made.target)} twice.`, 'Give each key once.');
      contents.set(text, content);
    }
    return contents;
  } catch (error) {
    // Also catches errors of getters and validators, because they recur with every attempt and would hold up other
    // items.
    const { message, hint } = error instanceof EdgeloomError ? error : thrown(error);
    const text = `The mapping of ${makerOf(source, key)}: ${message}`;
    throw new EdgeloomError('invalid-mapping', text, hint, { cause: error });
  }
}

export function droppedNames(
  graph: CompiledModel,
  source: Source,
  key: string,
  item: SourceItem,
  made: ReadonlyMap<string, Item>,
): string[] {
  if (made.size === 0) return [];
  const contents = [...made.values()];
  const { partitionKey, sortKey } = isTable(source) ? source.from : {};
  const text = textOfMade(made);
  return Object.keys(item).filter((name) => {
    if (name === partitionKey || name === sortKey || contents.some((content) => Object.hasOwn(content, name)))
      return false;
    const { [name]: _, ...rest } = item;
    try {
      return textOfMade(mapped(graph, source, key, rest)) === text;
    } catch {
      // The mapping needs this attribute.
      return false;
    }
  });
}

export function textOfMade(made: ReadonlyMap<string, Item>): string {
  return JSON.stringify([...made].map(([text, content]) => [text, textOf(content)]).sort());
}

/** Reverses `textOfKey`. */
export function itemKeyOf(text: string): ItemKey {
  const [source, target] = JSON.parse(text) as [string, string];
  return { source, target };
}

function baseItemOf(graph: CompiledModel, given: unknown): Item {
  if (!isPlainObject(given)) {
    throw mistake(`it made ${describe(given)}, which is not an item.`, 'Use mappedNode or mappedEdge.');
  }
  const { source, target, ...attributes } = given as Record<string, unknown>;
  for (const name of [...BOOKKEEPING, graph.table.ttl, graph.table.partitionKey, graph.table.sortKey]) {
    if (!Object.hasOwn(attributes, name)) continue;
    const why = name === graph.table.ttl ? 'is the one by which the table deletes items' : 'is reserved';
    const remedy = 'Give it another name in map, or give the TTL attribute of the table another one: table: { ttl }.';
    throw mistake(`attribute ${name} ${why}.`, remedy);
  }
  const key = keyOf(graph, source, target, attributes);
  checkType(graph, key);
  const isNode = key.source === key.target;
  const type = typePrefix(key.target) ?? '';
  const edge = isNode ? undefined : graph.edges.get(type);
  const { fields } = (isNode ? graph.nodes.get(type) : (partModel(graph, key) ?? edge)) ?? {};
  const { [TARGET_ID]: targetId, ...own } = attributes;
  const isHashed = edge?.keys === 'hashed';
  const valid = validateAtOnce(fields, isHashed ? own : attributes, itemName(key.source, key.target));
  return toItemOfKey(graph, key, isHashed ? { ...valid, [TARGET_ID]: targetId } : valid);
}

/** Adds the target's id to `attributes` if the edge has a hashed key. */
function keyOf(graph: CompiledModel, source: unknown, target: unknown, attributes: Record<string, unknown>): ItemKey {
  const type = typeof target === 'string' ? typePrefix(target) : undefined;
  const edge = source === target || type === undefined ? undefined : graph.edges.get(type);
  let sortKey = target;
  if (edge?.keys === 'hashed') {
    attributes[TARGET_ID] = (target as string).slice(edge.type.length + 1);
    sortKey = sortKeyOfEdge(edge, attributes[TARGET_ID] as string);
  }
  const id = attributes[TARGET_ID];
  checkBaseKey(graph, source, sortKey, typeof id === 'string' ? { [TARGET_ID]: { S: id } } : {});
  return { source: source as string, target: sortKey as string };
}

/** If the model lists mirrored types, a mapping may only make those, because the writer may write the others. */
function checkType({ mirrored }: CompiledModel, { source, target }: ItemKey): void {
  const type = source !== target && isTypeName(target) ? typePrefix(source) : typePrefix(target);
  if (mirrored === undefined || mirrored.has(type ?? '')) return;
  throw mistake(`${type} is not a mirrored type.`, `Name it in defineGraph({ mirrored: [${type}] }).`);
}

function mistake(message: string, hint: string): EdgeloomError {
  return new EdgeloomError('invalid-mapping', message, hint);
}

function thrown(value: unknown): EdgeloomError {
  return mistake(`it threw: ${thrownText(value)}.`, 'Correct map, which has to take every item of the source.');
}

export function thrownText(value: unknown): string {
  // A connection error about several addresses has a code but no message.
  const text: unknown =
    value instanceof Error ? value.message || ((value as NodeJS.ErrnoException).code ?? value.name) : value;
  return typeof text === 'object' && text !== null ? 'an object' : String(text);
}
