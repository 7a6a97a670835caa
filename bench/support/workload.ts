import type { RawRecord } from '../../src/stream/decode.ts';
import { sizeOf } from './extent.ts';
import { type EdgeState, edgeImage, type GoalState, goalImage, type Item } from './images.ts';
import { ROLE_NAMES } from './models.ts';
import { type Random, seededRandom, zipf } from './random.ts';
import { byKey, itemKey } from './table.ts';

export interface Workload {
  /** Base items from before the batch. */
  before: Item[];
  /** In stream order, in the form in which Lambda delivers them. */
  records: RawRecord[];
  /** Oracle for edges: each goal's memberships after the batch, by user. */
  edges: ReadonlyMap<string, ReadonlyMap<string, EdgeState>>;
  /** Goals after the batch. Empty if the batch changes no nodes. */
  goals: ReadonlyMap<string, GoalState>;
}

const SEED = 20_200_701;
/** The short form has a tenth of the size. */
const TENTHS = sizeOf({ whole: 10, short: 1 });
const SOURCES = 200 * TENTHS;
const USERS = 2_000 * TENTHS;
const EDGES_BEFORE = 2_200 * TENTHS;
const [INSERTS, ROLE_CHANGES, REMOVES] = [5_072, 2_951, 1_977].map((count) => Math.round((count * TENTHS) / 10)) as [
  number,
  number,
  number,
];
export const STREAM_ARN = 'arn:aws:dynamodb:us-east-1:123456789012:table/bench/stream/2026-01-01T00:00:00.000';

type Action = 'insert' | 'change' | 'remove' | 'node';

/**
 * Returns 10,000 changes of the edges of 2,000 sources, distributed by Zipf's law (5,072 inserts, 2,951 role changes,
 * 1,977 removes), with edge sets of up to about 3,000 elements. Adds `nodeChanges` changes of nodes. If there are none, the
 * batch has no nodes.
 */
export function recordedBatch({ nodeChanges = 0 } = {}): Workload {
  const random = seededRandom(SEED);
  const state = new GraphState(random, nodeChanges > 0);
  const before = state.fill();
  const records: RawRecord[] = [];
  const deck: Action[] = [
    ...Array<Action>(INSERTS).fill('insert'),
    ...Array<Action>(ROLE_CHANGES).fill('change'),
    ...Array<Action>(REMOVES).fill('remove'),
    ...Array<Action>(nodeChanges).fill('node'),
  ];
  shuffle(random, deck);
  for (const action of deck) records.push(streamRecord(state.act(action), records.length));
  return { before, records, edges: state.edges, goals: state.goals };
}

interface Change {
  oldImage?: Item;
  newImage?: Item;
}

class GraphState {
  readonly goals = new Map<string, GoalState>();
  readonly edges = new Map<string, Map<string, EdgeState>>();
  private readonly targets = new Map<string, string[]>();
  private readonly nextSource: () => number;

  constructor(
    private readonly random: Random,
    private readonly hasNodes: boolean,
  ) {
    this.nextSource = zipf(random, SOURCES);
  }

  fill(): Item[] {
    const items: Item[] = [];
    if (this.hasNodes) {
      for (let i = 0; i < SOURCES; i++) {
        const goal = { source: goalId(i), version: 1, status: this.status(), dueDate: this.date() };
        this.goals.set(goal.source, goal);
        items.push(goalImage(goal));
      }
    }
    for (let i = 0; i < EDGES_BEFORE; i++) items.push(this.insert().newImage!);
    return items;
  }

  act(action: Action): Change {
    if (action === 'insert') return this.insert();
    if (action === 'node') return this.changeGoal();
    let source = goalId(this.nextSource());
    while ((this.targets.get(source)?.length ?? 0) === 0) source = goalId(this.nextSource());
    return action === 'change' ? this.changeRole(source) : this.remove(source);
  }

