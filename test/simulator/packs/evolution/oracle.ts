import type { ItemKey } from '../../../../src/core/store-port.ts';
import { stableText } from '../../kernel/values.ts';
import type { History, State } from './history.ts';
import { COMPUTES, type ModelSpec, type OrderSpec, type SearchSpec, STATUSES, TABLES } from './specs.ts';

/**
 * What readers of a model should be told, from the base items alone: by what the model's options mean, apart from the
 * planner.
 */

/** A row of a list: where it stands, and all that is told of it. */
export interface Row {
  sort: readonly (string | number)[];
  text: string;
}

/** What a base item may give: the rows of each state that it may be shown in. */
export interface Candidate {
  key: string;
  states: readonly (readonly Row[])[];
}

/** From when to when the states of items count. */
export interface Span {
  fromMs: number;
  toMs: number;
}

type Attributes = Readonly<Record<string, unknown>>;

export function isNodeOf(type: string): (key: ItemKey) => boolean {
  return ({ source, target }) => source === target && source.startsWith(`${type}-`);
}

/** Whether a key is that of the part STATE of a person. */
export function isState({ target }: ItemKey): boolean {
  return target === STATE;
}

/** The part of a person. */
export const STATE = 'STATE';

/** The attributes of those names, where there are any. */
export function picked(attributes: Attributes, names: 'ALL' | 'KEYS_ONLY' | readonly string[]): Attributes {
  if (names === 'ALL') return attributes;
  if (names === 'KEYS_ONLY') return {};
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => names.includes(name)));
}

/** What an item sorts by in an order, as shown and as compared; undefined: it is not in the order. */
export function orderValue(
  order: OrderSpec,
  own: Attributes,
  source: State,
): { shown: unknown; sort: readonly (string | number)[] } | undefined {
  const text = (value: unknown): { shown: unknown; sort: readonly (string | number)[] } | undefined =>
    typeof value === 'string' ? { shown: value, sort: [value] } : undefined;
  const ranked = (value: unknown, table: Readonly<Record<string, number>>): ReturnType<typeof text> =>
    typeof value === 'string' && table[value] !== undefined ? { shown: value, sort: [table[value], value] } : undefined;
  if (order.by === 'attribute') return text(own[order.name]);
  if (order.by === 'number') {
    const value = own[order.name];
    return typeof value === 'number' ? { shown: value, sort: [value] } : undefined;
  }
  if (order.by === 'rank') return ranked(own[order.name], (order.name === 'role' ? TABLES : STATUSES)[order.table]!);
  if (order.by === 'derive')
    return typeof own['name'] === 'string' ? text(COMPUTES[order.version]!(own['name'])) : undefined;
  if (order.by === 'source') return text(ofSource(source, order.name));
  if (order.by === 'sourceRank') return ranked(source?.[order.name], STATUSES[order.table]!);
  const first = own[order.name];
  if (typeof first !== 'string') return undefined;
  const second = ofSource(source, order.source);
  return { shown: first, sort: [first, typeof second === 'string' ? second : ''] };
}

/** An attribute of a source node, or of its part, which says nothing without the node. */
function ofSource(source: State, name: string): unknown {
  const [part = '', attribute] = name.split('.');
  return attribute === undefined ? source?.[part] : (source?.[part] as State)?.[attribute];
}

/** A node with its part, as far as it is there. */
export function withState(node: State, state: State): State {
  return node === undefined || state === undefined ? node : { ...node, [STATE]: state };
}

export function folded(value: string, search: SearchSpec): string {
  return search.caseInsensitive === true ? value.normalize('NFKD').toLowerCase() : value;
}

/** The hits of a node in a search; with `equal`, those of that value. */
export function hitsOf(search: SearchSpec, id: string, state: State, equal?: string | number): Row[] {
  if (state === undefined) return [];
  const { order } = search;
  const values = search.multiValue === true && order.by === 'attribute' ? state[order.name] : undefined;
  const owns = Array.isArray(values) ? values.map((value) => ({ [(order as { name: string }).name]: value })) : [state];
  const rows: Row[] = [];
  for (const own of owns) {
    const value = orderValue(order, own, undefined);
    if (value === undefined) continue;
    const [first, ...rest] = value.sort;
    const compared = typeof first === 'string' ? folded(first, search) : first!;
    const isEqual = equal === undefined || comparedOf(equal, search) === comparedOf(value.shown as string, search);
    if (!isEqual) continue;
    const text = stableText({ id, value: value.shown, attributes: picked(state, search.project) });
    rows.push({ sort: [compared, ...rest, id], text });
  }
  return rows;
}

function comparedOf(value: string | number, search: SearchSpec): string | number {
  return typeof value === 'string' && search.order.by === 'attribute' ? folded(value, search) : value;
}

