import type { CompiledModel, SearchModel } from '../../core/model/compiled.ts';
import type { FeedNames } from '../../core/model/feed-names.ts';
import { isNodeList } from '../../core/model/node-list.ts';

export function isFed(model: CompiledModel, kind: keyof FeedNames, ...names: readonly string[]): boolean {
  const { feed } = model;
  return feed === undefined || names.some((name) => feed[kind]?.includes(name));
}

export function isFedSearch(model: CompiledModel, type: string, search: SearchModel): boolean {
  return isNodeList(search) ? isFed(model, 'lists', type) : isFed(model, 'searches', type, search.indexPartition);
}
