import { createReader, type Reader } from '../../../../src/client/read/reader.ts';
import { createSession, Session, type SessionOptions } from '../../../../src/client/session/session.ts';
import { createWriter, type Writer } from '../../../../src/client/write/writer.ts';
import type { Item } from '../../../../src/core/items/attribute-value.ts';
import { compareKeys } from '../../../../src/core/items/encoding.ts';
import { defineGraph } from '../../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../../src/core/model/compiled.ts';
import { edge, node } from '../../../../src/core/model/schema.ts';
import { derivedOf } from '../../../../src/core/plan/derive.ts';
import type { ItemKey } from '../../../../src/core/store-port.ts';
import { withReplacedCalls } from '../../../../src/store/wrapped.ts';
import { MemoryStore } from '../../../support/memory-store/memory-store.ts';
import { packOfTexts } from '../../kernel/pack.ts';
import { Random } from '../../kernel/random.ts';

/**
 * One schedule of walks over pages by a reader with a session, in a world where the projector lags behind the base items and
 * an index behind the table, both item by item. Others write other items all the time. Each item that the session wrote
 * has to come exactly once if it is expected and never otherwise, in strict order, with no short page before the end, unless its
 * read units are spent. Some walks are filtered by an attribute, and half of them go by `pages`, which keeps what it reads ahead.
 */

const GRACE_MS = 10_000;
/** A session that knows no low watermark looks at no key that is younger. */
const LEAST_AGE_MS = 60_000;

const graph = defineGraph({
  table: 'records',
  nodes: {
    GOAL: node({
      view: 'ALL',
      search: { rank: { type: 'number', shards: 3, project: 'ALL' }, tag: { shards: 'value' } },
    }),
    USER: node({ view: 'ALL' }),
  },
  edges: {
    AIMS: edge({
      from: 'GOAL',
      to: 'USER',
      edgeSet: false,
      inbound: { orders: { gsi0: 'since', gsi1: 'role' }, shards: 2, project: 'ALL' },
    }),
  },
}) as CompiledModel;

/** Something that happens later, at the latest at a time. */
interface Pending {
  key: string;
  dueMs: number;
  happen: () => Promise<void>;
}

/** The pack of walks over pages with a session. */
export const PACK = packOfTexts((seed) => new WalkSchedule(seed).run());

class WalkSchedule {
  private readonly random: Random;
  private readonly failures: string[] = [];
  private readonly table: MemoryStore;
  private readonly index = new MemoryStore(graph.table);
  private now = 1_800_000_000_000;
  /** Records that are not projected, and index items that the index does not have yet: in order for each item. */
  private readonly records: (Pending & { atMs: number })[] = [];
  private readonly copies: Pending[] = [];
  private readonly own = new Set<string>();
  private session: Session;
  private readonly options: SessionOptions;
  private readonly writer: Writer<CompiledModel>;

  /** What decides on filters, and on walks by cursor or by `pages`: drawn apart, so that the other walks stay as they are. */
  private readonly filters: Random | undefined;
  private readonly ways: Random;

  constructor(seed: number) {
    this.random = new Random(seed);
    this.filters = seed % 4 === 1 ? new Random(seed) : undefined;
    this.ways = new Random(seed + 1_000_000);
    this.table = new MemoryStore(graph.table, {
      onChange: ({ key, newImage }) => {
        if (key.target.startsWith('~')) this.copyLater(key, newImage);
        else this.projectLater(key, newImage);
      },
    });
    const knowsMark = this.random.chance(0.5);
    this.options = {
      now: () => this.now,
      indexGraceMs: GRACE_MS,
      ...(knowsMark && { lowWatermark: async () => Math.min(this.now, ...this.records.map(({ atMs }) => atMs)) }),
    };
    this.session = createSession(this.options);
    this.writer = createWriter(graph, { store: this.table });
  }

  async run(): Promise<string[]> {
    for (let i = 0; i < 8; i++) await this.writeOther();
    const rounds = 1 + this.random.below(3);
    for (let round = 0; round < rounds; round++) {
      const writes = this.random.below(5);
      for (let i = 0; i < writes; i++) {
        await this.writeOwn();
        await this.happen();
      }
      await this.pass(this.random.oneOf([0, 1_000, 20_000, 70_000, 200_000]));
      this.session = Session.from(this.session.token(), this.options);
      await this.walk();
    }
    return this.failures;
  }

