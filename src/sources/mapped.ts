import { toItemOfKey } from '../client/write/checks/base-item.ts';
import { validateAtOnce } from '../client/write/checks/fields.ts';
import { checkBaseKey, partModel } from '../client/write/checks/key.ts';
import { isPlainObject } from '../client/write/checks/values.ts';
import { type Item, stringOf } from '../core/items/attribute-value.ts';
import { TARGET_ID } from '../core/items/hashed-key.ts';
import { describe, isTypeName, textOfKey, typePrefix } from '../core/items/keys.ts';
import { sortKeyOfEdge } from '../core/model/base-item.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import { BOOKKEEPING } from '../core/model/mirrored.ts';
import type { ItemKey } from '../core/store-port.ts';
import { EdgeloomError } from '../foundation/errors.ts';
import { contentOf } from './claims.ts';
import { makerOf, type Source, type SourceItem } from './source.ts';

/**
 * The contents of the base items that a source item makes, without keys and in wire form, by `textOfKey` of their key; of no item: none. A pure
 * function, and the one way in which a mapping is used.
 *
 * Throws `invalid-mapping` for what the model does not have or take: the message names the source item and the attribute.
 */
export function mapped(
  graph: CompiledModel,
  source: Source,
  key: string,
  item: SourceItem | undefined,
): ReadonlyMap<string, Item> {
  const contents = new Map<string, Item>();
  if (item === undefined) return contents;
  const maker = makerOf(source, key);
  // A mapping of another library's table cannot give an attribute another name.
  const left = 'unplaced' in source.map ? graph.table.ttl : undefined;
  for (const given of callMap(source, maker, item)) {
    const made = named(maker, () => baseItemOf(graph, without(given, left)));
    const { partitionKey, sortKey } = graph.table;
    const to = { source: stringOf(made[partitionKey])!, target: stringOf(made[sortKey])! };
    const text = textOfKey(to);
    if (contents.has(text)) {
      throw invalid(maker, `makes the item ${describe(to.source)} ${describe(to.target)} twice`, 'Give each key once.');
    }
    contents.set(text, contentOf(graph, made));
  }
  return contents;
}

/** The names of an item's attributes that its mapping does not look at, although it makes something of the item. */
export function unreadNames(source: Source, key: string, item: SourceItem): string[] {
  const read = new Set<string | symbol>();
  const watched = new Proxy(item, {
    get(of, name, receiver) {
      read.add(name);
      return Reflect.get(of, name, receiver);
    },
  });
  const made = callMap(source, makerOf(source, key), watched);
  return made.length === 0 ? [] : Object.keys(item).filter((name) => !read.has(name));
}

/** The key that `textOfKey` made a text of. */
export function itemKeyOf(text: string): ItemKey {
  const [source, target] = JSON.parse(text) as [string, string];
  return { source, target };
}

function callMap({ map }: Source, maker: string, item: SourceItem): readonly unknown[] {
  let given: unknown;
  try {
    given = map(item);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalid(maker, `threw: ${reason}`, 'Correct map, which has to take every item of the source.', error);
  }
  if (Array.isArray(given)) return given;
  throw invalid(maker, `gave ${describe(given)}`, 'Give a list of mappedNode(…) and mappedEdge(…), [] for none.');
}

/** An item that a mapping made, without an attribute. */
function without(given: unknown, attribute: string | undefined): unknown {
  if (attribute === undefined || !isPlainObject(given)) return given;
  const { [attribute]: _, ...rest } = given as Record<string, unknown>;
  return rest;
}

function baseItemOf(graph: CompiledModel, given: unknown): Item {
  if (!isPlainObject(given)) {
    throw new EdgeloomError(
      'invalid-mapping',
      `it made ${describe(given)}, which is not an item.`,
      'Use mappedNode or mappedEdge.',
    );
  }
  const { source, target, ...attributes } = given as Record<string, unknown>;
  for (const name of [...BOOKKEEPING, graph.table.ttl, graph.table.partitionKey, graph.table.sortKey]) {
    if (!Object.hasOwn(attributes, name)) continue;
    const why = name === graph.table.ttl ? 'is the one by which the table deletes items' : 'is reserved';
    throw new EdgeloomError('invalid-mapping', `attribute ${name} ${why}.`, 'Give it another name in map.');
  }
  const key = keyOf(graph, source, target, attributes);
  checkType(graph, key);
  const isNode = key.source === key.target;
  const type = typePrefix(key.target) ?? '';
  const edge = isNode ? undefined : graph.edges.get(type);
  const { fields } = (isNode ? graph.nodes.get(type) : (partModel(graph, key) ?? edge)) ?? {};
  const { [TARGET_ID]: targetId, ...own } = attributes;
  const isHashed = edge?.keys === 'hashed';
  const valid = validateAtOnce(fields, isHashed ? own : attributes, `${describe(key.source)} ${describe(key.target)}`);
  return toItemOfKey(graph, key, isHashed ? { ...valid, [TARGET_ID]: targetId } : valid);
}

/** The key of a mapped item, checked. The target's id of an edge with a hashed key is noted in its attributes. */
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

/** Where the model says which types are mirrored, a mapping makes no others: the writer would write them too. */
function checkType({ mirrored }: CompiledModel, { source, target }: ItemKey): void {
  const type = source !== target && isTypeName(target) ? typePrefix(source) : typePrefix(target);
  if (mirrored === undefined || mirrored.has(type ?? '')) return;
  throw new EdgeloomError(
    'invalid-mapping',
    `${type} is not a mirrored type.`,
    `Name it in defineGraph({ mirrored: [${type}] }).`,
  );
}

function named<T>(maker: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof EdgeloomError)) throw error;
    throw new EdgeloomError('invalid-mapping', `The mapping of ${maker}: ${error.message}`, error.hint, {
      cause: error,
    });
  }
}

function invalid(maker: string, what: string, hint: string, cause?: unknown): EdgeloomError {
  return new EdgeloomError('invalid-mapping', `The mapping of ${maker} ${what}.`, hint, { cause });
}