/** The row of an edge in an order of its target's incoming edges, as the model has that order. */
export function inboundRowsOf(
  order: OrderSpec,
  { project, projectSource }: Pick<ModelSpec['edge'], 'project' | 'projectSource'>,
  { source, target }: ItemKey,
  own: State,
  node: State,
  equal?: string,
): Row[] {
  const value = own && orderValue(order, own, node);
  if (own === undefined || value === undefined || (equal !== undefined && value.shown !== equal)) return [];
  const type = target.slice(0, target.indexOf('-'));
  const to = target.slice(type.length + 1);
  const attributes = { ...picked(own, project), ...picked(node ?? {}, projectSource) };
  return [{ sort: [...value.sort, source], text: stableText({ source, type, target: to, attributes }) }];
}

/** Every combination of the states of two items, made to rows, the same ones once. */
export function candidate(key: string, states: Iterable<readonly Row[]>): Candidate {
  const found = new Map<string, readonly Row[]>();
  for (const rows of states) found.set(stableText(rows), rows);
  return { key, states: [...found.values()] };
}

export function searchCandidates(
  history: History,
  span: Span,
  isOfSearch: (key: ItemKey) => boolean,
  search: SearchSpec,
  equal?: string | number,
) {
  const candidates: Candidate[] = [];
  for (const key of history.keys(isOfSearch)) {
    const states = history.statesOf(key, span.fromMs, span.toMs);
    candidates.push(
      candidate(
        key.source,
        states.map((state) => hitsOf(search, key.source, state, equal)),
      ),
    );
  }
  return candidates;
}

export function inboundCandidates(
  history: History,
  span: Span,
  edgeType: string,
  target: string,
  rowsOf: (key: ItemKey, own: State, node: State) => readonly Row[],
): Candidate[] {
  const candidates: Candidate[] = [];
  for (const key of history.keys((one) => one.target === `${edgeType}-${target}`)) {
    const { source } = key;
    const bare = history.statesOf({ source, target: source }, span.fromMs, span.toMs);
    const states = history.statesOf({ source, target: STATE }, span.fromMs, span.toMs);
    const nodes = bare.flatMap((node) => states.map((state) => withState(node, state)));
    const owns = history.statesOf(key, span.fromMs, span.toMs);
    candidates.push(
      candidate(
        source,
        owns.flatMap((own) => nodes.map((node) => rowsOf(key, own, node))),
      ),
    );
  }
  return candidates;
}

/** What a node's view may say of its attributes. */
export function viewStates(history: History, span: Span, spec: ModelSpec, id: string): Set<string> {
  const names = id.startsWith('A-') ? spec.view : id.startsWith('B-') ? spec.groupView : ['label'];
  const nodes = history.statesOf({ source: id, target: id }, span.fromMs, span.toMs);
  const { state: shown } = id.startsWith('A-') ? spec : {};
  const states =
    shown === undefined ? [undefined] : history.statesOf({ source: id, target: STATE }, span.fromMs, span.toMs);
  const texts = nodes.flatMap((node) =>
    states.map((state) => {
      if (node === undefined) return stableText(null);
      return stableText({ ...picked(node, names), ...(state && { [STATE]: picked(state, shown!.view) }) });
    }),
  );
  return new Set(texts);
}

/** What the edge set of a node may say of each of its edges; an empty text: nothing. */
export function edgeSetStates(
  history: History,
  span: Span,
  spec: ModelSpec,
  id: string,
  mayLackCopies: boolean,
): Map<string, Set<string>> {
  const types = [...(spec.edge.set === false ? [] : ['AB']), ...(spec.extra ? ['AC'] : [])];
  const edges = new Map<string, Set<string>>();
  for (const key of history.keys((one) => one.source === id && one.source !== one.target)) {
    const type = key.target.slice(0, 2);
    if (!types.includes(type)) continue;
    const target = key.target.slice(3);
    const found = new Set<string>();
    for (const own of history.statesOf(key, span.fromMs, span.toMs)) {
      if (own === undefined) {
        found.add('');
        continue;
      }
      const labels = type === 'AB' ? labelsOf(spec, own) : {};
      for (const copy of type === 'AB' ? copiesOf(history, span, spec, target, mayLackCopies) : [{}])
        found.add(stableText({ type, target, ...labels, ...copy }));
    }
    edges.set(`${type} ${target}`, found);
  }
  return edges;
}

export function labelsOf(spec: ModelSpec, own: Attributes): Attributes {
  const { set, mark } = spec.edge;
  const labels = picked(own, set === false ? [] : set);
  if (mark === 0 || set === false || typeof own['role'] !== 'string') return labels;
  return { ...labels, mark: COMPUTES[mark]!(own['role']) };
}

function copiesOf(
  history: History,
  { fromMs, toMs }: Span,
  spec: ModelSpec,
  target: string,
  mayLack: boolean,
): Attributes[] {
  const { copy } = spec.edge;
  if (copy.length === 0) return [{}];
  const states = history.statesOf({ source: target, target }, fromMs, toMs);
  const copies: Attributes[] = states.map((state) => (state === undefined ? {} : { copy: picked(state, copy) }));
  return mayLack ? [...copies, {}] : copies;
}