  private async writeOwn(): Promise<void> {
    const goal = `GOAL-own${this.random.below(4)}`;
    this.own.add(goal);
    await this.write(this.writer.with(this.session), goal);
  }

  private async writeOther(): Promise<void> {
    await this.write(this.writer, `GOAL-${this.random.below(8)}`);
  }

  private async write(writer: Writer<CompiledModel>, goal: string): Promise<void> {
    const value = String(this.random.below(9));
    const attributes = {
      since: value,
      role: value,
      rank: Number(value),
      note: String(this.random.below(1000)),
      flag: value,
    };
    if (this.random.chance(0.5)) {
      if (this.random.chance(0.3)) await writer.deleteNode(goal);
      else await writer.putNode(goal, this.random.chance(0.2) ? { note: 'none' } : attributes);
    } else if (this.random.chance(0.3)) await writer.deleteEdge(goal, 'AIMS', 'USER-1');
    else await writer.putEdge(goal, 'AIMS', 'USER-1', this.random.chance(0.2) ? { note: 'none' } : attributes);
  }

  /** Walks one list from its first page to its last, while the world goes on. */
  private async walk(): Promise<void> {
    const reader = createReader(graph, { store: this.lagging() }).with(this.session) as Reader<CompiledModel>;
    const limit = 1 + this.random.below(4);
    const reverse = this.random.chance(0.5);
    const kind = this.random.oneOf(['gsi0', 'gsi1', 'rank'] as const);
    const from = this.random.chance(0.5) ? String(this.random.below(5)) : undefined;
    const flag = this.filters?.chance(0.6) === true ? String(this.filters.below(9)) : undefined;
    const maxRcu = this.filters?.chance(0.5) === true ? this.filters.oneOf([1.5, 2, 4]) : undefined;
    const found: { source: string; key: string; note: unknown }[] = [];
    const read = async (cursor: string | undefined) => {
      const page = { limit, cursor, reverse, maxRcu, ...(flag !== undefined && { where: { flag } }) };
      return kind === 'rank'
        ? await reader.search('GOAL.rank').between(from, undefined, page)
        : await reader.inbound('USER-1', 'AIMS', { ...page, order: kind, between: [from, undefined] });
    };
    for await (const rows of this.ways.chance(0.5) ? reader.pages(read) : pagesByCursor(read)) {
      for (const row of rows.items) {
        const source = 'id' in row ? row.id : row.source;
        const value = String(row.attributes[kind === 'rank' ? 'rank' : kind === 'gsi0' ? 'since' : 'role']);
        found.push({ source, key: `${value}\u0000${source}`, note: row.attributes['note'] });
      }
      const isShort = rows.cursor !== undefined && rows.items.length < limit && maxRcu === undefined;
      if (isShort) this.fail('a page before the last is short');
      if (found.length > 200) throw new Error('The walk does not end.');
      await this.happen();
    }
    const order = reverse ? -1 : 1;
    for (const [i, { key }] of found.entries()) {
      if (i > 0 && compareKeys(found[i - 1]!.key, key) * order >= 0) this.fail(`${key} comes out of order`);
    }
    for (const source of this.own) await this.checkOwn(source, kind, { from, flag }, found);
  }

  private async checkOwn(
    source: string,
    kind: 'gsi0' | 'gsi1' | 'rank',
    { from, flag }: { from: string | undefined; flag: string | undefined },
    found: readonly { source: string; note: unknown }[],
  ): Promise<void> {
    const target = kind === 'rank' ? source : 'AIMS-USER-1';
    const { item } = await this.table.get({ source, target }, { consistent: true });
    const attribute = item?.[kind === 'rank' ? 'rank' : kind === 'gsi0' ? 'since' : 'role'];
    const value = attribute === undefined ? undefined : Object.values(attribute)[0];
    const hasFlag = flag === undefined || (item?.['flag'] as { S: string } | undefined)?.S === flag;
    const isWanted = value !== undefined && (from === undefined || String(value) >= from) && hasFlag;
    const rows = found.filter((row) => row.source === source);
    if (rows.length !== (isWanted ? 1 : 0)) {
      this.fail(`${source} in ${kind} comes ${rows.length} times, expected: ${isWanted}`);
    } else if (isWanted && rows[0]!.note !== (item!['note'] as { S: string }).S) {
      this.fail(`${source} in ${kind} comes with old attributes`);
    }
  }

