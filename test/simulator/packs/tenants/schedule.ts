import { check, redrive } from '../../../../src/admin.ts';
import type { AttributeValue, Item } from '../../../../src/core/items/attribute-value.ts';
import { hashedSortKey } from '../../../../src/core/items/hashed-key.ts';
import { defineGraph } from '../../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../../src/core/model/compiled.ts';
import { derive, edge, node, part, source, sum } from '../../../../src/core/model/schema.ts';
import type { ScanSource, Store } from '../../../../src/core/store-port.ts';
import { createReader, type Reader } from '../../../../src/index.ts';
import { createProjector } from '../../../../src/projecting/apply/projector.ts';
import { StreamedStore } from '../../../support/streamed-store.ts';
import { allows, type Policy, TENANT_POLICY } from '../../../support/tenant-policy.ts';
import { packOfTexts } from '../../kernel/pack.ts';
import { Random } from '../../kernel/random.ts';
import { textOf } from '../../kernel/values.ts';

/**
 * An attack of one tenant on another. The tenant `acme` writes whatever its policy lets it write: edges to anybody, and derived items by
 * hand. The tenant `other` works beside it. The same run without `acme` says what is right: each answer to `other`, and each item outside
 * of the partitions of `acme`, has to be the same, and no item and no answer of `acme` may hold a secret of `other`. So this rests on the
 * promise of SECURITY.md and on nothing of how it is kept.
 */

/** A table with its projector. */
export interface Ground {
  store: Store & ScanSource;
  /** Projects what the stream holds, with what that adds to it. */
  projectAll(): Promise<void>;
}

/** The model of both tenants. */
export function tenantsGraph(table: string) {
  return defineGraph({
    table,
    tenantSeparator: '.',
    nodes: {
      USER: node({
        view: ['name', 'iban'],
        search: {
          inTenant: derive((user: Record<string, unknown>, { source }) => `${source.split('.')[0]} ${user['name']}`),
        },
        parts: { CARD: part({ view: ['iban'] }) },
      }),
      TEAM: node({ view: 'ALL' }),
    },
    edges: {
      FRIEND: edge({
        ...{ from: 'USER', to: 'USER', degree: true, edgeSet: ['kind'], copy: ['name', 'iban'] },
        inbound: { orders: { gsi0: 'since', byKind: 'kind' }, project: 'ALL' },
      }),
      PAYS: edge({
        ...{ from: 'USER', to: ['USER', 'TEAM'], edgeSet: false },
        outgoing: { total: { amount: sum('amount') } },
        inbound: { orders: { gsi0: 'since' }, total: { amount: sum('amount') }, groupBy: ['kind'] },
      }),
      MEMBER: edge({
        ...{ from: 'TEAM', to: 'USER' },
        inbound: { orders: { gsi0: source('name') }, projectSource: ['iban'], includeTarget: true },
      }),
      SECRET: edge({ from: 'USER', to: 'USER', keys: 'hashed', inbound: { orders: { gsi0: 'since' }, total: {} } }),
    },
  } as never) as CompiledModel;
}

/** Attributes with this text are secrets of `other`. */
const MARK = 'IBAN of other';
const OTHER = ['USER-other.1', 'USER-other.2', 'USER-other.3', 'TEAM-other.1', 'TEAM-other.2'] as const;
const ACME = ['USER-acme.1', 'USER-acme.2', 'TEAM-acme.1', 'USER-acme.-USER-other.1', 'USER-acme.#1|kind/~\0'] as const;
/** Ids that nobody writes: of both tenants, of a tenant whose name begins alike, and of none. */
const NOBODY = [
  'USER-other.9',
  'USER-acme.9',
  'USER-acmes.1',
  'USER-other',
  'USER-acme',
  'TEAM-other.',
  '~edgeloom',
] as const;
const ANYBODY = [...OTHER, ...OTHER, ...ACME, ...NOBODY] as const;
const EDGE_TYPES = ['FRIEND', 'PAYS', 'MEMBER', 'SECRET'] as const;

/** The pack of attacks of one tenant on another. */
export const PACK = packOfTexts((seed) => runTenants(seed));

/** Runs the attack of a seed; gives what went wrong. */
export async function runTenants(
  seed: number,
  ground: (graph: CompiledModel) => Promise<Ground> = groundInMemory,
  policy: Policy = TENANT_POLICY,
): Promise<string[]> {
  const [with_, without] = [new Attack(seed, policy), new Attack(seed, undefined)];
  const attacked = await with_.run(ground);
  const right = await without.run(ground);
  return attacked.flatMap((seen, i) => [...seen.leaks, ...differences(seen.outside, right[i]!.outside)]);
}

