import { isDeepStrictEqual } from 'node:util';
import { createReader, type Reader } from '../../../../src/client/read/reader.ts';
import { Session } from '../../../../src/client/session/session.ts';
import { createWriter, type Writer } from '../../../../src/client/write/writer.ts';
import type { CompiledModel } from '../../../../src/core/model/compiled.ts';
import { withoutRegistry } from '../../../../src/registry/reader-lease.ts';
import { FaultyStore } from '../projecting/faulty-store.ts';
import { isJoined, type ModelOptions } from '../projecting/models.ts';
import { SimulatedProcess } from '../projecting/process.ts';
import { SECOND } from '../projecting/time.ts';
import type { World } from '../projecting/world.ts';
import type { Observation } from './observation.ts';
import type { ProductLowWatermark } from './product-low-watermark.ts';

/** Own writes that a client makes at most, and the reads after the last of them until it stops to wait for its session. */
const [MOST_WRITES, MOST_READS] = [6, 40] as const;
/** How far the clock of a client's machine may be off, to either side, in milliseconds. */
const MOST_SKEW_MS = SECOND;
const PAUSES = [SECOND, 3 * SECOND, 20 * SECOND, 90 * SECOND] as const;
const NAMES = ['ann', 'bob'] as const;
const ROLES = ['LEAD', 'TEAM'] as const;
const DATES = ['2020-01-01', '2020-02-02'] as const;

/** The own items of a client, as its last writes left them. */
interface Own {
  goal?: { title: string; name: string };
  user?: { name: string };
  member?: { role: string; date: string };
  link?: { since: string };
  work?: { hours: number; kind: string };
}

/**
 * A client of an application with a session: it writes items that nobody else writes, and each answer has to show them as they are. Its
 * session goes from request to request as a token, and its keys leave it by the low watermark.
 */
export class SessionClient extends SimulatedProcess {
  readonly failureKind = 'retryable';
  override readonly isApplication = true;
  private own: Own = {};
  private token = '';
  private readonly goal: string;
  private readonly user: string;
  private readonly reader: Reader<CompiledModel>;
  private readonly writer: Writer<CompiledModel>;
  private readonly lowWatermark: () => Promise<number | undefined>;
  private readonly skew: number;

  constructor(
    world: World,
    name: string,
    number: number,
    private readonly observation: Observation,
    mark: ProductLowWatermark,
  ) {
    super(world, name);
    const { graph, choices } = world;
    this.goal = `GOAL-9${number}`;
    this.user = `USER-9${number}`;
    this.skew = choices.chance(`${name}.skewed`, 0.3)
      ? choices.pick(`${name}.skew`, 2 * MOST_SKEW_MS + 1) - MOST_SKEW_MS
      : 0;
    const store = new FaultyStore(this);
    this.reader = createReader(graph, { store, leases: withoutRegistry(graph) });
    this.writer = createWriter(graph, { store });
    this.lowWatermark = mark.ofReader(name, store);
  }

  /** Enters the client's first request. */
  plan(): void {
    const { world, name } = this;
    const delay = world.choices.drawn(`${name}.at`, (random) => random.below(random.oneOf([1_000, 60_000, 1_800_000])));
    world.agenda.in(1 + delay, () => {
      this.live().catch((error: unknown) => {
        world.fail('threw', error instanceof Error ? (error.stack ?? error.message) : String(error));
      });
      return true;
    });
  }

  override die(how: string): void {
    throw new Error(`${this.name} ${how}: nothing kills a client.`);
  }

  private async live(): Promise<void> {
    const { world, name } = this;
    const { choices } = world;
    const writes = 1 + choices.pick(`${name}.writes`, MOST_WRITES);
    for (let i = 0; i < writes; i++) {
      await this.write(`${name}.write${i}`);
      const reads = choices.pick(`${name}.write${i}.reads`, 4);
      for (let j = 0; j < reads; j++) await this.read(`${name}.write${i}.read${j}`);
    }
    for (let j = 0; j < MOST_READS && (j < 2 || this.session().keys().length > 0); j++) {
      await this.read(`${name}.read${j}`);
    }
    world.count(this.session().keys().length === 0 ? 'sessions that end empty' : 'sessions that keep keys');
    for (let j = 0; j < 2; j++) await this.read(`${name}.last${j}`);
  }