  /** The table whose indexes lag; other reads are as consistent as they are asked to be. */
  private lagging() {
    return withReplacedCalls(this.table, {
      query: (request) => (request.index === undefined ? this.table.query(request) : this.index.query(request)),
    });
  }

  /** Some of what is pending happens, others write, and time goes on a little. */
  private async happen(): Promise<void> {
    for (let i = this.random.below(4); i > 0; i--) {
      if (this.random.chance(0.3)) await this.writeOther();
      await this.next(this.records);
      await this.next(this.copies);
    }
    await this.pass(this.random.below(3_000));
  }

  /** Time goes on; what may not take longer happens. */
  private async pass(milliseconds: number): Promise<void> {
    const end = this.now + milliseconds;
    if (milliseconds > 60_000 && this.random.chance(0.7)) while (this.records.length > 0) await this.next(this.records);
    for (;;) {
      const due = this.copies.filter(({ dueMs }) => dueMs <= end).sort((a, b) => a.dueMs - b.dueMs)[0];
      if (due === undefined) break;
      this.now = Math.max(this.now, due.dueMs - 1);
      await this.take(this.copies, this.copies.find(({ key }) => key === due.key)!);
    }
    this.now = end;
    if (this.options.lowWatermark === undefined) await this.settleRecurring();
  }

  /**
   * Projects the items with several records that are as old as a session's look. A session that knows no low watermark may take what was projected
   * before such records for its own write (docs/how-to/sessions.md).
   */
  private async settleRecurring(): Promise<void> {
    for (const key of new Set(this.records.map((one) => one.key))) {
      const ofItem = this.records.filter((one) => one.key === key);
      if (ofItem.length > 1 && this.now - ofItem.at(-1)!.atMs >= LEAST_AGE_MS)
        for (const one of ofItem) await this.take(this.records, one);
    }
  }

  /** One of what is pending happens; of one item always the oldest. */
  private async next<T extends Pending>(pending: T[]): Promise<void> {
    if (pending.length === 0) return;
    const { key } = pending[this.random.below(pending.length)]!;
    await this.take(pending, pending.find((one) => one.key === key)!);
  }

  private async take<T extends Pending>(pending: T[], one: T): Promise<void> {
    pending.splice(pending.indexOf(one), 1);
    await one.happen();
  }

  private projectLater(key: ItemKey, image: Item | undefined): void {
    const happen = async (): Promise<void> => this.project(key, image);
    this.records.push({ key: text(key), dueMs: 0, atMs: this.now, happen });
  }

  private async project({ source, target }: ItemKey, image: Item | undefined): Promise<void> {
    const expected = new Map(derivedOf(graph, source, target, image).indexItems);
    const { attributes } = derivedOf(graph, source, target, image);
    const names = source === target ? ['~view', '~ix/rank', '~ix/tag'] : [`~ix/${target}`];
    for (const name of names) {
      const fields = name === '~view' ? attributes && { attributes: { M: attributes } } : expected.get(name);
      const { item: stored } = await this.table.get({ source, target: name }, { consistent: true });
      const revision = Number((stored?.['r'] as { N: string } | undefined)?.N ?? 0) + 1;
      await this.table.put({
        source: { S: source },
        target: { S: name },
        ...fields,
        r: { N: String(revision) },
      });
    }
  }

  private copyLater(key: ItemKey, image: Item | undefined): void {
    const happen = async (): Promise<void> => {
      if (image === undefined) await this.index.delete(key);
      else await this.index.put(image);
    };
    this.copies.push({ key: text(key), dueMs: this.now + GRACE_MS - 1, happen });
  }

  private fail(message: string): void {
    this.failures.push(message);
  }
}

/** The pages of a list as a client reads them that has nothing but the cursor. */
async function* pagesByCursor<P extends { cursor?: string }>(read: (cursor: string | undefined) => Promise<P>) {
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    yield page;
    cursor = page.cursor;
  } while (cursor !== undefined);
}

function text({ source, target }: ItemKey): string {
  return JSON.stringify([source, target]);
}
