import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { DescribedEdge, DescribedSearch } from '../../base/describe-model.ts';
import type { PlaceParameters } from './address.ts';

const VALUES = ['equals', 'atLeast', 'beginsWith', 'from', 'to'] as const;
const SINGLE = ['type', 'id', 'search', 'nodes', 'order', ...VALUES, 'partition', 'reverse', 'limit'] as const;
const LISTS = ['path', 'where'] as const;

export type Question = Partial<
  Record<(typeof SINGLE)[number], string | undefined> & Record<(typeof LISTS)[number], string[]>
>;

export function questionOf(parameters: URLSearchParams): Question {
  return {
    ...Object.fromEntries(SINGLE.map((name) => [name, parameters.get(name) ?? undefined])),
    ...Object.fromEntries(LISTS.map((name) => [name, parameters.getAll(name)])),
  };
}

export interface Subject {
  edge?: DescribedEdge;
  search?: DescribedSearch;
  /** Only if the rows are nodes. */
  nodeType?: string;
}

export function subjectOf({ nodes, edges }: ModelAnswer, { type, search: name, nodes: listed }: Question): Subject {
  if (listed !== undefined) return { nodeType: listed };
  if (name === undefined) {
    const edge = edges.find((one) => one.type === type);
    return edge === undefined ? {} : { edge };
  }
  const node = nodes.find(({ searches }) => searches.some((one) => one.name === name));
  const search = node?.searches.find((one) => one.name === name);
  return node === undefined || search === undefined ? {} : { nodeType: node.type, search };
}

export function attributesOfSubject({ nodes }: ModelAnswer, { edge, search, nodeType }: Subject): readonly string[] {
  const filters = (edge ?? search)?.filters;
  if (filters !== undefined) return filters === 'ALL' ? [] : filters;
  const view = nodes.find(({ type }) => type === nodeType)?.view;
  return view === undefined || view === 'ALL' || view === 'KEYS_ONLY' ? [] : view.split(', ');
}

export interface Sort {
  by: string;
  isCurrent: boolean;
  /** Changes of the address. */
  changes: PlaceParameters;
}

/** Parameters that end with their order. */
const OF_ORDER = Object.fromEntries([...VALUES, 'path', 'cursor', 'reverse'].map((name) => [name, undefined]));

/** The current sort reverses. */
export function sortsOf(model: ModelAnswer, question: Question): Sort[] {
  const subject = subjectOf(model, question);
  const turned = { reverse: question.reverse === undefined ? 'true' : undefined, cursor: undefined };
  const sort = (by: string, isCurrent: boolean, changes: PlaceParameters): Sort => {
    return { by, isCurrent, changes: isCurrent ? turned : { ...OF_ORDER, ...changes } };
  };
  const { edge, search, nodeType } = subject;
  if (edge !== undefined) {
    const order = question.order ?? edge.orders[0]?.name;
    return edge.orders.map(({ name, from }) => sort(from, name === order, { order: name }));
  }
  const node = model.nodes.find(({ type }) => type === nodeType);
  if (node === undefined) return [];
  const listed = node.searches.filter((one) => one === search || listsAll(one, search?.partition));
  return [
    ...(node.isListed
      ? [sort('id', search === undefined, { nodes: node.type, search: undefined, where: undefined })]
      : []),
    ...listed.map((one) =>
      sort(one.from, one === search, {
        ...{ search: one.name, nodes: undefined, type: undefined },
        // Another search may not hold the filtered attribute.
        where: one.filters === 'ALL' ? question.where : undefined,
      }),
    ),
  ];
}

/** `partition`: the attribute whose value is given. */
function listsAll({ kind, shards, partition }: DescribedSearch, given?: string): boolean {
  return kind !== 'path' && shards !== 'value' && (partition === undefined || partition === given);
}

/** Prefers the list, then the search with the fewest shards. */
export function questionOfType({ nodes }: ModelAnswer, type: string): Question | undefined {
  const node = nodes.find((one) => one.type === type);
  if (node?.isListed) return { nodes: type };
  const [search] = (node?.searches ?? [])
    .filter((one) => listsAll(one))
    .sort((left, right) => shardsOf(left) - shardsOf(right));
  return search && { search: search.name };
}

/** At least. */
export function shardsAsked(model: ModelAnswer, question: Question): number {
  const { edge, search } = subjectOf(model, question);
  if (edge !== undefined) return edge.shards;
  const isOfValue = question.equals !== undefined && search?.shardBy === 'value';
  return search === undefined || isOfValue ? 1 : shardsOf(search);
}

function shardsOf({ shards }: DescribedSearch): number {
  return shards === 'value' ? 1 : shards;
}

/** True for unknown names too: the answer reports them. */
export function isAsked(model: ModelAnswer, question: Question): boolean {
  const { type, id, search: name, nodes, partition, equals } = question;
  if (nodes !== undefined) return true;
  const { edge, search } = subjectOf(model, question);
  if (name === undefined) {
    return type !== undefined && id !== undefined && (edge?.partition === undefined || partition !== undefined);
  }
  if (search === undefined) return true;
  const hasPartition = search.partition === undefined || partition !== undefined;
  return hasPartition && (search.shards !== 'value' || equals !== undefined);
}
