import { isDeepStrictEqual } from 'node:util';
import type { FeedChange, FeedEvent } from '../../../src/client/feed/feed-change.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { toJson } from '../../../src/foundation/exact-json.ts';
import { TableMemory } from '../../../src/trust/observe/memory.ts';
import type { ObserverState } from '../../../src/trust/observe/state.ts';
import { FeedFollower } from '../../support/feed-follower.ts';
import { type Bench, expectSame, holds } from '../bench.ts';
import { FeedReader } from '../feed-reader.ts';
import type { ModelInput, Options } from '../model.ts';
import type { Kind } from '../questions.ts';
import { LONG_MS, runObserver, SHORT_MS } from './observing.ts';
import { type Operation, RAN } from './operation.ts';

/** The operation of those who know the table by what the observer tells of it. */

/** Questions whose answers the changes hold. */
const TOLD: readonly Kind[] = ['view', 'search', 'equal', 'inbound', 'degree', 'total', 'nodes'];

/** The observer with a feed, and one who takes its events in. */
class Fed {
  private saved: ObserverState | undefined;
  private readonly follower = new FeedFollower();

  constructor(private readonly bench: Bench) {}

  /** Runs an observer from the saved state on; returns the events that it tells. */
  async observe(forMs = LONG_MS, checks = false): Promise<FeedEvent[]> {
    const told: FeedEvent[] = [];
    const { store, nowMs } = this.bench.rig;
    const memory = new TableMemory(store, nowMs);
    await runObserver(this.bench, forMs, {
      checks,
      // As they are on the event bus.
      feed: async (events) => void told.push(...events.map((event) => JSON.parse(toJson(event)) as FeedEvent)),
      memory: {
        open: async () => {
          const state = await memory.open();
          return state === 'busy' ? state : this.saved;
        },
        save: async (state) => {
          this.saved = structuredClone(state);
          return await memory.save(state);
        },
        close: () => memory.close(),
      },
    });
    return told;
  }

  /** Takes in the changes since the last time, and returns whether there are none; a crash before the state is saved repeats them. */
  async follow(what: string): Promise<boolean> {
    const before = this.saved;
    const events = await this.observe();
    this.saved = before;
    expectSame(idsOf(await this.observe()), idsOf(events), `the ids of the events of ${what} that come again`);
    expectSame(new Set(idsOf(events)).size, events.length, `the number of ids of the events of ${what}`);
    this.takeAll(events, what);
    return events.length === 0;
  }

  /** Takes in the changes that some events tell of. */
  takeAll(events: readonly FeedEvent[], what: string): void {
    for (const event of events) {
      if (event.kind === 'resync') holds(false, `${what} makes a resync: ${event.reason}`);
      else this.take(event, what);
    }
  }

  private take(change: FeedChange, what: string): void {
    const before = this.stateOf(change);
    this.follower.take(change);
    const isNew = !isDeepStrictEqual(this.stateOf(change), before);
    // An edge that ends at another time has changed, though it is shown as before.
    const mayEndAtAnotherTime = change.kind === 'view' && doesEnd(this.bench.input);
    holds(isNew || mayEndAtAnotherTime, `${what} tells what is known: ${JSON.stringify(change)}`);
  }

  /** The facts of the item that a change names. */
  private stateOf(change: FeedChange): unknown {
    const { follower } = this;
    if (change.kind === 'view') return follower.shown(change.id);
    if (change.kind === 'count') return follower.count(change.type, change.id, change.direction);
    const rows = follower.rows(({ item, list }) => item === change.item && isDeepStrictEqual(list, change.list));
    return structuredClone(rows.map((row) => [row.attributes, row.entered, row.kind === 'search' && row.value]));
  }

  /** The changes alone give the oracle's answers of this moment, and no row besides. */
  async expectAnswers(): Promise<void> {
    const reader = new FeedReader(this.bench, this.follower);
    for (const { text, ask, expected, watch } of await this.bench.questions(TOLD, withoutEnds(this.bench.input))) {
      const { query = {} } = watch ?? {};
      // A row of a list of edges does not say by which value it is there.
      if ('inbound' in query && ('equals' in query || 'path' in query)) continue;
      expectSame(await ask(reader.open()), expected, `${text}, by the changes alone,`);
    }
    await reader.expectNoMore();
  }
}

function idsOf(events: readonly FeedEvent[]): string[] {
  return events.map(({ eventId }) => eventId);
}

/** The column of the feed. */
export const FEEDING_OPERATIONS: readonly Operation[] = [
  {
    name: 'feed',
    covers: ['library:changesOf'],
    run: async (bench) => {
      const fed = new Fed(bench);
      await bench.migrate(bench.model);
      const first = await fed.observe(LONG_MS, true);
      expectSame(
        first.map((event) => event.kind === 'resync' && event.reason),
        ['The feed begins.'],
        'the first event',
      );
      const writes: [string, () => Promise<void>][] = [
        ['the first write', () => bench.putAll()],
        ['a change', () => bench.putAll(1)],
        ['deletes', () => bench.deleteSome()],
        ['another change', () => bench.putAll(2)],
      ];
      for (const [what, write] of writes) {
        await write();
        const early = await fed.observe(SHORT_MS);
        const tooEarly = early.filter((event) => !isOfNative(bench.model, event));
        expectSame(tooEarly, [], `the list of events before ${what} is projected`);
        fed.takeAll(early, what);
        await bench.consume();
        await fed.follow(what);
        await fed.expectAnswers();
      }
      // Records that come again, and a rebuild of what is right. It lets edge types back into views that have room again.
      await bench.project(await bench.rig.records());
      await bench.check('rebuild');
      const isSilent = await fed.follow('what changes nothing');
      holds(isSilent || bench.mayBeEvicted, 'what changes nothing has events');
      await fed.expectAnswers();
      return RAN;
    },
  },
];

/** Tells whether an event is of a list that DynamoDB keeps: such a change shows before anything is projected. */
function isOfNative({ nodes, edges }: CompiledModel, event: FeedEvent): boolean {
  if (event.kind === 'list') return 'inbound' in event.list && edges.get(event.type)?.inbound?.native === true;
  if (event.kind !== 'search') return false;
  return nodes.get(event.type)?.searches.get(event.list.search.slice(event.type.length + 1))?.native === true;
}

function doesEnd({ edges }: ModelInput): boolean {
  return Object.values(edges).some(({ expires }) => expires !== undefined);
}

/** A model in which nothing ends: no record tells of an end, but of the deletion that follows. */
function withoutEnds(input: ModelInput): ModelInput {
  const without = (types: Readonly<Record<string, Options>>): Record<string, Options> =>
    Object.fromEntries(Object.entries(types).map(([type, { expires: _, ...options }]) => [type, options]));
  return { ...input, nodes: without(input.nodes), edges: without(input.edges) };
}
