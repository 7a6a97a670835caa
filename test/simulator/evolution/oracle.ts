import type { Item } from '../../../src/items/attribute-value.ts';
import { derivedText, type Spec, showsCopies } from './models.ts';

/** What each read has to give, computed from the base items and a spec alone. */

/** What a reader of a model is asked, and has to answer. */
export interface Question {
  text: string;
  kind: 'search' | 'text' | 'inbound' | 'byRole' | 'byA' | 'get' | 'degree';
  argument: string;
}

/** Base items by key, as they are in the table. */
export type BaseItems = ReadonlyMap<string, Item>;

const NODES = ['N-0', 'N-1', 'N-2', 'N-3'] as const;
const TAGS = ['p', 'P', 'q'] as const;

/** Every question that a reader of this spec can ask. */
export function questions(spec: Spec): Question[] {
  const all: Question[] = NODES.flatMap((id): Question[] => [
    { text: `inbound ${id}`, kind: 'inbound', argument: id },
    { text: `degree ${id}`, kind: 'degree', argument: id },
    ...spec.orders.map((kind): Question => ({ text: `${kind} ${id}`, kind, argument: id })),
  ]);
  all.push({ text: 'get', kind: 'get', argument: '' });
  if (spec.hasSearch) for (const tag of TAGS) all.push({ text: `search ${tag}`, kind: 'search', argument: tag });
  if (spec.derived > 0) all.push({ text: 'text', kind: 'text', argument: '' });
  return all;
}

/** The right answer, as JSON. */
export function answerOf(spec: Spec, items: BaseItems, { kind, argument }: Question): string {
  if (kind === 'search') return JSON.stringify(found(items, (tag) => same(spec, tag, argument)).sort());
  if (kind === 'text') {
    const hits = nodesOf(items).flatMap(({ id, item }) => {
      const text = derivedText(spec.derived, textOf(item['tag']));
      return text === undefined ? [] : [[text, id]];
    });
    return JSON.stringify(hits.sort(([a, i], [b, j]) => (`${a} ${i}` < `${b} ${j}` ? -1 : 1)));
  }
  if (kind === 'degree') return String(edgesOf(items).filter(({ source }) => source === argument).length);
  if (kind === 'byRole' || kind === 'byA') {
    const incoming = edgesOf(items).filter(({ target }) => target === argument);
    const keyed = incoming.flatMap(({ source, role }) => {
      const first = kind === 'byRole' ? role : textOf(items.get(`${source} ${source}`)?.['a']);
      return first === undefined ? [] : [`${first}-${kind === 'byA' ? (role ?? '') : ''} ${source}`];
    });
    return JSON.stringify(keyed.sort().map((key) => key.slice(key.indexOf(' ') + 1)));
  }
  if (kind === 'inbound') {
    const incoming = edgesOf(items).filter(({ target }) => target === argument);
    const keyed = incoming.flatMap(({ source, role }) => {
      const weight = role === undefined ? undefined : spec.weights[role as 'X' | 'Y'];
      return weight === undefined ? [] : [`${weight}-${role} ${source}`];
    });
    return JSON.stringify(keyed.sort().map((key) => key.slice(key.indexOf(' ') + 1)));
  }
  return JSON.stringify(NODES.map((id) => nodeAnswer(spec, items, id)));
}

/** The ids that every `get` asks for. */
export const ASKED: readonly string[] = NODES;

function nodeAnswer(spec: Spec, items: BaseItems, id: string): unknown {
  const item = items.get(`${id} ${id}`);
  const attributes = item === undefined ? null : picked(item, spec.view);
  const edgeSet = edgesOf(items)
    .filter(({ source }) => source === id)
    .sort((left, right) => (left.target < right.target ? -1 : 1))
    .map(({ target, role, mark }) => {
      const parent = items.get(`${target} ${target}`);
      return {
        target,
        ...(spec.labels.includes('r') && role !== undefined && { r: role }),
        ...(spec.labels.includes('mark') && mark !== undefined && { mark }),
        ...(showsCopies(spec) && parent !== undefined && { copy: picked(parent, ['a']) }),
      };
    });
  return { id, attributes, edgeSet };
}

function picked(item: Item, names: readonly string[]): Record<string, string> {
  const entries = names.flatMap((name): [string, string][] => {
    const text = textOf(item[name]);
    return text === undefined ? [] : [[name, text]];
  });
  return Object.fromEntries(entries.sort());
}

function same({ fold }: Spec, tag: string, argument: string): boolean {
  return fold ? tag.toLowerCase() === argument.toLowerCase() : tag === argument;
}

function found(items: BaseItems, matches: (tag: string) => boolean): string[] {
  return nodesOf(items).flatMap(({ id, item }) => {
    const tag = textOf(item['tag']);
    return tag !== undefined && matches(tag) ? [id] : [];
  });
}

function nodesOf(items: BaseItems): { id: string; item: Item }[] {
  return NODES.flatMap((id) => {
    const item = items.get(`${id} ${id}`);
    return item === undefined ? [] : [{ id, item }];
  });
}

function edgesOf(
  items: BaseItems,
): { source: string; target: string; role: string | undefined; mark: string | undefined }[] {
  const edges = [];
  for (const [key, item] of items) {
    const [source, target] = key.split(' ') as [string, string];
    if (target.startsWith('E-'))
      edges.push({ source, target: target.slice(2), role: textOf(item['r']), mark: textOf(item['mark']) });
  }
  return edges;
}

function textOf(value: Item[string] | undefined): string | undefined {
  return value !== undefined && 'S' in value ? value.S : undefined;
}
