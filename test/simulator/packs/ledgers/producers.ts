import type { AttributeValue, Item } from '../../../../src/core/items/attribute-value.ts';
import type { Store } from '../../../../src/core/store-port.ts';
import { EdgeloomError, StoreError } from '../../../../src/foundation/errors.ts';
import { ConditionFailedError, createWriter, TransactionFailedError } from '../../../../src/index.ts';
import type { Random } from '../../kernel/random.ts';
import type { Table } from '../../kernel/table.ts';
import type { EdgeSpec, Spec } from './spec.ts';
import { sortKeyOf } from './truth.ts';

/** What the producers of a schedule write about. */
export interface Cast {
  users: readonly string[];
  projects: readonly string[];
  /** Values that edges have in groups. */
  groups: readonly AttributeValue[];
  /** Whether there are more than a node has room for. */
  manyGroups: boolean;
  /** How often a value is none that a total takes. */
  badValues: number;
}

const ODD = [
  'a',
  'b',
  'a|b',
  '#x',
  'a/b',
  '~',
  'é𝄞',
  'a b',
  '1',
  '__proto__',
  'a\u0000',
  'A-B-C',
  'x'.repeat(900),
] as const;
const GOOD_SUMS = [
  '1',
  '2.5',
  '-3',
  '0',
  '0.1',
  '0.2',
  '1e3',
  '1E-12',
  '999999999999999.999999999999',
  '-999999999999999.999999999999',
  '0.000000000001',
  '12.340',
] as const;
const BAD_SUMS: readonly AttributeValue[] = [
  { S: '5' },
  { S: 'lots' },
  { N: '1000000000000000' },
  { N: '0.0000000000001' },
  { N: '1E+20' },
  { N: '1e-100' },
  { N: '12345678901234567890123456789012345678' },
  { S: '123456789012345678901234567890123456789' },
  { NULL: true },
  { L: [] },
  { M: { N: { N: '1' } } },
  { SS: ['1'] },
  { BOOL: true },
];
const GROUPS: readonly AttributeValue[] = [
  { S: 'a' },
  { S: 'b' },
  { S: '1' },
  { N: '1' },
  { N: '1.0' },
  { N: '1000' },
  { S: '1e3' },
  { BOOL: true },
  { S: 'true' },
  { S: '' },
  { S: '~other' },
  { S: '__proto__' },
  { S: 'constructor' },
  { S: 'x\u0000y' },
  { S: 'by/kind/é𝄞' },
  { S: '/' },
  { S: 'n' },
  { S: 'g'.repeat(256) },
];
const BAD_GROUPS: readonly AttributeValue[] = [
  { S: 'g'.repeat(257) },
  { NULL: true },
  { L: [{ S: 'a' }] },
  { SS: ['a'] },
  { M: {} },
];
const STATUSES = ['online', 'away', 'gone fishing', '~'] as const;

/** Throws the cast of a schedule. */
export function throwCast(dice: Random): Cast {
  const ids = (type: string, most: number): string[] => {
    const from = dice.chance(0.5) ? 0 : dice.below(ODD.length);
    return Array.from({ length: dice.between(1, most) }, (_, i) => `${type}-${ODD[(from + i * 3) % ODD.length]}`);
  };
  const firstGroup = dice.below(GROUPS.length);
  return {
    groups: dice.chance(0.3) ? GROUPS : [0, 1, 2].map((i) => GROUPS[(firstGroup + i) % GROUPS.length]!),
    users: [...new Set(ids('USER', 5))],
    projects: [...new Set(ids('PROJECT', 3))],
    manyGroups: dice.chance(0.03),
    badValues: dice.pick([0, 0.05, 0.3]),
  };
}

/** Writes base items: with plain calls, as any producer, and with the writer. */
export class Producers {
  private readonly writer;

  constructor(
    private readonly spec: Spec,
    private readonly cast: Cast,
    private readonly table: Table,
    private readonly dice: Random,
    private readonly nowMs: () => number,
    store: Store,
    wait: (ms: number) => Promise<void>,
  ) {
    this.writer = createWriter(spec.graph as never, { store, wait }) as unknown as Record<
      'putEdge' | 'putPart' | 'updatePart' | 'updateEdge' | 'deletePart' | 'deleteNodeWithEdges' | 'transact',
      (...given: unknown[]) => Promise<unknown>
    >;
  }

