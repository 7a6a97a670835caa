import { createHash } from 'node:crypto';
import {
  type CheckOptions,
  type CheckResult,
  check,
  createProjector,
  type Finding,
  type MigrateOptions,
  type MigrateResult,
  migrate,
} from '../../src/admin.ts';
import type { Feed } from '../../src/client/feed/feed.ts';
import { type Item, stringOf } from '../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../src/core/items/change-record.ts';
import { DERIVED_ATTRIBUTES, SERVICE_ATTRIBUTES } from '../../src/core/items/derived-item.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { nativeIndexes } from '../../src/core/model/native-indexes.ts';
import type { ItemKey, Store } from '../../src/core/store-port.ts';
import { createReader, createWriter, EdgeloomError } from '../../src/index.ts';
import { registryLeases } from '../../src/registry/reader-lease.ts';
import { byOneClock } from '../support/moments.ts';
import { type Facts, factsOf, keyNames, toItem } from './facts.ts';
import { type Feature, LIVE, OfSource, SINCE, type Values } from './features.ts';
import { compiled, type ModelInput, modelWith, type Options, ordersOf, projectionOfOrder } from './model.ts';
import { typeOf } from './oracle.ts';
import { type Kind, type OpenReader, type Question, questionsOf } from './questions.ts';
import type { Rig } from './rig.ts';

/** What is wrong in a cell. */
export class Wrong extends Error {}

/** Fails the cell unless something holds. */
export function holds(condition: boolean, text: string): asserts condition {
  if (!condition) throw new Wrong(text);
}

/** Questions that most operations ask afterwards; the others have an operation of their own. */
export const USUAL: readonly Kind[] = ['view', 'search', 'equal', 'inbound', 'owner', 'degree', 'total', 'nodes'];

const BASE: { goal: Values; member: Values; user: Values; part: Values } = {
  goal: { title: ['One', 'Two', 'Three', undefined] },
  member: { note: ['n', 'm', undefined] },
  user: { name: ['Ann', 'Bob', 'Cid'] },
  part: { mood: ['good', 'bad', undefined] },
};

/** Numbers of the nodes of a type; one has what keys are made of in its id. */
const NUMBERS: Readonly<Record<string, readonly string[]>> = {
  GOAL: ['1', '2', '3', 'é/4#|%'],
  PLAN: ['1', '2'],
  USER: ['1', '2', 'x/~@2'],
  TEAM: ['1'],
};

/** A table of goals and members with the features of a row, on which an operation is carried out. */
export class Bench {
  readonly input: ModelInput;
  readonly model: CompiledModel;
  /** The time at which readers ask, in milliseconds since 1970; undefined: the machine's. */
  nowMs: number | undefined;
  /** Whether all that is over and counted is deleted. */
  isSwept = false;
  private consumed = 0;

  constructor(
    readonly rig: Rig,
    readonly features: readonly Feature[],
  ) {
    this.input = inputOf(features);
    this.model = compiled(this.input);
  }

  /** The model without its features, but for what of them stays for good. */
  get without(): ModelInput {
    return modelWith(this.features.map(({ fixed }) => fixed ?? none));
  }

  /** The model with other values of its features. */
  get changed(): ModelInput {
    return changedInputOf(this.features);
  }

  /** The projections of the features, as the registry names them: an order lies in that of its edges where it shares their item. */
  get projections(): string[] {
    const named = this.features.flatMap(({ projections = [] }) => projections);
    const nameOf = (projection: string): string => {
      const [, type, order] = /^order:([A-Z]+)\.(.+)$/.exec(projection) ?? [];
      return order === undefined ? projection : projectionOfOrder(type!, order, this.input.edges[type!]!);
    };
    const left = this.isCounted ? /^order:MEMBER\./ : /^(inbound|order):MEMBER/;
    const isKept = (name: string): boolean => !(this.isNative && left.test(name));
    return [...new Set(named.map(nameOf))].filter(isKept);
  }

