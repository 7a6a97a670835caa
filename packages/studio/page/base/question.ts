import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { DescribedEdge, DescribedSearch } from '../../base/describe-model.ts';
import type { PlaceParameters } from './address.ts';

/** The parameters of a question that are about the values of its order. */
const VALUES = ['equals', 'atLeast', 'beginsWith', 'from', 'to'] as const;
const SINGLE = ['type', 'id', 'search', 'nodes', 'order', ...VALUES, 'partition', 'reverse', 'limit'] as const;
const LISTS = ['path', 'where'] as const;

/** A question to the projections, as an address has it. */
export type Question = Partial<
  Record<(typeof SINGLE)[number], string | undefined> & Record<(typeof LISTS)[number], string[]>
>;

/** The question that the parameters of a place ask. */
export function questionOf(parameters: URLSearchParams): Question {
  return {
    ...Object.fromEntries(SINGLE.map((name) => [name, parameters.get(name) ?? undefined])),
    ...Object.fromEntries(LISTS.map((name) => [name, parameters.getAll(name)])),
  };
}

/** The list or the search that a question is about. */
export interface Subject {
  edge?: DescribedEdge;
  search?: DescribedSearch;
  /** The node type of its rows where they are nodes. */
  nodeType?: string;
}

/** The subject of a question; empty where the model does not have it. */
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

/** The attributes that the rows of a question may have by the model. */
export function attributesOfSubject({ nodes }: ModelAnswer, { edge, search, nodeType }: Subject): readonly string[] {
  const filters = (edge ?? search)?.filters;
  if (filters !== undefined) return filters === 'ALL' ? [] : filters;
  const view = nodes.find(({ type }) => type === nodeType)?.view;
  return view === undefined || view === 'ALL' || view === 'KEYS_ONLY' ? [] : view.split(', ');
}

/** A way to sort the rows of a question. */
export interface Sort {
  /** The values that sort, in words. */
  by: string;
  isCurrent: boolean;
  /** The changes of the question's address. */
  changes: PlaceParameters;
}

/** The parameters that belong to one order alone, and the place in it. */
const OF_ORDER = Object.fromEntries([...VALUES, 'path', 'cursor', 'reverse'].map((name) => [name, undefined]));

/** The ways to sort that the model has: the orders of a list of edges, or the searches that list all nodes of a type. The present one turns. */
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
        // A filter is of what the items of a search hold: another search may not hold it.
        where: one.filters === 'ALL' ? question.where : undefined,
      }),
    ),
  ];
}

/** Tells whether a search lists all nodes that it has, in its order, without a value. `partition`: the attribute whose value is given. */
function listsAll({ kind, shards, partition }: DescribedSearch, given?: string): boolean {
  return kind !== 'path' && shards !== 'value' && (partition === undefined || partition === given);
}

/** The question for all nodes of a type: by their list, else by the search of fewest shards that lists all that have its value; undefined: neither does. */
export function questionOfType({ nodes }: ModelAnswer, type: string): Question | undefined {
  const node = nodes.find((one) => one.type === type);
  if (node?.isListed) return { nodes: type };
  const [search] = (node?.searches ?? [])
    .filter((one) => listsAll(one))
    .sort((left, right) => shardsOf(left) - shardsOf(right));
  return search && { search: search.name };
}

/** The shards that a page of a question asks at least. */
export function shardsAsked(model: ModelAnswer, question: Question): number {
  const { edge, search } = subjectOf(model, question);
  if (edge !== undefined) return edge.shards;
  const isOfValue = question.equals !== undefined && search?.shardBy === 'value';
  return search === undefined || isOfValue ? 1 : shardsOf(search);
}

function shardsOf({ shards }: DescribedSearch): number {
  return shards === 'value' ? 1 : shards;
}

/** Tells whether a question has all that its list or its search needs. One that the model does not have is asked too: the answer says so. */
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
