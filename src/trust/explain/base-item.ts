import type { Item } from '../../core/items/attribute-value.ts';
import { typePrefix, VIEW_KEY } from '../../core/items/keys.ts';
import { evictedTypes } from '../../core/items/stored-view.ts';
import { countHolding } from '../../core/kinds/count.ts';
import { type Difference, type Suspect, textsOfDifferences } from '../../core/kinds/difference.ts';
import { kindOfTarget } from '../../core/kinds/in-target.ts';
import { type Outcome, Outcomes } from '../../core/kinds/parts/outcomes.ts';
import { lineOfTotal } from '../../core/kinds/parts/totals.ts';
import { classifyBaseItem, misfitText } from '../../core/model/base-item.ts';
import { type CompiledModel, type EdgeModel, layersOf } from '../../core/model/compiled.ts';
import { needsSource, sourceNodeKeys, sourceNodeOf } from '../../core/model/joined.ts';
import { derivedOf } from '../../core/plan/derive.ts';
import type { ItemKey } from '../../core/store-port.ts';
import { type JudgeContext, judge } from '../../reconcile/judge.ts';

/**
 * `drift`: it differs although all records are applied. `lag`: it differs, but records wait, or it's unknown whether
 * any do. `evicted`: its edge type doesn't fit into the view. `absent`: nothing is expected there.
 */
export type PartState = 'right' | 'lag' | 'drift' | 'quarantined' | 'evicted' | 'absent';

/** A place that shows a base item, or could show it. */
export interface ExplainedPart {
  /** Keys of the derived item; for a native list, keys of the base item itself. */
  source: string;
  target: string;
  /** The line of the model that asks for it, such as `edges.GOALMEMBERSHIP.inbound.orders.byRole`. */
  name: string;
  state: PartState;
  /** The reason for the state, as a sentence. */
  reason: string;
  /** The expected and the stored content, if they differ; null if there is none. */
  difference?: { expected: string | null; stored: string | null };
}

/** How far the consumers have come. */
export interface LagKnowledge {
  /** Whether every record made so far is applied; undefined if unknown. */
  isApplied: boolean | undefined;
  /** Says how far behind the consumers are, as the beginning of a sentence. */
  text: string;
}

const UNASKED: LagKnowledge = { isApplied: undefined, text: 'It has changed within the moment of the look' };

interface Asked extends Pick<Outcome, 'line' | 'why' | 'isFault'> {
  suspect: Suspect;
  /** Selects the differences that the line is about. Default: all. */
  of?: (difference: Difference) => boolean;
}

export async function explainBaseItem(
  context: JudgeContext,
  key: ItemKey,
  item: Item,
  askLag: () => Promise<LagKnowledge>,
): Promise<ExplainedPart[]> {
  const { graph, store } = context;
  const { source } = key;
  const kind = classifyBaseItem(graph, source, key.target, item);
  if (kind.kind === 'unknown') return [];
  if (kind.kind === 'misfit') return [{ ...key, name: 'keys', state: 'quarantined', reason: `${misfitText(kind)}.` }];
  const ofNode = needsSource(graph, key.target) ? sourceNodeKeys(graph, source) : [];
  const keys = [...ofNode, VIEW_KEY].map((target) => ({ source, target }));
  const { items } = await store.getMany(keys, { consistent: true });
  const evicted = evictedTypes(items.pop());
  const asked = askedBy(graph, key, item, { edge: kind.kind === 'edge' ? kind.edge : undefined, nodeItems: items });
  const suspects = asked.map(({ suspect }) => suspect);
  let judged = await judge(context, suspects);
  let lag: LagKnowledge = UNASKED;
  if (judged.some(({ differences }) => differences.length > 0)) {
    lag = await askLag();
    // A change that was under way at the first look may be applied by now. Only a difference that remains after the
    // position was read is drift.
    judged = await judge(context, suspects);
  }
  return asked.map((one, i) => {
    const { suspect, line: name } = one;
    const { source, sortKey: target } = suspect;
    return {
      source,
      target,
      name,
      ...stateOf(one, judged[i]!.differences.filter(one.of ?? (() => true)), evicted, lag),
    };
  });
}

function stateOf(
  { suspect: { sortKey, bases: [base] = [] }, line, why, isFault }: Asked,
  differences: readonly Difference[],
  evicted: ReadonlySet<string>,
  { isApplied, text }: LagKnowledge,
): Pick<ExplainedPart, 'state' | 'reason' | 'difference'> {
  const type = sortKey === VIEW_KEY && line.endsWith('.edgeSet') ? typePrefix(base!.target) : undefined;
  if (type !== undefined && why === undefined && evicted.has(type)) {
    const reason = `The view is over its budget without ${type}: readers take these edges from a Query.`;
    return { state: 'evicted', reason };
  }
  if (differences.length === 0) {
    if (why === undefined) return { state: 'right', reason: 'It is stored as expected.' };
    return { state: isFault ? 'quarantined' : 'absent', reason: why };
  }
  const difference = textsOfDifferences(differences);
  const { expected, stored } = difference;
  const inWords = `expected is ${expected ?? 'nothing'}, stored is ${stored ?? 'nothing'}`;
  return isApplied === true
    ? { state: 'drift', reason: `${text}, yet ${inWords}. Repair it: edgeloom check --repair.`, difference }
    : { state: 'lag', reason: `${text}; ${inWords}.`, difference };
}

function askedBy(
  graph: CompiledModel,
  key: ItemKey,
  item: Item,
  { edge, nodeItems }: { edge: EdgeModel | undefined; nodeItems: readonly (Item | undefined)[] },
): Asked[] {
  const { source, target } = key;
  const node = nodeItems.length === 0 || source === target ? undefined : sourceNodeOf(graph, source, nodeItems);
  const outcomes = new Outcomes();
  const { inTarget = [] } = derivedOf(graph, source, target, item, node, outcomes);
  const asked = (line: string, suspect: Suspect): Asked => ({ line, isFault: false, suspect });
  const isCopy = ({ kind }: Difference): boolean => kind === 'copy';
  const all = outcomes.all.map(({ line, sortKey, ...outcome }): Asked => {
    const own = asked(line, { source, sortKey, bases: [key] });
    return { ...own, ...(sortKey === VIEW_KEY && { of: (one) => !isCopy(one) }), ...outcome };
  });
  if (edge === undefined) return all;
  const line = `edges.${edge.type}`;
  if (edge.copy !== undefined)
    all.push({ ...asked(`${line}.copy`, { source, sortKey: VIEW_KEY, bases: [key] }), of: isCopy });
  for (const { key: item } of inTarget) {
    all.push(
      asked(kindOfTarget(item.target)!.lineOf(edge), { source: item.source, sortKey: item.target, bases: [key] }),
    );
    const total = countHolding(graph, key, item.target);
    if (total !== undefined) all.push(asked(lineOfTotal(edge), { source: item.source, sortKey: total.key }));
  }
  for (const { edges } of layersOf(graph)) {
    const { count } = edges.get(edge.type) ?? {};
    if (count?.totals !== undefined) all.push(asked(`${line}.outgoing`, { source, sortKey: count.places.key }));
  }
  return all;
}
