import type { Item } from '../../core/items/attribute-value.ts';
import { typePrefix, VIEW_KEY } from '../../core/items/keys.ts';
import { evictedTypes } from '../../core/items/stored-view.ts';
import { countHolding } from '../../core/kinds/count.ts';
import { kindOfTarget } from '../../core/kinds/in-target.ts';
import type { Compared, JudgeContext, Part, Suspect } from '../../core/kinds/part.ts';
import { type Outcome, Outcomes } from '../../core/kinds/parts/outcomes.ts';
import { classifyBaseItem, misfitText } from '../../core/model/base-item.ts';
import { type CompiledModel, type EdgeModel, layersOf } from '../../core/model/compiled.ts';
import { needsSource, sourceNodeKeys, sourceNodeOf } from '../../core/model/joined.ts';
import { derivedOf } from '../../core/plan/derive.ts';
import type { ItemKey } from '../../core/store-port.ts';
import { isWrong, judge } from '../check/judge.ts';

/** The state of one part of what a base item asks for. */
export type PartState = 'right' | 'lag' | 'drift' | 'quarantined' | 'evicted' | 'absent';

/** One place that a base item should be in, or could be in. */
export interface ExplainedPart {
  /** Keys of the derived item, or of the base item if a native list has it itself. */
  source: string;
  target: string;
  /** The line of the model that asks for it, such as `edges.GOALMEMBERSHIP.inbound.orders.byRole`. */
  name: string;
  state: PartState;
  /** Why it is so, one sentence. */
  reason: string;
  /** Both texts if the stored item differs from the expected one; null is nothing. */
  difference?: { expected: string | null; stored: string | null };
}

/** How far the consumers have come. */
export interface LagKnowledge {
  /** True if every record made so far is applied; undefined: unknown. */
  isApplied: boolean | undefined;
  /** How far behind they are, as a sentence. */
  text: string;
}

const UNASKED: LagKnowledge = { isApplied: undefined, text: 'It has changed within the moment of the look' };

interface Asked extends Pick<Outcome, 'line' | 'why' | 'isFault'> {
  suspect: Suspect;
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
  let observations = await judge(context, suspects);
  let lag: LagKnowledge = UNASKED;
  if (observations.some(isWrong)) {
    lag = await askLag();
    // A change that was under way at the first look may be applied by now: only a difference after the position was
    // read is drift.
    observations = await judge(context, suspects);
  }
  return asked.map((one, i) => {
    const { suspect, line: name } = one;
    const { source, sortKey: target } = suspect;
    return { source, target, name, ...stateOf(one, observations[i]!, evicted, lag) };
  });
}

function stateOf(
  { suspect: { part }, why, isFault }: Asked,
  { expected, stored }: Compared,
  evicted: ReadonlySet<string>,
  { isApplied, text }: LagKnowledge,
): Pick<ExplainedPart, 'state' | 'reason' | 'difference'> {
  const type = part.kind === 'element' ? typePrefix(part.target) : undefined;
  if (type !== undefined && why === undefined && evicted.has(type)) {
    const reason = `The view is over its budget without ${type}: readers take these edges from a Query.`;
    return { state: 'evicted', reason };
  }
  if (expected === stored) {
    if (why === undefined) return { state: 'right', reason: 'It is stored as expected.' };
    return { state: isFault ? 'quarantined' : 'absent', reason: why };
  }
  const difference = { expected, stored };
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
  const asked = (line: string, sortKey: string, part: Part, of = source): Asked => {
    return { line, isFault: false, suspect: { source: of, sortKey, part } };
  };
  const all = outcomes.all.map(({ line, sortKey, ...outcome }): Asked => {
    const inView: Part = edge === undefined ? { kind: 'attributes' } : { kind: 'element', target };
    return { ...asked(line, sortKey, sortKey === VIEW_KEY ? inView : { kind: 'index-item', target }), ...outcome };
  });
  if (edge === undefined) return all;
  const line = `edges.${edge.type}`;
  if (edge.copy !== undefined) all.push(asked(`${line}.copy`, VIEW_KEY, { kind: 'copy', target }));
  for (const { key: item } of inTarget) {
    const { askedBy } = kindOfTarget(item.target)!;
    all.push(asked(`${line}.${askedBy}`, item.target, { kind: 'reverse-item', base: key }, item.source));
    const total = countHolding(graph, key, item.target);
    if (total !== undefined) all.push(asked(`${line}.inbound.total`, total.key, { kind: 'count' }, item.source));
  }
  for (const { edges } of layersOf(graph)) {
    const { count } = edges.get(edge.type) ?? {};
    if (count?.totals !== undefined) all.push(asked(`${line}.outgoing`, count.places.key, { kind: 'count' }));
  }
  return all;
}