function differences(attacked: Readonly<Record<string, string>>, right: Readonly<Record<string, string>>): string[] {
  const names = new Set([...Object.keys(attacked), ...Object.keys(right)]);
  return [...names]
    .filter((name) => attacked[name] !== right[name])
    .map((name) => `${name}: ${attacked[name]} instead of ${right[name]}`);
}

async function groundInMemory(graph: CompiledModel): Promise<Ground> {
  const store = new StreamedStore(graph);
  const projector = createProjector(graph, { store });
  let read = 0;
  return {
    store,
    async projectAll() {
      while (read < store.records.length) {
        const records = store.records.slice(read);
        read = store.records.length;
        const { error } = await projector.project(records);
        if (error !== undefined) throw error;
      }
    },
  };
}

/** The state of a table and its answers at one moment. */
interface Seen {
  /** Each answer to `other`, and each item outside of the partitions of `acme`. */
  outside: Record<string, string>;
  /** Where a secret shows that should not. */
  leaks: string[];
}

class Attack {
  private readonly random: Random;
  private readonly graph = tenantsGraph('records');

  /** @param policy what `acme` may write; undefined: nothing. */
  constructor(
    seed: number,
    private readonly policy: Policy | undefined,
  ) {
    this.random = new Random(seed);
  }

  async run(groundOf: (graph: CompiledModel) => Promise<Ground>): Promise<Seen[]> {
    const ground = await groundOf(this.graph);
    const { store } = ground;
    for (let round = 6 + this.random.below(20); round > 0; round--) {
      await this.writeOfOther(store);
      for (let writes = this.random.below(5); writes > 0; writes--) await this.writeOfAcme(store);
      if (this.random.chance(0.4)) await ground.projectAll();
    }
    await ground.projectAll();
    const graph = this.graph;
    const projected = await look(graph, ground);
    // A service repairs the table, with all that lies there for it.
    const entries = (await everything(store)).filter((item) => textOf(item['target']).startsWith('~quarantine/'));
    await redrive(graph, { store, entries });
    await check(graph, { store, mode: 'rebuild', segments: 1 });
    await ground.projectAll();
    return [projected, await look(graph, ground)];
  }

  /** A node, a part or an edge of `other` comes, changes or goes. */
  private async writeOfOther(store: Store): Promise<void> {
    const [source, to] = [this.random.oneOf(OTHER), this.random.oneOf(OTHER)];
    const isUser = source.startsWith('USER');
    const targets = [source, ...(isUser ? ['CARD', `PAYS-${to}`] : [])];
    if (to.startsWith('USER'))
      targets.push(...(isUser ? [`FRIEND-${to}`, hashedSortKey('SECRET', to)] : [`MEMBER-${to}`]));
    const target = this.random.oneOf(targets as [string, ...string[]]);
    const item: Item = { source: { S: source }, target: { S: target }, ...this.attributes(), iban: { S: MARK } };
    if (target.startsWith('SECRET')) item['targetId'] = { S: to };
    if (this.random.chance(0.2)) await store.delete({ source, target });
    else await store.put(item);
  }

  /** Whatever `acme` may write. Both runs draw the same, so that `other` does the same in both. */
  private async writeOfAcme(store: Store): Promise<void> {
    const source = this.random.chance(0.95) ? this.random.oneOf(ACME) : this.random.oneOf(ANYBODY);
    const { target, attributes } = this.random.chance(0.5) ? this.baseItem(source) : this.forgedItem(source);
    const isDelete = this.random.chance(0.15);
    const copied = this.random.chance(0.1);
    const place = this.random.below(1_000);
    if (this.policy === undefined) return;
    const item: Item = { ...(copied ? await itemOfOther(store, place) : attributes) };
    Object.assign(item, { source: { S: source }, target: copied ? (item['target'] ?? { S: target }) : { S: target } });
    const call = { action: isDelete ? 'dynamodb:DeleteItem' : 'dynamodb:PutItem', partition: source } as const;
    if (!allows(this.policy, { ...call, attributes: isDelete ? [] : Object.keys(item) })) return;
    if (isDelete) await store.delete({ source, target: textOf(item['target']) });
    else await store.put(item);
  }