  private session(): Session {
    const { world, lowWatermark, skew } = this;
    return Session.from(this.token, { lowWatermark, now: () => world.agenda.now + skew });
  }

  private async write(name: string): Promise<void> {
    const { world, goal, user, own } = this;
    const { choices, options } = world;
    const session = this.session();
    const writer = this.writer.with(session) as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
    const pick = <T>(what: string, values: readonly T[]): T => values[choices.pick(`${name}.${what}`, values.length)]!;
    const kinds = [
      ...(['member', 'goal', 'link', 'user'] as const),
      ...(options.totals === 'none' ? [] : (['work'] as const)),
    ];
    const kind = pick('kind', kinds);
    const isDeleted = choices.chance(`${name}.delete`, 0.3);
    const put = {
      goal: () => ({ title: pick('title', ['one', 'two']), name: pick('name', NAMES) }),
      user: () => ({ name: pick('name', NAMES) }),
      member: () => ({ role: pick('role', ROLES), date: pick('date', DATES) }),
      link: () => ({ since: pick('since', ['now', 'then']) }),
      work: () => ({ hours: pick('hours', [1, 0.5]), kind: pick('workKind', ['code', 'talk']) }),
    };
    const edges = { member: ['MEMBER', user], link: ['LINK', 'USER-1'], work: ['WORK', 'USER-1'] };
    const attributes = isDeleted ? undefined : put[kind]();
    world.count('own writes');
    world.tell(() => `${this.name} writes its ${kind}: ${JSON.stringify(attributes) ?? 'deleted'}`);
    if (kind === 'goal' || kind === 'user') {
      const id = kind === 'goal' ? goal : user;
      await (attributes === undefined ? writer['deleteNode']!(id) : writer['putNode']!(id, attributes));
    } else {
      const [type, target] = edges[kind];
      await (attributes === undefined
        ? writer['deleteEdge']!(goal, type, target)
        : writer['putEdge']!(goal, type, target, attributes));
    }
    this.own = { ...own, [kind]: attributes };
    this.token = session.token();
  }

  /** One request that reads, some time after the one before. */
  private async read(name: string): Promise<void> {
    const { world } = this;
    await this.wait(world.choices.drawn(name, (random) => random.below(random.oneOf(PAUSES))));
    const session = this.session();
    const reader = this.reader.with(session) as unknown as AnyReader;
    const asked = this.questions().filter((_, i) => world.choices.pick(`${name}.ask${i}`, 3) < 2);
    for (const { what, ask, want } of asked) {
      const [answer, expected] = [await ask(reader), want()];
      world.count('answers with own writes');
      if (session.keys().length === 0) world.count('answers without remembered keys');
      if (isDeepStrictEqual(answer, expected) || this.isBroken()) continue;
      const texts = [answer, expected].map((one) => JSON.stringify(one) ?? 'nothing');
      const keys = session.keys().map(({ target }) => target);
      world.fail(
        'own-write-hidden',
        `${this.name}: ${what} is ${texts[0]} instead of ${texts[1]}; its session knows ${keys.join(', ') || 'no keys'}`,
      );
    }
    this.token = session.token();
  }

  /** Whether somebody has broken what the answers are made of. */
  private isBroken(): boolean {
    const { broken, isBrokenAnywhere } = this.observation;
    return isBrokenAnywhere || broken.has(this.goal) || broken.has(this.user);
  }