  /** One change of the truth, begun; the promise resolves when it is over. */
  async act(): Promise<void> {
    const { dice } = this;
    try {
      const what = dice.weighted({ put: 10, remove: 4, part: 4, node: 2, noPart: 1, noNode: 1, odd: 0.5, writer: 4 });
      if (what === 'put') this.putEdge(this.anyEdge());
      else if (what === 'remove') this.removeEdge();
      else if (what === 'part') this.put(this.user(), 'STATE', this.state());
      else if (what === 'node') this.putNode(dice.pick([...this.cast.users, ...this.cast.projects]));
      else if (what === 'noPart')
        this.table.write({ source: this.user(), target: dice.pick(['STATE', 'PROFILE']) }, undefined);
      else if (what === 'noNode') this.removeNode();
      else if (what === 'odd') this.putOdd();
      else await this.useWriter();
    } catch (error) {
      // A write that a fault or a condition stops is not made, or made without the writer's knowledge: the base items say which.
      const isFault = error instanceof StoreError && error.kind === 'retryable';
      const isUnknown = error instanceof EdgeloomError && error.code === 'outcome-unknown';
      if (
        !isFault &&
        !isUnknown &&
        !(error instanceof ConditionFailedError) &&
        !(error instanceof TransactionFailedError)
      )
        throw error;
    }
  }

  /** Edges to one project with a value of their own each: more than a total has room for, or nearly. */
  fill(edges: number): void {
    const spec = this.spec.edges[0]!;
    for (let i = 0; i < edges; i += 1) {
      const source = spec.outgoing === undefined ? `USER-F${i}` : this.cast.users[0]!;
      const target = spec.outgoing === undefined ? this.cast.projects[0]! : `PROJECT-F${i}`;
      this.putPlain(spec, source, target, { kind: { S: `v${i}` }, level: { S: `v${i}` }, hours: { N: String(i) } });
    }
  }

  private user(): string {
    return this.dice.pick(this.cast.users);
  }

  private anyEdge(): [EdgeSpec, string, string] {
    // One edge changes more often than the others, so that a batch holds several of its records.
    if (this.dice.chance(0.35)) return [this.spec.edges[0]!, this.cast.users[0]!, this.cast.projects[0]!];
    const spec = this.dice.pick(this.spec.edges);
    const targets = spec.to.includes('USER') && this.dice.chance(0.6) ? this.cast.users : this.cast.projects;
    const filled = this.cast.manyGroups && this.dice.chance(0.4) ? `USER-F${this.dice.below(60)}` : undefined;
    return [spec, filled ?? this.user(), this.dice.pick(targets)];
  }

  private putEdge([spec, source, target]: [EdgeSpec, string, string]): void {
    this.putPlain(spec, source, target, this.edgeAttributes());
  }

  private putPlain(spec: EdgeSpec, source: string, target: string, attributes: Item): void {
    this.put(source, sortKeyOf(spec, target), { ...attributes, ...(spec.hashed && { targetId: { S: target } }) });
  }

  private edgeAttributes(): Item {
    const { dice, cast } = this;
    const isBad = (): boolean => dice.chance(cast.badValues);
    const sum = (): AttributeValue => (isBad() ? dice.pick(BAD_SUMS) : { N: dice.pick(GOOD_SUMS) });
    const group = (): AttributeValue => {
      if (isBad()) return dice.pick(BAD_GROUPS);
      return cast.manyGroups ? { S: `v${dice.below(60)}` } : dice.pick(cast.groups);
    };
    return {
      ...(dice.chance(0.85) && { hours: sum() }),
      ...(dice.chance(0.7) && { cost: sum() }),
      ...(dice.chance(0.85) && { kind: group() }),
      ...(dice.chance(0.6) && { level: group() }),
      ...(dice.chance(0.7) && { date: isBad() ? { N: '5' } : { S: dice.pick(['2026-01-01', '2026-02-01']) } }),
      ...(dice.chance(0.3) && { note: { S: `n${dice.below(3)}` } }),
      ...(dice.chance(0.1) && {
        [this.spec.names.ttl]: { N: String(Math.floor(this.nowMs() / 1000) + dice.below(20)) },
      }),
    };
  }

