import type { Item } from '../core/items/attribute-value.ts';
import { decodeElement, edgeKeyOfElement } from '../core/items/element.ts';
import { BASE_ITEMS, typePrefix, VIEW_KEY } from '../core/items/keys.ts';
import { elementsByEdge, evictedTypes } from '../core/items/stored-view.ts';
import { readCopies } from '../core/kinds/parent-copies.ts';
import { isOfOtherShape } from '../core/kinds/view.ts';
import { derivedOf } from '../core/plan/derive.ts';
import { changesNothing, correctionsOf, type Share, viewUpdate } from '../core/plan/writes/view-update.ts';
import { readItems } from '../core/store-pages.ts';
import { StoreError } from '../foundation/errors.ts';
import { type ApplyContext, epochSeconds } from './apply-context.ts';
import { reconcileItem } from './reconcile-item.ts';
import { halves } from './step.ts';
import { makeViewWhole, reconcileOrThrow } from './touches.ts';
import { baseItems, writeMissingReverseItems } from './whole-view.ts';

/** Also with all edges of returning types. If the table refuses one of the shares, throws after all others are written. */
export async function reconcileViewParts(
  context: ApplyContext,
  source: string,
  targets: readonly string[],
  returning: readonly string[] = [],
): Promise<void> {
  try {
    await reconcilePartsTogether(context, source, targets, returning);
    return;
  } catch (error) {
    if (!isRefused(error) || targets.length < 2) throw error;
  }
  let refused: unknown;
  for (const half of halves(targets)) {
    try {
      await reconcileViewParts(context, source, half, returning);
    } catch (error) {
      if (!isRefused(error)) throw error;
      refused = error;
    }
  }
  if (refused !== undefined) throw refused;
}

function isRefused(error: unknown): boolean {
  return error instanceof StoreError && error.kind === 'terminal';
}

async function reconcilePartsTogether(
  context: ApplyContext,
  source: string,
  targets: readonly string[],
  returning: readonly string[] = [],
): Promise<void> {
  const readBases = async (): Promise<Map<string, Item | undefined>> => {
    const items = await readItems(
      context,
      targets.map((target) => ({ source, target })),
    );
    const bases = new Map(targets.map((target, i) => [target, items[i]]));
    // A type that comes back into the set brings all of its edges.
    // rule: edge-type-comes-back-whole
    for (const type of returning) {
      for await (const [target, item] of baseItems(context, source, { beginsWith: `${type}-` }))
        bases.set(target, item);
    }
    return bases;
  };
  await reconcileWithBaseItems(context, source, readBases, returning);
}

export async function reconcileView(context: ApplyContext, source: string): Promise<void> {
  await reconcileWithBaseItems(context, source, async (view) => {
    const bases = new Map<string, Item | undefined>();
    for await (const [target, item] of baseItems(context, source, BASE_ITEMS)) bases.set(target, item);
    for (const elements of elementsByEdge(view).values()) {
      const key = edgeKeyOfElement(elements[0]!);
      if (decodeElement(elements[0]!) !== undefined && !bases.has(key)) bases.set(key, undefined);
    }
    // Even if the node is absent, its attributes may still be in the view.
    if (!bases.has(source)) bases.set(source, undefined);
    return bases;
  });
}

async function reconcileWithBaseItems(
  context: ApplyContext,
  source: string,
  readBases: (view: Item | undefined) => Promise<Map<string, Item | undefined>>,
  returning: readonly string[] = [],
): Promise<void> {
  const { graph } = context;
  const { expected } = await reconcileItem(context, {
    key: { source, target: VIEW_KEY },
    async expected(view) {
      if (isOfOtherShape(graph, source, view)) return undefined;
      const shares = new Map<string, Share>();
      for (const [target, base] of await readBases(view)) shares.set(target, derivedOf(graph, source, target, base));
      const listed = listedEdges(view, shares, returning);
      await writeMissingReverseItems(context, source, listed, reconcileOrThrow);
      const corrections = correctionsOf(graph, view, returning);
      return { shares, copies: await readCopies(context, listed), corrections };
    },
    update(view, shares) {
      if (shares === undefined) return undefined;
      const update = viewUpdate(graph, source, view, shares, epochSeconds(context));
      return changesNothing(update) ? undefined : update;
    },
  });
  if (expected === undefined) await makeViewWhole(context, source);
}

function listedEdges(
  view: Item | undefined,
  shares: ReadonlyMap<string, Share>,
  returning: readonly string[] = [],
): string[] {
  const evicted = new Set(evictedTypes(view));
  for (const type of returning) evicted.delete(type);
  const listed = [...shares].filter(
    ([target, { element }]) => element !== undefined && !evicted.has(typePrefix(target) ?? ''),
  );
  return listed.map(([target]) => target);
}
