import type { Item } from '../../core/items/attribute-value.ts';
import { textOfKey, VIEW_KEY } from '../../core/items/keys.ts';
import { attributesText } from '../../core/kinds/attributes.ts';
import { expectedCopyText } from '../../core/kinds/copy.ts';
import { indexItemText } from '../../core/kinds/index-item.ts';
import type { Part, Suspect } from '../../core/kinds/part.ts';
import { type CompiledModel, layersOf } from '../../core/model/compiled.ts';
import { needsSource, type SourceNode, sourceNodeKeys, sourceNodeOf } from '../../core/model/joined.ts';
import { copyingTypes } from '../../core/plan/copies.ts';
import { derivedOf } from '../../core/plan/derive.ts';
import type { Derived } from '../../core/plan/derived.ts';
import { isBaseSortKey } from '../../core/plan/stream-filter.ts';
import type { ItemKey, Store } from '../../core/store-port.ts';
import { copyText } from '../plain/copies.ts';
import { type PlainDerived, plainDerivedOf } from '../plain/derive.ts';
import { contributions } from '../plain/joined.ts';
import { isInShare } from '../plain/share.ts';
import type { Finding } from './finding.ts';

/**
 * The planner against the plain one. Projector, check and observer share the planner: if it asks for the wrong item, all three agree. So
 * about a share of the base items the plain planner is asked too.
 */

/** The content that each planner asks for, as texts; null: nothing. */
interface Asked {
  planned: string | null;
  plain: string | null;
}

/** The most parts that a finding names. */
const MOST_PARTS = 20;

/** A base item about which the planners differ. */
export interface Dispute {
  base: ItemKey;
  /** The parts of derived items that differ. */
  parts: readonly (Asked & { suspect: Suspect })[];
  /** The edge types that copy the node, for which the copy differs. */
  copies: readonly (Asked & { edgeType: string })[];
}

/** Returns the finding of a dispute: `expected` is what the planner asks for, `actual` what the plain planner asks for. */
export function findingOfDispute({ base, parts, copies }: Dispute): Finding {
  const asked = [
    ...parts.map(({ suspect: { source, sortKey }, ...texts }) => ({
      name: source === base.source ? sortKey : `${source} ${sortKey}`,
      ...texts,
    })),
    ...copies.map(({ edgeType, ...texts }) => ({ name: `copies along ${edgeType}`, ...texts })),
  ].slice(0, MOST_PARTS);
  const textOf = (pick: (one: Asked) => string | null): string =>
    asked.map((one) => `${one.name}: ${pick(one) ?? 'nothing'}`).join('; ');
  return {
    ...base,
    verdict: 'disputed',
    expected: textOf(({ planned }) => planned),
    actual: textOf(({ plain }) => plain),
  };
}

/** Asks both planners about base items that a scan of a segment reads, partition by partition, as far as they are of the share. */
export class DisputeSearch {
  /** The source node of the partition that was asked about last: it decides about all of its edges. */
  private latest: { source: string; node: SourceNode } | undefined;

  /**
   * @param salt chooses the share: other base items with each salt, so that many checks ask about all of them.
   * @param share the share of the base items, from 0 to 1.
   */
  constructor(
    private readonly graph: CompiledModel,
    private readonly store: Pick<Store, 'getMany'>,
    private readonly share: number,
    private readonly salt: string,
  ) {}

  /** Returns what the planners differ about; undefined: nothing, or the item is not of the share. */
  async disputeAbout(key: ItemKey, image: Item): Promise<Dispute | undefined> {
    const { graph, share, salt } = this;
    if (!isBaseSortKey(key.target) || !isInShare(`${textOfKey(key)} ${salt}`, share)) return undefined;
    const parts = partsInDispute(graph, key, image, await this.sourceNode(key, image));
    const copies = key.source === key.target ? copiesInDispute(graph, key.source, image) : [];
    return parts.length + copies.length === 0 ? undefined : { base: key, parts, copies };
  }

  /** The node that an edge leaves, if either planner says that it decides about an index item; undefined: it does not. */
  private async sourceNode(key: ItemKey, image: Item): Promise<SourceNode | undefined> {
    const { graph, store } = this;
    const { source, target } = key;
    const isJoined = layersOf(graph).some((layer) => contributions(layer, key, image).size > 0);
    if (!isJoined && !needsSource(graph, target)) return undefined;
    if (this.latest?.source !== source) {
      const keys = sourceNodeKeys(graph, source).map((sortKey) => ({ source, target: sortKey }));
      const node = sourceNodeOf(graph, source, (await store.getMany(keys, { consistent: false })).items);
      this.latest = { source, node };
    }
    return this.latest.node;
  }
}

/**
 * The parts of derived items about which the planners differ, as far as one base item decides about them. An absent image asks for nothing.
 *
 * @param node the source node of an edge. Without it joined index items are left out.
 */
export function partsInDispute(
  graph: CompiledModel,
  { source, target }: ItemKey,
  image: Item | undefined,
  node?: SourceNode,
): Dispute['parts'] {
  const planned = derivedOf(graph, source, target, image, node);
  const plain = plainDerivedOf(graph, source, target, image, node);
  const parts: (Asked & { suspect: Suspect })[] = [];
  const compare = (key: ItemKey, part: Part, textOf: (derived: Derived | PlainDerived) => string | undefined): void => {
    const asked: Asked = { planned: textOf(planned) ?? null, plain: textOf(plain) ?? null };
    if (asked.planned === asked.plain) return;
    parts.push({ suspect: { source: key.source, sortKey: key.target, part }, ...asked });
  };
  const view = { source, target: VIEW_KEY };
  compare(view, { kind: 'attributes' }, ({ attributes }) => attributesText(attributes));
  compare(view, { kind: 'element', target }, ({ element }) => element);
  for (const sortKey of new Set([...planned.indexItems.keys(), ...plain.indexItems.keys()])) {
    compare({ source, target: sortKey }, { kind: 'index-item', target }, ({ indexItems }) =>
      indexItemText(indexItems.get(sortKey)),
    );
  }
  const inTarget = [...(planned.inTarget ?? []), ...plain.inTarget];
  for (const { key } of new Map(inTarget.map((item) => [textOfKey(item.key), item])).values()) {
    compare(key, { kind: 'reverse-item', base: { source, target } }, (derived) =>
      indexItemText(fieldsAt(derived.inTarget, key)),
    );
  }
  return parts;
}

/** The fields of the item with a key, among those that an edge asks for in its target's partition. */
export function fieldsAt(items: readonly { key: ItemKey; fields: Item }[] | undefined, key: ItemKey): Item | undefined {
  return items?.find((item) => textOfKey(item.key) === textOfKey(key))?.fields;
}

/** The edge types for which the planners copy something else of a node. */
function copiesInDispute(graph: CompiledModel, id: string, image: Item): Dispute['copies'] {
  return copyingTypes(graph, id).flatMap(({ type: edgeType }) => {
    const sortKey = `${edgeType}-${id}`;
    const planned = expectedCopyText(graph, sortKey, image) ?? null;
    const plain = copyText(graph, sortKey, image) ?? null;
    return planned === plain ? [] : [{ edgeType, planned, plain }];
  });
}