  /** Whether DynamoDB keeps the orders of memberships. */
  private get isNative(): boolean {
    return this.model.edges.get('MEMBER')!.inbound?.native === true;
  }

  private get isCounted(): boolean {
    const { count, incoming } = this.model.edges.get('MEMBER')!;
    return count !== undefined || incoming !== undefined;
  }

  /** Attributes that the table takes and that cannot be derived, and of which item. */
  get bad(): Feature['bad'] {
    const keys = nativeIndexes(this.model).map(({ attribute }) => attribute);
    const all = this.features.flatMap(({ bad }) => bad ?? []);
    return all.find(({ attributes }) => keys.every((key) => !Object.hasOwn(attributes, key)));
  }

  /** The projection that no feature makes, but an order that the model has beside those of features. */
  get addedProjections(): string[] {
    const hasOrders = ordersOf(this.input.edges['MEMBER']!).length > 0;
    return hasOrders && !this.isNative && !this.projections.includes('inbound:MEMBER') ? ['inbound:MEMBER'] : [];
  }

  get sources(): string[] {
    return idsOf(this.input.edges['MEMBER']!['from'] as string[]);
  }

  get targets(): string[] {
    return idsOf(this.input.edges['MEMBER']!['to'] as string[]);
  }

  get ids(): string[] {
    return [...this.sources, ...this.targets];
  }

  /** The edges that items have, as pairs of nodes. */
  get pairs(): [string, string][] {
    const { sources, targets } = this;
    return sources.flatMap((source, i) =>
      targets.filter((_, t) => (i + t) % 3 !== 2).map((target): [string, string] => [source, target]),
    );
  }

  /** Attributes of a node at a moment; each moves on by one from a moment to the next. */
  attributesOf(id: string, moment: number): Options {
    const isSource = this.sources.includes(id);
    const values = isSource
      ? { ...BASE.goal, ...merged(this.features.map(({ goal }) => goal)) }
      : { ...BASE.user, ...merged(this.features.map(({ user }) => user)) };
    return taken(values, this.ids.indexOf(id) + moment);
  }

  attributesOfEdge(source: string, target: string, moment: number): Options {
    const added = this.addedProjections.length > 0 ? SINCE : {};
    const values = { ...BASE.member, ...added, ...merged(this.features.map(({ member }) => member)) };
    const number = this.sources.indexOf(source);
    const entries = Object.entries(taken(values, number + 2 * this.targets.indexOf(target) + moment));
    return Object.fromEntries(
      entries.map(([name, value]) => [name, value instanceof OfSource ? value.of(number) : value]),
    );
  }

  /** The nodes that may have the part STATE, of which each second one has it at first; none where no feature has parts. */
  get wholes(): string[] {
    const hasParts = this.features.some(({ part }) => part !== undefined);
    return hasParts ? this.ids.filter((id) => typeOf(id) === 'GOAL') : [];
  }

  /** Attributes of the part of a node at a moment; undefined: it has none then. */
  attributesOfPart(id: string, moment: number): Options | undefined {
    const place = this.ids.indexOf(id) + moment;
    const values = { ...BASE.part, ...merged(this.features.map(({ part }) => part)) };
    return place % 4 === 3 ? undefined : taken(values, place);
  }

  /** The key of an edge as its producers make it. */
  edgeKey(source: string, target: string): ItemKey {
    const isHashed = this.input.edges['MEMBER']!['keys'] === 'hashed';
    const name = isHashed ? `#${createHash('sha256').update(target).digest('hex').slice(0, 32)}` : target;
    return { source, target: `MEMBER-${name}` };
  }

  /** A producer puts a node whole, or deletes it. */
  async putNode(id: string, attributes: Options | undefined): Promise<void> {
    await this.put({ source: id, target: id }, attributes);
  }

  /** A producer puts an edge whole, or deletes it. */
  async putEdge(source: string, target: string, attributes: Options | undefined): Promise<void> {
    const isHashed = this.input.edges['MEMBER']!['keys'] === 'hashed';
    await this.put(
      this.edgeKey(source, target),
      attributes && (isHashed ? { ...attributes, targetId: target } : attributes),
    );
  }

