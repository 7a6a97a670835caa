import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { DescribedEdge, DescribedSearch } from '../../base/describe-model.ts';

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

export function shardsAsked(model: ModelAnswer, question: Question): number {
  const { edge, search } = subjectOf(model, question);
  if (edge !== undefined) return edge.shards;
  const isOfValue = question.equals !== undefined && search?.shardBy === 'value';
  return search === undefined || isOfValue ? 1 : shardsOf(search);
}

function shardsOf({ shards }: DescribedSearch): number {
  return shards === 'value' ? 1 : shards;
}

/** True if the question is complete, or has an unknown name, which the answer reports. */
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
