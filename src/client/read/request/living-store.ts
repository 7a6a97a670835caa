import { type AttributeValue, type Item, numberOf, stringOf } from '../../../core/items/attribute-value.ts';
import { ATTRIBUTES, COPIES, EDGE_SET } from '../../../core/items/derived-item.ts';
import { lastLabel } from '../../../core/items/element.ts';
import { VIEW_KEY } from '../../../core/items/keys.ts';
import { copiesByEdge, viewAttributes } from '../../../core/items/stored-view.ts';
import type { CompiledModel } from '../../../core/model/compiled.ts';
import { ENDS, endOfItem, hasCome } from '../../../core/model/ends.ts';
import type {
  GetManyResult,
  GetResult,
  ItemKey,
  NativeQueryRequest,
  QueryRequest,
  QueryResult,
  ReadManyOptions,
  ReadOptions,
  Store,
} from '../../../core/store-port.ts';
import { ForwardingStore } from '../../../store/forwarding.ts';

/** Hides ended items and everything derived from them. */
export class LivingStore extends ForwardingStore {
  constructor(
    store: Store,
    private readonly graph: CompiledModel,
    private readonly now: () => number,
    private readonly onEnd: (endMs: number) => void = () => undefined,
  ) {
    super(store);
  }

  over(store: Store): LivingStore {
    return new LivingStore(store, this.graph, this.now, this.onEnd);
  }

  telling(onEnd: (endMs: number) => void): LivingStore {
    return new LivingStore(this.inner, this.graph, this.now, onEnd);
  }

  override async get(key: ItemKey, options: ReadOptions): Promise<GetResult> {
    const { item, ...rest } = await super.get(key, options);
    const living = this.living(item);
    return living === undefined ? rest : { ...rest, item: living };
  }

  override async getMany(keys: readonly ItemKey[], options: ReadManyOptions): Promise<GetManyResult> {
    const result = await super.getMany(keys, options);
    return { ...result, items: result.items.map((item) => this.living(item)) };
  }

  override async query({ countOnly = false, ...request }: QueryRequest): Promise<QueryResult> {
    // A count would include ended items, so read the items, at the same cost.
    const page = this.livingPage(await super.query(request));
    return countOnly ? { ...page, items: [] } : page;
  }

  override async queryNative(request: NativeQueryRequest): Promise<QueryResult> {
    return this.livingPage(await super.queryNative(request));
  }

  private livingPage(page: QueryResult): QueryResult {
    const items = page.items.map((item) => this.living(item)).filter((item) => item !== undefined);
    return { ...page, items, count: items.length };
  }

  isOver(item: Item): boolean {
    return this.living(item) === undefined;
  }

  private living(item: Item | undefined): Item | undefined {
    if (item === undefined) return undefined;
    const { partitionKey, sortKey } = this.graph.table;
    const target = stringOf(item[sortKey]) ?? '';
    const nowSeconds = this.now() / 1000;
    const isOver = (end: AttributeValue | undefined): boolean => {
      if (hasCome(end, nowSeconds)) return true;
      if (end !== undefined) this.onEnd(Math.ceil(Number(numberOf(end)) * 1000));
      return false;
    };
    if (target === VIEW_KEY) return livingView(item, isOver);
    const end = endOfItem(this.graph, { source: stringOf(item[partitionKey]) ?? '', target }, item);
    return isOver(end) ? undefined : item;
  }
}

function livingView(view: Item, isOver: (end: AttributeValue | undefined) => boolean): Item {
  const living = { ...view };
  if (isOver(viewAttributes(view)?.[ENDS])) delete living[ATTRIBUTES];
  const set = view[EDGE_SET];
  if (set !== undefined && 'SS' in set) {
    const elements = set.SS.filter((element) => !isOver(lastLabel(element, ENDS)));
    if (elements.length > 0) living[EDGE_SET] = { SS: elements };
    else delete living[EDGE_SET];
  }
  const copies = copiesByEdge(view);
  if (copies.size > 0) {
    const kept = [...copies].filter(([, copy]) => !isOver(copy[ENDS]));
    living[COPIES] = { M: Object.fromEntries(kept.map(([edge, copy]) => [edge, { M: copy }])) };
  }
  return living;
}