  /** A producer puts the part of a node whole, or deletes it. */
  async putPart(id: string, attributes: Options | undefined): Promise<void> {
    await this.put({ source: id, target: 'STATE' }, attributes);
  }

  /** Puts the first edge as it is at a moment, or its source, or the part of that, with more attributes; none of them is soft-deleted. */
  async putWith(of: 'goal' | 'member' | 'part', more: Options, moment: number): Promise<void> {
    const [source, target] = this.pairs[0]!;
    if (of === 'goal') await this.putNode(source, { ...this.attributesOf(source, moment), ...LIVE, ...more });
    else if (of === 'part') await this.putPart(source, { ...this.attributesOfPart(source, moment), ...more });
    else await this.putEdge(source, target, { ...this.attributesOfEdge(source, target, moment), ...LIVE, ...more });
  }

  /** Puts every node, part and edge as they are at a moment. */
  async putAll(moment = 0): Promise<void> {
    for (const id of this.ids) await this.putNode(id, this.attributesOf(id, moment));
    for (const id of this.wholes) await this.putPart(id, this.attributesOfPart(id, moment));
    for (const [source, target] of this.pairs)
      await this.putEdge(source, target, this.attributesOfEdge(source, target, moment));
  }

  /** Deletes nodes, parts and edges: of each kind some. One part stays without its node. */
  async deleteSome(): Promise<void> {
    const [pair, other] = this.pairs as [[string, string], [string, string]];
    await this.putNode(this.sources[1]!, undefined);
    await this.putNode(this.targets[0]!, undefined);
    await this.putEdge(...pair, undefined);
    await this.putEdge(...other, undefined);
    for (const id of this.wholes.slice(0, 1)) await this.putPart(id, undefined);
  }

  /** Makes the registry of the empty table, then puts everything and projects it. */
  async begin(input: ModelInput = this.input): Promise<void> {
    const model = compiled(input);
    await this.migrate(model);
    await this.putAll();
    await this.consume({ model });
  }

  /** Projects what is new in the stream, and what that brings into it. */
  async consume({ model = this.model, store = this.rig.store, size = 100 } = {}): Promise<void> {
    for (;;) {
      const records = await this.rig.records();
      const batch = records.slice(this.consumed, this.consumed + size);
      if (batch.length === 0) return;
      await this.project(batch, { model, store });
      this.consumed += batch.length;
    }
  }

  /** Whether the consumer has applied every record. */
  async isConsumed(): Promise<boolean> {
    return this.consumed >= (await this.rig.records()).length;
  }

  /** The records that are new; the consumer does not get them. */
  async lose(): Promise<ChangeRecord[]> {
    const records = await this.rig.records();
    const lost = records.slice(this.consumed);
    this.consumed = records.length;
    return lost;
  }

  /** Projects some records; throws what keeps them from being applied. */
  async project(
    records: readonly ChangeRecord[],
    { model = this.model, store = this.rig.store }: { model?: CompiledModel; store?: Store } = {},
  ) {
    const { rig } = this;
    const projector = createProjector(model, {
      ...{ store, now: () => rig.nowMs(), wait: (ms: number) => rig.wait(ms), random: () => 0.5 },
    });
    const result = await projector.project(records, { remainingMs: () => 60_000 });
    if (result.error !== undefined) throw result.error;
    return result;
  }

  /** Brings a model to the table. */
  async migrate(model: CompiledModel, options: Partial<MigrateOptions> = {}): Promise<MigrateResult> {
    const { rig } = this;
    return await migrate(model, {
      ...{ store: rig.store, table: { ...rig.identity }, wait: (ms: number) => rig.wait(ms) },
      ...{ now: () => rig.nowMs(), clock: () => rig.nowMs(), serverTime: async () => rig.nowMs(), random: () => 0.5 },
      ...options,
    });
  }