  private removeEdge(): void {
    const [spec, source, target] = this.anyEdge();
    this.table.write({ source, target: sortKeyOf(spec, target) }, undefined);
  }

  private state(): Item {
    const isWrong = this.dice.chance(this.cast.badValues) && !this.spec.edges.some(({ byPart }) => byPart);
    return {
      ...(this.dice.chance(0.9) && { status: isWrong ? { N: '1' } : { S: this.dice.pick(STATUSES) } }),
      ...(this.dice.chance(0.3) && { mood: { S: `m${this.dice.below(3)}` } }),
    };
  }

  private putNode(id: string): void {
    this.put(id, id, {
      ...(this.dice.chance(0.8) && { name: { S: `name${this.dice.below(4)}` } }),
      ...(this.dice.chance(0.3) && { about: { S: 'a'.repeat(this.dice.pick([1, 5_000])) } }),
    });
    if (id.startsWith('USER') && this.dice.chance(0.3))
      this.put(id, 'PROFILE', { about: { S: 'p'.repeat(this.dice.pick([2, 9_000])) } });
  }

  private removeNode(): void {
    const id = this.dice.pick([...this.cast.users, ...this.cast.projects]);
    this.table.write({ source: id, target: id }, undefined);
  }

  /** An edge that fits no type, a part or a type that no model has. */
  private putOdd(): void {
    const source = this.user();
    const odd = ['WORKED_ON-USER-a', 'WORKED_ON-#12', 'WORKED_ON-', 'OTHER', 'FOO-PROJECT-a', 'LIKES-TEAM-1'];
    const target = this.dice.pick(odd);
    if (this.dice.chance(0.5)) this.put(source, target, { hours: { N: '7' }, kind: { S: 'a' } });
    else this.table.write({ source, target }, undefined);
  }

  private put(source: string, target: string, attributes: Item): void {
    const { partitionKey, sortKey } = this.spec.names;
    const keys = { [partitionKey]: { S: source }, [sortKey]: { S: target } };
    this.table.write({ source, target }, { ...attributes, ...keys });
  }

  private async useWriter(): Promise<void> {
    const { dice, writer } = this;
    const [{ type }, source, target] = this.anyEdge();
    const what = dice.weighted({
      putEdge: 3,
      updateEdge: 3,
      putPart: 2,
      updatePart: 2,
      deletePart: 1,
      cascade: 0.6,
      move: 1,
    });
    const values = { hours: dice.below(9), kind: dice.pick(['a', 'b', 1, true]) };
    if (what === 'putEdge') await writer.putEdge(source, type, target, values);
    else if (what === 'updateEdge') await this.updateEdge(source, type, target);
    else if (what === 'putPart') await writer.putPart(source, 'STATE', { status: dice.pick(STATUSES) });
    else if (what === 'updatePart')
      await writer.updatePart(source, 'STATE', { set: { status: dice.pick(STATUSES) } }, { upsert: true });
    else if (what === 'deletePart') await writer.deletePart(source, 'STATE');
    else if (what === 'cascade')
      await writer.deleteNodeWithEdges(dice.pick([...this.cast.users, ...this.cast.projects]));
    else {
      const [, , other] = this.anyEdge();
      if (other === target || other.split('-')[0] !== target.split('-')[0]) return;
      await writer.transact((transaction: Record<string, (...given: unknown[]) => void>) => {
        transaction['deleteEdge']!(source, type, target);
        transaction['putEdge']!(source, type, other, values);
      });
    }
  }

  /** Changes some attributes of an edge by the writer. */
  private async updateEdge(source: string, type: string, target: string): Promise<void> {
    const change = this.dice.chance(0.5)
      ? { set: { kind: this.dice.pick(['a', 'b', 'c']) } }
      : { set: { hours: this.dice.below(5) }, remove: ['cost'] };
    await this.writer.updateEdge(source, type, target, change, { upsert: true });
  }
}
