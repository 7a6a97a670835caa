import { defineGraph } from '../../../src/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../src/model/compiled.ts';
import { derive, edge, fromSource, node, rank } from '../../../src/model/schema.ts';
import type { Random } from '../random.ts';

/** Models that a table is brought to one after the other, and back: what differs between them is drawn. */

/** What a model says; the oracle knows it by this, not by what is compiled of it. */
export interface Spec {
  shards: number;
  shardBy: 'value' | 'source';
  fold: boolean;
  /** Whether there is the search by tag at all. */
  hasSearch: boolean;
  /** The version of the derived search; 0: there is none. */
  derived: number;
  /** Whether the code has the functions of the other versions too. */
  hasOthers: boolean;
  view: readonly ('a' | 'b')[];
  /** The mark of an X is so long that two of them are too large for a tight view. */
  labels: readonly ('r' | 'mark')[];
  weights: Readonly<Record<'X' | 'Y', number>>;
  degree: boolean;
  copy: boolean;
  /** Orders with index items of their own: by the label; by what the source node says, and the label. */
  orders: readonly ('byRole' | 'byA')[];
  /** How large a view may get. */
  budget: 'ample' | 'tight';
}

/** A model with a search, an order and a view, for schedules that are written down. */
export const PLAIN_SPEC: Spec = {
  ...{ shards: 2, shardBy: 'value', fold: false, hasSearch: true, derived: 0, hasOthers: true, view: ['a'] },
  ...{ labels: [], weights: { X: 5, Y: 3 }, degree: false, copy: false, orders: [], budget: 'ample' },
};

/** Three models of one table: each differs from the one before in one to three things. */
export function drawSpecs(random: Random): [Spec, Spec, Spec] {
  const first: Spec = { ...PLAIN_SPEC };
  if (random.chance(0.3)) Object.assign(first, { copy: true, labels: LABELS[1] });
  if (random.chance(0.3)) first.degree = true;
  if (random.chance(0.3)) first.orders = random.oneOf([['byRole'], ['byA'], ['byRole', 'byA']]);
  if (random.chance(0.2)) Object.assign(first, { labels: LABELS[2], budget: 'tight' });
  const second = changed(random, first);
  return [first, second, changed(random, random.chance(0.5) ? first : second)];
}

function changed(random: Random, spec: Spec): Spec {
  const next = { ...spec };
  for (let i = 0; i <= random.below(3); i++) {
    const changes: [() => void, ...(() => void)[]] = [
      () => (next.shards = 5 - next.shards),
      () => (next.shardBy = next.shardBy === 'value' ? 'source' : 'value'),
      () => (next.fold = !next.fold),
      () => (next.hasSearch = !next.hasSearch),
      () => (next.view = next.view.length === 2 ? ['b'] : ['a', 'b']),
      () => (next.labels = LABELS[(LABELS.indexOf(next.labels) + 1) % LABELS.length]!),
      () => (next.budget = next.budget === 'ample' ? 'tight' : 'ample'),
      () => (next.orders = toggled(next.orders, 'byRole')),
      () => (next.orders = toggled(next.orders, 'byA')),
      () => (next.weights = next.weights.X === 5 ? { X: 2, Y: 3 } : { X: 5, Y: 3 }),
      () => (next.degree = !next.degree),
      () => (next.copy = !next.copy),
      () => (next.derived = (next.derived + 1) % 3),
      () => (next.hasOthers = random.chance(0.5)),
    ];
    random.oneOf(changes)();
  }
  return next;
}

const LABELS: readonly Spec['labels'][] = [[], ['r'], ['r', 'mark']];

function toggled<T>(list: readonly T[], one: T): T[] {
  return list.includes(one) ? list.filter((other) => other !== one) : [...list, one];
}

/** The mark that producers give an X. */
export const MARK = 'm'.repeat(600);

/** Whether copies are always in the answer: an edge type that a view has no room for takes its copies with it. */
export function showsCopies({ copy, budget }: Spec): boolean {
  return copy && budget === 'ample';
}

/** What a version of the derived search gives. */
export function derivedText(version: number, tag: unknown): string | undefined {
  return typeof tag === 'string' ? `${version}${tag}` : undefined;
}

const compiled = new Map<string, CompiledModel>();

/** The compiled model of a spec; schedules with the same spec share it. */
export function modelOf(spec: Spec): CompiledModel {
  const text = JSON.stringify(spec);
  const known = compiled.get(text) ?? compiledModel(spec);
  compiled.set(text, known);
  return known;
}

function compiledModel(spec: Spec): CompiledModel {
  const compute = (version: number) => (attributes: Record<string, unknown>) => derivedText(version, attributes['tag']);
  const others = { 1: compute(1), 2: compute(2) };
  const from = derive(compute(spec.derived), { version: spec.derived || 1, ...(spec.hasOthers && { others }) });
  return defineGraph({
    table: 'evolution',
    nodes: {
      N: node({
        view: [...spec.view],
        ...(spec.budget === 'tight' && { viewBudgetBytes: 1_024 }),
        search: {
          ...(spec.hasSearch && { tag: { shards: spec.shards, shardBy: spec.shardBy, fold: spec.fold } }),
          ...(spec.derived > 0 && { text: { from, shards: 1 } }),
        },
      }),
    },
    edges: {
      E: edge({
        from: 'N',
        to: 'N',
        edgeSet: {
          ...(spec.labels.includes('r') && { r: 'r' }),
          ...(spec.labels.includes('mark') && { mark: 'mark' }),
        },
        inbound: {
          gsi0: rank('r', spec.weights),
          ...(spec.orders.includes('byRole') && { byRole: 'r' }),
          ...(spec.orders.includes('byA') && { byA: [fromSource('a'), 'r'] }),
        },
        degree: spec.degree,
        ...(spec.copy && { copy: ['a'] }),
      }),
    },
  });
}