  /** Checks the table; gives what it found too. */
  async check(
    mode: NonNullable<CheckOptions['mode']> = 'report',
    options: Partial<CheckOptions> = {},
  ): Promise<CheckResult & { findings: Finding[] }> {
    const { rig, model } = this;
    const findings: Finding[] = [];
    const result = await check(model, {
      ...{ store: rig.store, mode, graceMs: 1_000, segments: 1 },
      ...{ now: () => rig.nowMs(), wait: (ms: number) => rig.wait(ms), random: () => 0.5 },
      onFinding: (finding) => findings.push(finding),
      ...options,
    });
    return { ...result, findings };
  }

  /** A reader of a process of its own. */
  reader(model: CompiledModel = this.model, store: Store = this.rig.store, feed?: Feed): OpenReader {
    const leases = registryLeases(
      model,
      store,
      byOneClock(() => this.rig.nowMs()),
    );
    return createReader(model, { store, leases, feed, now: this.clock() }) as unknown as OpenReader;
  }

  writer(model: CompiledModel = this.model) {
    const { rig } = this;
    return createWriter(model, { store: rig.store, wait: (ms) => rig.wait(ms), now: this.clock() });
  }

  /** The clock of readers and writers; undefined means the machine's. */
  private clock(): (() => number) | undefined {
    const { nowMs } = this;
    return nowMs === undefined ? undefined : () => nowMs;
  }

  async facts(input: ModelInput = this.input): Promise<Facts> {
    const { nowMs, isSwept } = this;
    return { ...factsOf(input, await this.rig.items()), nowMs, isSwept };
  }

  /** The keys of all base items. */
  async baseKeys(): Promise<ItemKey[]> {
    const { nodes, edges, parts } = await this.facts();
    return [
      ...[...nodes.keys()].map((id) => ({ source: id, target: id })),
      ...[...parts].flatMap(([id, all]) => [...all.keys()].map((target) => ({ source: id, target }))),
      ...edges.map(({ source, key }) => ({ source, target: key })),
    ];
  }

  /** The questions that a model answers, with the oracle's answers of this moment. */
  async questions(kinds: readonly Kind[] = USUAL, input: ModelInput = this.input): Promise<Question[]> {
    return questionsOf(input, await this.facts(input), this.ids).filter(({ kind }) => kinds.includes(kind));
  }

  /**
   * Asks every question of some kinds; each has to have the oracle's answer.
   *
   * @param mayRefuse codes of errors that are as good as an answer.
   */
  async expectAnswers({
    kinds = USUAL,
    input = this.input,
    reader = this.reader(compiled(input)),
    mayRefuse = [],
  }: {
    kinds?: readonly Kind[];
    input?: ModelInput;
    reader?: OpenReader;
    mayRefuse?: readonly string[];
  } = {}): Promise<{ asked: number; refused: Question[] }> {
    const questions = await this.questions(kinds, input);
    const refused: Question[] = [];
    for (const question of questions) {
      try {
        expectSame(await question.ask(reader), question.expected, question.text);
      } catch (error) {
        if (!(error instanceof EdgeloomError) || !mayRefuse.includes(error.code)) throw inQuestion(error, question);
        refused.push(question);
      }
    }
    return { asked: questions.length, refused };
  }

  /** No derived item differs from what base items ask for, and items of the service have no attribute that the page on stored items lacks. */
  async expectStored(): Promise<void> {
    const { drift, findings } = await this.check();
    holds(drift.missing + drift.stale + drift.orphan === 0, `the check finds ${JSON.stringify(findings.slice(0, 3))}`);
    const { partition } = keyNames(this.input);
    const { partitionKey, sortKey, ttl } = this.model.table;
    const known = new Set([partitionKey, sortKey, ttl, ...DERIVED_ATTRIBUTES, ...SERVICE_ATTRIBUTES]);
    const service = (await this.rig.items()).filter((item) => stringOf(item[partition]) === '~edgeloom');
    const unlisted = service.flatMap((item) => Object.keys(item).filter((name) => !known.has(name)));
    holds(unlisted.length === 0, `items of the service partition have ${unlisted.join(', ')}`);
  }

