import type { Item } from '../../../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../../../src/core/items/change-record.ts';
import { textOf } from '../../kernel/values.ts';
import { echoDelay } from './climate.ts';
import { type Answer, Invocation } from './invocation.ts';
import { targetOf } from './keys.ts';
import { Lane } from './lane.ts';
import { hasCopies } from './models.ts';
import type { Shard, ShardRecord, StreamReader } from './streams.ts';
import { HOUR, LONGEST_TIMEOUT, RETENTION } from './time.ts';
import type { World } from './world.ts';

/** Records that come again after a repair. */
const MOST_ECHOES = 5;

/** How the event source mapping is set up. */
export interface MappingSettings {
  batchSize: number;
  /** ParallelizationFactor: so many batches of a shard at once, an item's records always in the same row. */
  lanes: number;
  /** A failed batch is halved. */
  bisects: boolean;
  /** Failed tries after which a batch is given up and sent to the on-failure destination; 0: never. */
  maximumRetries: number;
  /** Hours after which a record is given up; 0: never. */
  maximumAgeHours: number;
}

/**
 * Lambda's event source mapping: reads every shard, parents before children, hands batches to the projector and keeps
 * how far each came. It also stands for what goes wrong around it: batches that come again, readers that start over.
 */
export class EventSourceMapping implements StreamReader {
  readonly settings: MappingSettings;
  private readonly lanes = new Map<Shard, Lane[]>();
  private readonly laneOfItem = new Map<string, number>();
  private readonly children = new Map<Shard, Shard[]>();
  /** Partitions with records that were given up for good. */
  readonly givenUp = new Set<string>();
  /** Those of them that no repair has gone over since. */
  readonly unmended = new Set<string>();
  /** Records of the on-failure destination that an operator has yet to deliver again. */
  private readonly setAside = new Set<ShardRecord>();
  private readonly redelivered: Lane[] = [];
  private redeliveries = 0;

  constructor(private readonly world: World) {
    const { choices } = world;
    this.settings = {
      batchSize: [10_000, 1, 2, 3, 5][choices.pick('mapping.batchSize', 5)]!,
      lanes: [1, 2, 3, 10][choices.pick('mapping.lanes', 4)]!,
      bisects: choices.chance('mapping.bisects', 0.5),
      maximumRetries: choices.drawn('mapping.retries', (random) => (random.chance(0.8) ? 0 : 1 + random.below(3))),
      maximumAgeHours: choices.chance('mapping.age', 0.1) ? 1 : 0,
    };
  }

  opened(shard: Shard): void {
    const lanes = Array.from(
      { length: this.settings.lanes },
      (_, i) =>
        new Lane(this.world, this.settings, `${shard.id}.${i}`, { onRead: () => this.readOn(shard), givesUp: true }),
    );
    this.lanes.set(shard, lanes);
    if (shard.parent === undefined) return;
    this.children.set(shard.parent, [...(this.children.get(shard.parent) ?? []), shard]);
    for (const lane of lanes) lane.isBlocked = true;
    if (this.isRead(shard.parent)) this.unblock(shard);
  }

  closed(shard: Shard): void {
    this.readOn(shard);
  }

  arrived(shard: Shard, record: ShardRecord): void {
    const { source, target } = record.change;
    const key = `${source} ${target}`;
    let number = this.laneOfItem.get(key);
    if (number === undefined) {
      number = this.world.choices.pick(`lane of ${key}`, this.settings.lanes);
      this.laneOfItem.set(key, number);
    }
    this.world.claims.arrived(shard, record);
    this.lanes.get(shard)![number]!.add(record);
  }

  /** Every record made before this moment is applied, but for those that were given up for good. */
  appliedUpToMs(): number {
    const lanes = [...[...this.lanes.values()].flat(), ...this.redelivered];
    const waiting = lanes.map(({ waitingSinceMs }) => waitingSinceMs).filter((atMs) => atMs !== undefined);
    return Math.min(this.world.agenda.now, ...waiting, ...[...this.setAside].map(({ atMs }) => atMs));
  }

