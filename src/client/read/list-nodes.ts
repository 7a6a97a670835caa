import type { CompiledModel, SearchModel } from '../../core/model/compiled.ts';
import { NODE_LIST } from '../../core/model/node-list.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { checkOptions } from '../../foundation/options.ts';
import { readSearch } from './lists/search-list.ts';
import { readNodes } from './nodes/views.ts';
import { findNode } from './request/lookup.ts';
import { type EveryReadOptions, READ_OPTIONS, type ReadContext } from './request/read-context.ts';
import type { Page, View } from './request/result.ts';

/** Options of `nodes`. */
export interface NodesOptions extends EveryReadOptions {
  /** Nodes per page, at least 1. Default: 100. */
  limit?: number | undefined;
  /** The previous page's `cursor`. */
  cursor?: string | undefined;
  /** Sort in descending order. Default: false. */
  reverse?: boolean | undefined;
}

export async function listNodes(context: ReadContext, type: string, options: NodesOptions = {}): Promise<Page<View>> {
  checkOptions('nodes', options, { limit: 'checked', cursor: true, reverse: 'boolean', ...READ_OPTIONS });
  const { items, ...rest } = await readSearch(context, nodeListOf(context.graph, type), {}, options);
  const { nodes } = await readNodes(
    context,
    items.map(({ id }) => id),
  );
  return { items: nodes, ...rest };
}

function nodeListOf(graph: CompiledModel, type: string): SearchModel {
  const list = findNode(graph, type).searches.get(NODE_LIST);
  if (list !== undefined) return list;
  throw new EdgeloomError(
    'not-declared',
    `Nodes of type ${type} have no list.`,
    `Give nodes.${type} the option list: true in the model, then migrate; or use scanNodes, which scans the whole table.`,
  );
}