  private attributes(): Item {
    const { random } = this;
    return {
      name: { S: `n${random.below(4)}` },
      since: { S: `20${10 + random.below(4)}` },
      kind: { S: `k${random.below(60)}` },
      amount: { N: String(random.below(9)) },
      iban: { S: `own ${random.below(3)}` },
    };
  }

  private baseItem(source: string): { target: string; attributes: Item } {
    const { random } = this;
    const to = random.oneOf(ANYBODY);
    const edgeType = random.oneOf(EDGE_TYPES);
    const isHashed = edgeType === 'SECRET' || random.chance(0.05);
    const target = random.oneOf([
      source,
      'CARD',
      to,
      ...Array.from({ length: 5 }, () => (isHashed ? hashedSortKey(edgeType, to) : `${edgeType}-${to}`)),
    ]);
    const targetId = random.chance(0.9) ? to : random.oneOf(ANYBODY);
    const gsi = { gsi0pk: { S: `FRIEND-${random.oneOf(OTHER)}` }, gsi0sk: { S: `2011\0${source}` } };
    const attributes = { ...this.attributes(), targetId: { S: targetId }, ...(random.chance(0.05) && gsi) };
    return { target, attributes };
  }

  /** A derived item by hand. */
  private forgedItem(source: string): { target: string; attributes: Item } {
    const { random } = this;
    const [one, two] = [random.oneOf(ANYBODY), random.oneOf(ANYBODY)];
    const edgeType = random.oneOf(EDGE_TYPES);
    const edgeKey = edgeType === 'SECRET' ? hashedSortKey(edgeType, one) : `${edgeType}-${one}`;
    const text = (S: string): AttributeValue => ({ S });
    const common: Item = {
      ...(random.chance(0.7) && { r: { N: String(random.below(3)) } }),
    };
    const row: Item = {
      gsi0pk: text(`${edgeType}-${one}`),
      gsi0sk: text(`2011\0${source}`),
      attributes: { M: this.attributes() },
    };
    const counted = { counted: text(edgeType), ledger: { M: { 'sum/amount': { N: '1' } } }, child: text(two) };
    const listed = { edgeSet: { SS: [`FRIEND-${one}`] }, attributes: { M: { name: text('forged') } } };
    const copies = {
      copies: { M: { [`FRIEND-${one}`]: { M: { name: text('forged') } } } },
      evicted: { SS: ['FRIEND'] },
    };
    const named = {
      of: text(edgeKey),
      in: text(one),
      derivedKeys: { SS: [`~${random.oneOf(['rev', 'in'])}/${edgeType}-${source}`] },
    };
    const [target, attributes] = random.oneOf<[string, Item]>([
      ['~view', listed],
      ['~view', copies],
      ['~view/CARD', { attributes: { M: { iban: text('forged') } } }],
      [`~ix/${edgeKey}`, row],
      [`~ix/#byKind/${edgeKey}`, { ...row, gsi0pk: text(`FRIEND#byKind-${one}`) }],
      ['~ix/inTenant', { ...row, gsi0pk: text('USER.inTenant'), gsi0sk: text(`USER-other n1\0${source}`) }],
      [`~ix/${edgeKey}`, { attributes: { M: this.attributes() }, ...counted }],
      [`~rev/${edgeType}-${two}`, { child: text(two) }],
      [`~rev/FRIEND-${two}`, { child: text(two) }],
      [`~in/${edgeType}-${two}`, counted],
      [`~total/${edgeType}`, { count: { N: '7' }, 'sum/amount': { N: '7' } }],
      [`~degree/${edgeType}`, { count: { N: '7' } }],
      [`~more/${edgeType}`, { after: text(`~rev/${edgeType}-`) }],
      [`~more/#source/${edgeType}`, { after: text(`${edgeType}-`) }],
      [`~quarantine/${edgeKey}/1`, named],
      ['~quarantine/x/1', { ...named, of: text(`FRIEND-${one}`) }],
      ['~other', { child: text(one) }],
    ]);
    return { target, attributes: { ...common, ...attributes } };
  }
}

/** An item of `other`, to be put elsewhere. */
async function itemOfOther(store: Store, place: number): Promise<Item> {
  const { items } = await store.query({ partition: OTHER[place % OTHER.length]!, consistent: true });
  const text = JSON.stringify(items[place % Math.max(1, items.length)] ?? {});
  // It cannot read them, and may guess their form.
  return JSON.parse(text.replaceAll(MARK, 'guessed')) as Item;
}

