import { changesOf, type FeedModel } from '../../../../src/client/feed/changes-of.ts';
import type { FeedEvent } from '../../../../src/client/feed/feed-change.ts';
import { Feeder, type FeederState } from '../../../../src/client/feed/feeder.ts';
import { exactNumber } from '../../../../src/core/items/plain.ts';
import { projectionsOfModel } from '../../../../src/registry/projections-in-force.ts';
import type { World } from '../projecting/world.ts';
import type { ObservedStreams } from './stream.ts';

/** The feed of the observer, and what one who takes it has to be told. */
export class Fed {
  private readonly told: { event: FeedEvent; atMs: number }[] = [];
  private readonly model: FeedModel;

  constructor(
    private readonly world: World,
    private readonly streams: ObservedStreams,
  ) {
    const { graph } = world;
    this.model = { graph, projections: projectionsOfModel(graph), readNumber: exactNumber };
  }

  /** The feeder of one process. */
  feeder(from: FeederState | undefined): Feeder {
    const now = (): number => this.world.agenda.now;
    return new Feeder(
      {
        ...{ model: async () => this.model, now },
        take: async (events) => void this.told.push(...events.map((event) => ({ event, atMs: now() }))),
      },
      from,
    );
  }

  /** No change is lost that no later resync tells of; the first coming of each is in the order of its item, as far as no resync lies between; no two have one id. */
  judge(): void {
    const { world, told } = this;
    const isWholeResync = ({ event }: { event: FeedEvent }): boolean => event.kind === 'resync' && !event.of;
    const resyncMs = Math.max(...told.map((one) => (isWholeResync(one) ? one.atMs : 0)));
    const resyncs = told.flatMap((one, place) => (isWholeResync(one) ? [place] : []));
    const ids = new Map<string, number>();
    const places = new Map<string, number>();
    for (const [place, { event }] of told.entries()) {
      if (event.kind !== 'resync' && !places.has(event.eventId)) places.set(event.eventId, place);
    }
    const lastOf = new Map<string, number>();
    for (const { record, madeMs: atMs } of this.streams.everyRecord()) {
      for (const change of changesOf(this.model, record)) {
        const { eventId, item } = change;
        world.count('changes for the feed');
        ids.set(eventId, (ids.get(eventId) ?? 0) + 1);
        const place = places.get(eventId);
        if (place === undefined) {
          world.count('changes that only a resync tells of');
          if (resyncMs < atMs) world.fail('lost-change', `${item} (${eventId}) is not told, and no resync after it`);
          continue;
        }
        const last = lastOf.get(item) ?? -1;
        // What was told before a resync is void.
        if (place < last && !resyncs.some((resync) => place < resync && resync < last))
          world.fail('disorder', `${item} (${eventId}) is told before an older change`);
        lastOf.set(item, Math.max(place, last));
      }
    }
    for (const [eventId, count] of ids) if (count > 1) world.fail('same-id', `${count} changes have the id ${eventId}`);
    world.count('events of the feed', told.length);
  }
}
