import { shardsFor, WRITE_UNIT_BYTES } from '../../core/items/capacity.ts';
import { DEFAULT_VIEW_BUDGET_BYTES } from '../../core/kinds/eviction.ts';
import type { CompiledModel, SearchModel } from '../../core/model/compiled.ts';
import { listedEdges } from '../../core/model/compiled.ts';
import { NODE_LIST } from '../../core/model/node-list.ts';
import { countText, figureText } from '../../foundation/figure.ts';

export const MANY_SHARDS = 20;

export function adviceOf(graph: CompiledModel, recordsPerSecond?: number): string[] {
  const searches = [...graph.nodes.values()].flatMap(({ searches }) => [...searches.values()]);
  return [
    ...searches.filter(({ name }) => name !== NODE_LIST).flatMap((search) => shardsAdvice(search, recordsPerSecond)),
    ...[...graph.nodes.keys()].flatMap((type) => budgetAdvice(graph, type)),
  ];
}

function shardsAdvice(search: SearchModel, recordsPerSecond: number | undefined): string[] {
  const { shards } = search;
  const fewer = shardsFor(recordsPerSecond ?? 0);
  if (shards === 'value' || shards < MANY_SHARDS || fewer >= shards) return [];
  const rate =
    recordsPerSecond === undefined
      ? `${fewer} would do up to 250 changes a second`
      : `the present ${figureText(recordsPerSecond)} records a second need ${fewer}`;
  return [
    `${search.indexPartition} has ${shards} shards, so a prefix, a range or latest takes ${rangeText(shards)} at least; ${rate}, with ${rangeText(fewer)}: ${fewerShardsText(search, fewer)}.`,
  ];
}

function rangeText(shards: number): string {
  return `${countText(shards, 'call')} and ${figureText(shards / 2)} RCU`;
}

export function fewerShardsText({ indexPartition, name, part }: SearchModel, shards: number): string {
  const [type] = indexPartition.split('.');
  const of = part === undefined ? `nodes.${type}` : `nodes.${type}.parts.${part}`;
  const attribute = part === undefined ? name : name.slice(part.length + 1);
  return `write shards: ${shards} in ${of}.search.${attribute}, then run edgeloom migrate --yes`;
}

function budgetAdvice(graph: CompiledModel, type: string): string[] {
  const { viewBudgetBytes = DEFAULT_VIEW_BUDGET_BYTES } = graph.nodes.get(type)!;
  const listed = listedEdges(graph, type);
  if (viewBudgetBytes <= DEFAULT_VIEW_BUDGET_BYTES || listed.length === 0) return [];
  const units = Math.ceil(viewBudgetBytes / WRITE_UNIT_BYTES);
  return [
    `A view of ${type} may have ${viewBudgetBytes} bytes, so each edge of ${listed.map((edge) => edge.type).join(' or ')} that comes or goes takes up to ${units} WCU: edgeloom cost shows how many reads pay for that; else write viewBudgetBytes: ${DEFAULT_VIEW_BUDGET_BYTES} in nodes.${type}, or leave it out, then run edgeloom migrate --yes.`,
  ];
}