async function everything(store: ScanSource): Promise<Item[]> {
  const found: Item[] = [];
  for (let startKey: Item | undefined; ; ) {
    const page = await store.scan({ segment: 0, segments: 1, consistent: true, ...(startKey && { startKey }) });
    found.push(...page.items);
    startKey = page.lastKey;
    if (startKey === undefined) return found;
  }
}

/** Attributes that say when an item was written, and how often: records of others stand between those of `other`. */
const OF_WRITES = ['w', 'r', 'fence', 'expiresAt'];

/** Looks at everything. */
async function look(graph: CompiledModel, { store }: Ground): Promise<Seen> {
  const seen: Seen = { outside: {}, leaks: [] };
  for (const item of await everything(store)) {
    const name = `${textOf(item['source'])} ${textOf(item['target'])}`;
    // A registry has names and times of its table.
    if (/^~edgeloom [^~]/.test(name)) continue;
    if (!/^[A-Z]+-acme\./.test(name)) {
      const content = Object.entries(item).filter(([attribute]) => !OF_WRITES.includes(attribute));
      seen.outside[name] = sorted(Object.fromEntries(content));
    } else if (JSON.stringify(item).includes(MARK)) {
      seen.leaks.push(`${name} holds a secret: ${sorted(item)}`);
    }
  }
  const reader = createReader(graph, { store }) as Reader;
  for (const id of [...OTHER, 'USER-other.9']) {
    for (const [question, answer] of await answersAbout(reader, id))
      seen.outside[`${question} of ${id}`] = sorted(answer);
  }
  const found = await reader.search('USER.inTenant').beginsWith('USER-other ', { limit: 1_000 });
  seen.outside['search'] = sorted(found);
  for (const id of ACME) {
    for (const [question, answer] of await answersAbout(reader, id)) {
      if (JSON.stringify(answer).includes(MARK))
        seen.leaks.push(`${question} of ${id} tells a secret: ${sorted(answer)}`);
    }
  }
  return seen;
}

/** All that is asked about a node. */
async function answersAbout(reader: Reader, id: string): Promise<[string, unknown][]> {
  const isUser = id.startsWith('USER');
  const inbound = isUser ? ['FRIEND', 'PAYS', 'MEMBER', 'SECRET'] : ['PAYS'];
  const asked: [string, () => Promise<unknown>][] = [
    ['get', () => reader.getViews([id], { attributes: 'ALL' })],
    ['get, consistently', () => reader.getViews([id], { consistent: true })],
    ['collection', () => reader.getCollection(id)],
    ['edges', () => reader.edges(id)],
    ...inbound.flatMap((type): [string, () => Promise<unknown>][] => [
      [`inbound ${type}`, () => reader.inbound(id, type)],
      [`inDegree ${type}`, () => reader.inDegree(id, type)],
      [`page ${type}`, () => reader.page(id, type)],
    ]),
    ['total PAYS', () => reader.total(id, 'PAYS', { direction: 'inbound' })],
  ];
  if (isUser) {
    asked.push(
      ['byKind', () => reader.inbound(id, 'FRIEND', { order: 'byKind' })],
      ['owner', () => reader.inbound(id, 'MEMBER', { includeTarget: true })],
      ['degree', () => reader.degree(id, 'FRIEND')],
      ['outgoing', () => reader.total(id, 'PAYS')],
      ['total SECRET', () => reader.total(id, 'SECRET', { direction: 'inbound' })],
      ['levels', () => reader.page(id, 'FRIEND', { with: [{ type: 'FRIEND', with: ['FRIEND'] }, { edge: 'PAYS' }] })],
      ['has', () => Promise.all(OTHER.map((target) => reader.has(id, 'FRIEND', target)))],
    );
  }
  return await Promise.all(
    asked.map(async ([question, ask]): Promise<[string, unknown]> => {
      const answer = await ask().catch((error: Error & { code?: string }) => ({ error: error.code ?? error.message }));
      return [question, answer];
    }),
  );
}

/** A value as a text that does not depend on the order of names and of the members of sets. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (name, inner: unknown) => {
    if (inner instanceof Set) return [...inner].sort();
    if (Array.isArray(inner)) return name === 'SS' ? [...inner].sort() : inner;
    if (inner === null || typeof inner !== 'object') return inner;
    return Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)));
  });
}
