import { findEdge, findOrder, findSearch } from '../../../src/client/read/request/lookup.ts';
import { whereOfTexts } from '../../../src/client/read/request/where-text.ts';
import type { AttributeOrder, CompiledModel, EdgeOrderModel, SearchOrder } from '../../../src/core/model/compiled.ts';
import { EdgeloomError } from '../../../src/foundation/errors.ts';

/** A question as the page asks it: all values are texts. */
export interface AskedQuery {
  /** The edge type of a list, and the node that its edges enter. */
  type?: string | undefined;
  id?: string | undefined;
  /** Or a search. */
  search?: string | undefined;
  /** Or a node type whose nodes are listed. */
  nodes?: string | undefined;
  order?: string | undefined;
  equals?: string | undefined;
  atLeast?: string | undefined;
  beginsWith?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  path?: string[] | undefined;
  partition?: string | undefined;
  /** Filters, such as `status=open` or `points>=3`; a value is JSON where it is JSON. */
  where?: string[] | undefined;
  reverse: boolean;
  limit: number;
}

/** A value that code can be written for. */
export type Literal = string | number | boolean | null | readonly Literal[] | { readonly [name: string]: Literal };

/** The call of a reader that answers a question, with its arguments. */
export type ReaderCall =
  | { method: 'inbound'; type: string; id: string; options: Record<string, Literal> }
  | { method: 'nodes'; type: string; options: Record<string, Literal> }
  | { method: 'search'; name: string; predicate: Record<string, Literal>; options: Record<string, Literal> };

/** The call that answers a question, with values of the types that the model's orders have. Throws for what the model does not have. */
export function callOf(graph: CompiledModel, asked: AskedQuery): ReaderCall {
  const { reverse, limit, partition, where } = asked;
  const common: Record<string, Literal> = {
    ...(partition !== undefined && { partition }),
    ...(where !== undefined && where.length > 0 && { where: whereOfTexts(where, scalarOf, wrongCondition) }),
    ...(reverse && { reverse }),
    limit,
  };
  if (asked.search !== undefined) return searchCall(graph, asked.search, asked, common);
  if (asked.nodes !== undefined) return { method: 'nodes', type: asked.nodes, options: common };
  const { type, id } = asked;
  if (type === undefined || id === undefined) {
    const hint = 'Choose a list and name a node, or choose a search or all nodes of a type.';
    throw new EdgeloomError(
      'invalid-request',
      'The question names neither a list of a node nor a search nor a node type.',
      hint,
    );
  }
  const { order } = findOrder(findEdge(graph, type), asked.order).order;
  const value = (text: string): Literal => typedValue(orderAt(order, asked.path?.length ?? 0), text);
  const options = {
    ...(asked.order !== undefined && { order: asked.order }),
    ...(asked.path !== undefined && { path: asked.path.map((text, i) => typedValue(orderAt(order, i), text)) }),
    ...valuesGiven(asked, ['equals', 'atLeast'], value),
    ...rangeGiven(asked, value),
    ...(asked.beginsWith !== undefined && { beginsWith: asked.beginsWith }),
    ...common,
  };
  return { method: 'inbound', type, id, options };
}

function searchCall(
  graph: CompiledModel,
  name: string,
  asked: AskedQuery,
  options: Record<string, Literal>,
): ReaderCall {
  const { order } = findSearch(graph, name);
  const value = (text: string): Literal => typedValue(order, text);
  const { path, equals, beginsWith } = asked;
  const predicate = {
    ...(path !== undefined && { path }),
    ...(equals !== undefined && { equals: value(equals) }),
    ...(beginsWith !== undefined && { beginsWith }),
    ...rangeGiven(asked, value),
  };
  return { method: 'search', name, predicate, options };
}

/** A range that has an end. */
function rangeGiven({ from, to }: AskedQuery, value: (text: string) => Literal): Record<string, Literal> {
  if (from === undefined && to === undefined) return {};
  return { between: [from, to].map((text) => (text === undefined ? null : value(text))) };
}

function valuesGiven<Name extends 'equals' | 'atLeast'>(
  asked: AskedQuery,
  names: readonly Name[],
  value: (text: string) => Literal,
): Record<string, Literal> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = asked[name];
      return text === undefined ? [] : [[name, value(text)]];
    }),
  );
}

/** The order of the value at a position; an order of a single value is that of any position. */
function orderAt(order: EdgeOrderModel, position: number): EdgeOrderModel | undefined {
  return order.kind === 'parts' ? order.parts[position] : order;
}

/** A text as the order takes it: orders of numbers take numbers, where those lose no digit. */
function typedValue(order: EdgeOrderModel | SearchOrder | AttributeOrder | undefined, text: string): Literal {
  const own = order?.kind === 'source' ? order.order : order;
  const isNumber = own?.kind === 'attribute' && own.type === 'number' && String(Number(text)) === text;
  return isNumber ? Number(text) : text;
}

function wrongCondition(text: string, reason: string): EdgeloomError {
  return new EdgeloomError('invalid-request', `The filter ${text} ${reason}.`, 'Give it as status=open or points>=3.');
}

/** A JSON scalar; all else is a text, a number among it whose digits would be lost. */
function scalarOf(text: string): Literal {
  if (['true', 'false', 'null'].includes(text)) return JSON.parse(text) as Literal;
  if (text !== '' && String(Number(text)) === text) return Number(text);
  return text.startsWith('"') && text.endsWith('"') ? textOfJson(text) : text;
}

/** Parses JSON and returns a string, or the text itself if it is no JSON. */
function textOfJson(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}