  /** Whether views have room for little. */
  get mayBeEvicted(): boolean {
    return this.input.nodes['GOAL']!['viewBudgetBytes'] !== undefined;
  }

  /** A check finds nothing. */
  async expectClean(options: Partial<CheckOptions> = {}): Promise<void> {
    const { drift, pending, quarantined, findings } = await this.check('report', options);
    const count = drift.missing + drift.stale + drift.orphan + pending + quarantined;
    holds(count === 0, `the check finds ${JSON.stringify(findings.slice(0, 3))}`);
  }

  /** Derived items that are there; tombstones and counts of nothing are left out. */
  async derived(): Promise<{ key: ItemKey; item: Item }[]> {
    const { partition, sort } = keyNames(this.input);
    const { ttl } = this.model.table;
    return (await this.rig.items()).flatMap((item) => {
      const [source, target] = [item[partition], item[sort]].map((value) => (value && 'S' in value ? value.S : ''));
      const isLive = item[ttl] === undefined && !(item['count'] && 'N' in item['count'] && item['count'].N === '0');
      const isDerived = source !== '~edgeloom' && target!.startsWith('~') && isLive;
      return isDerived ? [{ key: { source: source!, target: target! }, item }] : [];
    });
  }

  private async put({ source, target }: ItemKey, attributes: Options | undefined): Promise<void> {
    const { partition, sort } = keyNames(this.input);
    if (attributes === undefined) await this.rig.producer.delete({ source, target });
    else await this.rig.producer.put({ [partition]: { S: source }, [sort]: { S: target }, ...toItem(attributes) });
  }
}

function none(): void {
  // Nothing of it is added.
}

/** The model of some features. */
export function inputOf(features: readonly Feature[]): ModelInput {
  return modelWith(
    [...features.map(({ fixed }) => fixed ?? none), ...features.map(({ add }) => add)],
    giveKeys(features),
  );
}

/** The model of some features with their other values. */
export function changedInputOf(features: readonly Feature[]): ModelInput {
  const changes = features.map(({ change }) => change ?? none);
  const all = [...features.map(({ fixed }) => fixed ?? none), ...features.map(({ add }) => add), ...changes];
  return modelWith(all, giveKeys(features));
}

function giveKeys(features: readonly Feature[]): boolean {
  return features.some(({ givesKeys }) => givesKeys === true);
}

function idsOf(types: readonly string[]): string[] {
  return types.flatMap((type) => NUMBERS[type]!.map((number) => `${type}-${number}`));
}

/** The first feature that names an attribute decides its values. */
function merged(all: readonly (Values | undefined)[]): Values {
  return Object.assign({}, ...[...all].reverse()) as Values;
}

function taken(values: Values, place: number): Options {
  const entries = Object.entries(values).map(([name, all]) => [name, all[place % all.length]]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Options;
}

function inQuestion(error: unknown, { text }: Question): Error {
  return error instanceof Wrong ? error : new Wrong(`${text}: ${(error as Error).stack ?? error}`);
}

/** Compares values as texts; the order of names does not count. */
export function expectSame(actual: unknown, expected: unknown, text: string): void {
  const [left, right] = [stable(actual), stable(expected)];
  if (left !== right) throw new Wrong(shortened(`${text} is ${left} instead of ${right}`));
}

/** A text without long runs of one letter: some values are long so as to fill views. */
function shortened(text: string): string {
  return text.replace(/(.)\1{50,}/g, '$1…');
}

function stable(value: unknown): string {
  const text = JSON.stringify(value, (_, entry: unknown) =>
    typeof entry === 'object' && entry !== null && !Array.isArray(entry)
      ? Object.fromEntries(Object.entries(entry).sort(([left], [right]) => (left < right ? -1 : 1)))
      : entry,
  );
  return text ?? 'undefined';
}