  /** What a client asks, and what the answer has to be by its own writes. */
  private questions(): Question[] {
    const { goal, user, own, world } = this;
    const { options } = world;
    const ofView = async (reader: AnyReader): Promise<ViewOfGoal> =>
      (await reader.getView(goal)) ?? { attributes: null, edgeSet: [] };
    const edgesOf = async (reader: AnyReader, type: string): Promise<object[]> =>
      (await ofView(reader)).edgeSet.filter((edge) => edge.type === type).map(({ target, copy }) => ({ target, copy }));
    const questions: Question[] = [
      {
        what: 'the title in the view',
        ask: async (reader) => {
          const { attributes } = await ofView(reader);
          return attributes && (options.view === 'KEYS_ONLY' ? true : attributes['title']);
        },
        want: () => (own.goal === undefined ? null : options.view === 'KEYS_ONLY' || own.goal.title),
      },
    ];
    if (options.budget === 'ample') {
      const copy = options.copies === 'name' && own.user !== undefined ? { name: own.user.name } : undefined;
      questions.push({
        what: 'the edge to its user in the view',
        ask: (reader) => edgesOf(reader, 'MEMBER'),
        want: () => (own.member === undefined ? [] : [{ target: user, copy }]),
      });
    }
    questions.push(...this.questionsOfLists(options));
    return questions;
  }

  private questionsOfLists(options: ModelOptions): Question[] {
    const { goal, user, own } = this;
    const inbound =
      (target: string, type: string, order: string): Question['ask'] =>
      async (reader) => {
        const { items } = await reader.inbound(target, type, { order });
        return items.filter(({ source }) => source === goal).map(({ attributes }) => attributes['role'] ?? true);
      };
    const questions: Question[] = [];
    const hasRole = options.inbound === 'rank-date' || isJoined(options, 'MEMBER');
    const listed = (edge: object | undefined, value: unknown): unknown[] => (edge === undefined ? [] : [value]);
    const member = (): unknown[] => listed(own.member, hasRole ? own.member?.role : true);
    if (options.inbound !== 'none')
      questions.push({ what: 'the list by rank', ask: inbound(user, 'MEMBER', 'gsi0'), want: member });
    if (options.named === 'date')
      questions.push({ what: 'the list by date', ask: inbound(user, 'MEMBER', 'byDate'), want: member });
    if (options.link === 'unlisted' && !isJoined(options, 'LINK'))
      questions.push({
        what: 'the list of links',
        ask: inbound('USER-1', 'LINK', 'gsi0'),
        want: () => listed(own.link, true),
      });
    if (options.search.includes('name'))
      for (const name of NAMES)
        questions.push({
          what: `the search for ${name}`,
          ask: async (reader) => {
            const { items } = await reader.search('GOAL.name').equals(name);
            return items.filter(({ id }) => id === goal).map(() => true);
          },
          want: () => (own.goal?.name === name ? [true] : []),
        });
    if (options.totals === 'outgoing' || options.totals === 'both')
      questions.push({
        what: 'its total',
        ask: async (reader) => {
          const { count, hours } = await reader.total(goal, 'WORK');
          return { count, hours };
        },
        want: () => ({ count: own.work === undefined ? 0 : 1, hours: String(own.work?.hours ?? 0) }),
      });
    return questions;
  }
}

/** A question to a reader, with the answer that own writes ask for. */
interface Question {
  what: string;
  ask: (reader: AnyReader) => Promise<unknown>;
  want: () => unknown;
}

interface ViewOfGoal {
  attributes: Record<string, unknown> | null;
  edgeSet: { type: string; target: string; copy?: object }[];
}

/** A reader of models that are drawn: the types say nothing of them. */
interface AnyReader {
  getView(id: string): Promise<ViewOfGoal | null>;
  inbound(
    target: string,
    type: string,
    query: object,
  ): Promise<{ items: { source: string; attributes: Record<string, unknown> }[] }>;
  search(name: string): { equals(value: string): Promise<{ items: { id: string }[] }> };
  total(id: string, type: string): Promise<{ count: number; hours: string }>;
}