  /** What was delivered once comes again some time later, whatever has been delivered since. */
  repeat(name: string, records: readonly ShardRecord[]): void {
    const { choices, agenda, climate } = this.world;
    const room = RETENTION - (agenda.now - records[0]!.atMs);
    const delay = choices.drawn(`${name}.after`, (random) =>
      random.chance(0.85) ? echoDelay(climate, random) : random.below(Math.max(1, room)),
    );
    const start = choices.pick(`${name}.from`, records.length);
    const left = choices.pick(`${name}.without`, records.length - start);
    agenda.in(Math.min(delay, Math.max(0, room)), () => {
      this.world.count('duplicate batches');
      new Invocation(this.world, name, records.slice(start, records.length - left), true, ignore).start();
      return true;
    });
  }

  /**
   * Records of a table at rest come again, each alone and in any order, as from an old batch that is delivered once more. Where
   * some were given up and numbers do not rise, what they would do is not known.
   */
  echo(name: string): void {
    const { choices, agenda, streams } = this.world;
    if (streams.isUnordered && this.givenUp.size > 0) return;
    const lanes = [...[...this.lanes.values()].flat(), ...this.redelivered];
    const records = lanes.flatMap(({ delivered }) => delivered).filter(({ atMs }) => agenda.now - atMs < RETENTION);
    if (records.length === 0) return;
    const count = choices.pick(`${name}.count`, MOST_ECHOES + 1);
    for (let i = 0; i < count; i++) {
      const record = records[choices.pick(`${name}.${i}.record`, records.length)]!;
      agenda.in(1 + i * LONGEST_TIMEOUT, () => {
        this.world.count('echoes after a repair');
        new Invocation(this.world, `${name}.${i}`, [record], true, ignore).start();
        return true;
      });
    }
  }

  /**
   * Records were sent to the on-failure destination. Where sequence numbers rise across shards, an operator delivers
   * them again, out of their order. Where they do not, only a repair from the base items mends their partitions, since
   * an older record may have the higher number: they are left out of the comparison.
   */
  giveUp(records: readonly ShardRecord[]): void {
    const { world } = this;
    world.count('batches given up');
    world.tell(() => `given up: ${records.map(({ change }) => change.sequenceNumber).join(' ')}`);
    if (world.streams.isUnordered) {
      for (const { change } of records) {
        for (const source of concerned(world, change)) {
          this.givenUp.add(source);
          this.unmended.add(source);
        }
      }
      return;
    }
    const name = `redelivery${this.redeliveries++}`;
    const lane = new Lane(world, this.settings, name, { onRead: () => undefined, givesUp: false });
    const delay = world.choices.drawn(`${name}.after`, (random) => random.below(2 * HOUR));
    this.redelivered.push(lane);
    for (const record of records) this.setAside.add(record);
    world.agenda.in(delay, () => {
      for (const record of records) {
        this.setAside.delete(record);
        lane.add(record);
      }
      return false;
    });
  }

  /** A lane has come to the end of what there is. */
  private readOn(shard: Shard): void {
    if (!this.isRead(shard)) return;
    for (const child of this.children.get(shard) ?? []) this.unblock(child);
  }

  private unblock(shard: Shard): void {
    for (const lane of this.lanes.get(shard)!) lane.unblock();
  }

  private isRead(shard: Shard): boolean {
    return shard.isClosed && !this.lanes.get(shard)!.some((lane) => lane.isBlocked || !lane.isRead);
  }
}

/** The partitions in which something is derived from a record: with copies or sums, also those of an edge's target, and of children. */
function concerned({ options, table }: World, change: ChangeRecord): string[] {
  const { source, target } = change;
  // The entries of what enters a node, and their total, are in its partition.
  if (/^WORK-/.test(target))
    return /^(none|outgoing)$/.test(options.totals) ? [source] : [source, ...targetsOf(change)];
  if (!hasCopies(options)) return [source];
  if (source === target) {
    // Also of edges that are no more: what is left of them may be wrong.
    return [source, ...[...table.items()].map((item) => sourceOf(item)).filter((name) => name.startsWith('GOAL-'))];
  }
  return /^(MEMBER|PEER)-/.test(target) ? [source, targetOf(target)] : [source];
}

/** The nodes that an edge enters by its images: hashed keys do not name them. */
function targetsOf({ target, oldImage, newImage }: ChangeRecord): string[] {
  const named = [oldImage, newImage].map((image) => textOf(image?.['targetId'])).filter((id) => id !== '');
  return [...named, targetOf(target)];
}

function sourceOf({ source }: Item): string {
  return source !== undefined && 'S' in source ? source.S : '';
}

function ignore(_answer: Answer): void {}
