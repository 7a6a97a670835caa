import * as z from 'zod';
import { findEdge, findOrder, findSearch } from '../../../src/client/read/request/lookup.ts';
import { whereOfTexts } from '../../../src/client/read/request/where-text.ts';
import type { CompiledModel, EdgeOrderModel, SearchOrder } from '../../../src/core/model/compiled.ts';
import { EdgeloomError } from '../../../src/foundation/errors.ts';
import { input } from './route.ts';

const optional = z.string().min(1).optional();

export const askedQuery = z.object({
  ...{ type: optional, id: optional, search: optional, nodes: optional, order: optional, partition: optional },
  ...{ equals: optional, atLeast: optional, beginsWith: optional, from: optional, to: optional },
  path: input.list.optional(),
  /** Filters such as `status=open` or `points>=3`. */
  where: input.list.optional(),
  reverse: input.flag,
  limit: input.limit,
});
export type AskedQuery = z.output<typeof askedQuery>;

export type Literal = string | number | boolean | null | readonly Literal[] | { readonly [name: string]: Literal };

export type ReaderCall =
  | { method: 'inbound'; type: string; id: string; options: Record<string, Literal> }
  | { method: 'nodes'; type: string; options: Record<string, Literal> }
  | { method: 'search'; name: string; predicate: Record<string, Literal>; options: Record<string, Literal> };

export function callOf(graph: CompiledModel, asked: AskedQuery): ReaderCall {
  const { reverse, limit, partition, where } = asked;
  const common: Record<string, Literal> = {
    ...(partition !== undefined && { partition }),
    ...(where !== undefined &&
      where.length > 0 && { where: whereOfTexts<Literal>(where, (text) => [scalarOf(text)], wrongCondition) }),
    ...(reverse && { reverse }),
    limit,
  };
  if (asked.search !== undefined) {
    const predicate = valuesOf(findSearch(graph, asked.search).order, asked);
    return { method: 'search', name: asked.search, predicate, options: common };
  }
  if (asked.nodes !== undefined) return { method: 'nodes', type: asked.nodes, options: common };
  const { type, id } = asked;
  if (type === undefined || id === undefined) {
    const hint = 'Choose a list and name a node, or choose a search or all nodes of a type.';
    throw new EdgeloomError(
      'invalid-argument',
      'The question names neither a list of a node nor a search nor a node type.',
      hint,
    );
  }
  const { order } = findOrder(findEdge(graph, type), asked.order).order;
  const named = asked.order !== undefined && { order: asked.order };
  return { method: 'inbound', type, id, options: { ...named, ...valuesOf(order, asked), ...common } };
}

function valuesOf(order: EdgeOrderModel | SearchOrder, asked: AskedQuery): Record<string, Literal> {
  const { path, equals, atLeast, beginsWith, from, to } = asked;
  const value = (text: string): Literal => typedValue(orderAt(order, path?.length ?? 0), text);
  return {
    ...(path !== undefined && { path: path.map((text, i) => typedValue(orderAt(order, i), text)) }),
    ...(equals !== undefined && { equals: value(equals) }),
    ...(atLeast !== undefined && { atLeast: value(atLeast) }),
    ...((from ?? to) !== undefined && { between: [from, to].map((text) => (text === undefined ? null : value(text))) }),
    ...(beginsWith !== undefined && { beginsWith }),
  };
}

function orderAt(order: EdgeOrderModel | SearchOrder, position: number): EdgeOrderModel | SearchOrder | undefined {
  return order.kind === 'parts' ? order.parts[position] : order;
}

/** Keeps a number as text if digits would be lost. */
function typedValue(order: EdgeOrderModel | SearchOrder | undefined, text: string): Literal {
  const own = order?.kind === 'source' ? order.order : order;
  const isNumber = own?.kind === 'attribute' && own.type === 'number' && String(Number(text)) === text;
  return isNumber ? Number(text) : text;
}

function wrongCondition(text: string, reason: string): EdgeloomError {
  return new EdgeloomError('invalid-argument', `The filter ${text} ${reason}.`, 'Give it as status=open or points>=3.');
}

function scalarOf(text: string): Literal {
  if (['true', 'false', 'null'].includes(text)) return JSON.parse(text) as Literal;
  if (text !== '' && String(Number(text)) === text) return Number(text);
  return text.startsWith('"') && text.endsWith('"') ? textOfJson(text) : text;
}

function textOfJson(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}