  private insert(): Change {
    const source = goalId(this.nextSource());
    const members = getOrAdd(this.edges, source, () => new Map<string, EdgeState>());
    let target = userId(this.random.below(USERS));
    while (members.has(target)) target = userId(this.random.below(USERS));
    const edge = {
      source,
      target,
      version: 1,
      role: ROLE_NAMES[this.random.below(ROLE_NAMES.length)]!,
      date: this.date(),
    };
    members.set(target, edge);
    getOrAdd(this.targets, source, () => []).push(target);
    return { newImage: edgeImage(edge) };
  }

  private changeRole(source: string): Change {
    const targets = this.targets.get(source)!;
    const edge = this.edges.get(source)!.get(targets[this.random.below(targets.length)]!)!;
    const oldImage = edgeImage(edge);
    const place = ROLE_NAMES.indexOf(edge.role);
    edge.role = ROLE_NAMES[(place + 1 + this.random.below(ROLE_NAMES.length - 1)) % ROLE_NAMES.length]!;
    edge.version += 1;
    return { oldImage, newImage: edgeImage(edge) };
  }

  private remove(source: string): Change {
    const targets = this.targets.get(source)!;
    const place = this.random.below(targets.length);
    const target = targets[place]!;
    const oldImage = edgeImage(this.edges.get(source)!.get(target)!);
    this.edges.get(source)!.delete(target);
    targets[place] = targets.at(-1)!;
    targets.pop();
    return { oldImage };
  }

  private changeGoal(): Change {
    const goal = this.goals.get(goalId(this.nextSource()))!;
    const oldImage = goalImage(goal);
    if (this.random.below(3) === 0) goal.dueDate = this.date();
    else goal.status = this.status();
    goal.version += 1;
    return { oldImage, newImage: goalImage(goal) };
  }

  private status(): string {
    return ['open', 'in progress', 'blocked', 'done'][this.random.below(4)]!;
  }

  private date(): string {
    return new Date(Date.UTC(2026, 0, 1 + this.random.below(365))).toISOString().slice(0, 10);
  }
}

function streamRecord({ oldImage, newImage }: Change, place: number): RawRecord {
  const { source, target } = (newImage ?? oldImage)!;
  return {
    eventName: oldImage === undefined ? 'INSERT' : newImage === undefined ? 'REMOVE' : 'MODIFY',
    eventSourceARN: STREAM_ARN,
    dynamodb: {
      ApproximateCreationDateTime: 1_767_225_600 + Math.floor(place / 500),
      Keys: { source, target },
      ...(newImage !== undefined && { NewImage: newImage }),
      ...(oldImage !== undefined && { OldImage: oldImage }),
      // The sequence numbers of a shard have gaps.
      SequenceNumber: String(442_158_450_000_000_017_450_439_091n + BigInt(place) * 13n),
      StreamViewType: 'NEW_AND_OLD_IMAGES',
    },
  };
}

/** Returns the base items that the table contains when a consumer gets the records. */
export function baseItemsAfter({ before, records }: Pick<Workload, 'before' | 'records'>): Item[] {
  const bases = byKey(before);
  for (const { dynamodb } of records) {
    const { Keys, NewImage } = dynamodb!;
    if (NewImage === undefined) bases.delete(itemKey(Keys as Item));
    else bases.set(itemKey(NewImage as Item), NewImage as Item);
  }
  return [...bases.values()];
}

export function goalId(rank: number): string {
  return `GOAL-G${rank + 1}`;
}

function userId(number: number): string {
  return `USER-U${number + 1}`;
}

function shuffle<T>(random: Random, values: T[]): void {
  for (let end = values.length - 1; end > 0; end--) {
    const place = random.below(end + 1);
    [values[end], values[place]] = [values[place]!, values[end]!];
  }
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

/** Inserts edges of different sources, so each writes one small view. */
export function insertsOverSources(count: number): RawRecord[] {
  return Array.from({ length: count }, (_, i) => {
    const edge = {
      source: goalId(i),
      target: userId(i),
      role: ROLE_NAMES[i % ROLE_NAMES.length]!,
      date: '2026-03-01',
      version: 1,
    };
    return streamRecord({ newImage: edgeImage(edge) }, i);
  });
}
