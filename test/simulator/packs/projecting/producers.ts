import type { Item } from '../../../../src/core/items/attribute-value.ts';
import type { ItemKey } from '../../../../src/core/store-port.ts';
import type { Choices } from '../../kernel/choices.ts';
import type { Climate } from './climate.ts';
import { storedKey, targetOf } from './keys.ts';
import type { ModelOptions } from './models.ts';
import { HOUR } from './time.ts';

/** One write of a producer. */
export interface ProducerWrite {
  name: string;
  /** Milliseconds after the write before. */
  pause: number;
  /** DynamoDB's TTL sweeps just before it. */
  sweeps: boolean;
  key: ItemKey;
  /** The item to put; undefined: the item is deleted. */
  put?: Item;
  /** Hours after which the item that is put expires by itself. */
  expiresInHours?: number;
}

/** The item keys that producers write to, hashed where the model has it: few, so that writes collide. */
const KEYS: readonly [ItemKey, ...ItemKey[]] = [
  { source: 'GOAL-1', target: 'GOAL-1' },
  { source: 'GOAL-1', target: 'MEMBER-USER-1' },
  // The second user's id has every character that the edge set's codec gives a meaning to.
  { source: 'GOAL-1', target: 'MEMBER-USER-2|a=%7C' },
  { source: 'GOAL-1', target: 'LINK-USER-1' },
  { source: 'GOAL-2', target: 'GOAL-2' },
  { source: 'GOAL-2', target: 'MEMBER-USER-1' },
  // A type outside the model, and an edge between nodes that its type does not join.
  { source: 'GOAL-1', target: 'OTHER-USER-1' },
  { source: 'GOAL-1', target: 'MEMBER-GOAL-2' },
  // What copies are made of, and one child more.
  { source: 'USER-1', target: 'USER-1' },
  { source: 'USER-2|a=%7C', target: 'USER-2|a=%7C' },
  { source: 'GOAL-3', target: 'MEMBER-USER-1' },
  // Edges between goals: of one to itself, and both ways between two.
  { source: 'GOAL-1', target: 'PEER-GOAL-1' },
  { source: 'GOAL-2', target: 'PEER-GOAL-1' },
  { source: 'GOAL-1', target: 'PEER-GOAL-2' },
  // Two edges that enter one user, and two that leave one goal.
  { source: 'GOAL-1', target: 'WORK-USER-1' },
  { source: 'GOAL-2', target: 'WORK-USER-1' },
  { source: 'GOAL-1', target: 'WORK-USER-2|a=%7C' },
  // Parts of goals.
  { source: 'GOAL-1', target: 'STATE' },
  { source: 'GOAL-2', target: 'STATE' },
];
/** How many of the keys, from the first on, are not odd. */
const PLAIN_KEYS = 6;
/** How many are not of parents. */
const WITHOUT_PARENTS = 8;
/** Which keys copies are made by: often the parent, and edges that enter it. */
const COPY_KEYS = [8, 8, 8, 1, 1, 5, 5, 10, 0, 2, 9, 4, 3] as const;
/** Which keys are written where goals have peers, their nodes among them. */
const PEER_KEYS = [11, 11, 11, 12, 12, 13, 0, 0, 4] as const;
/** Which keys are written where index items of edges use their source: often that. */
const JOINED_KEYS = [0, 0, 0, 1, 1, 2, 3, 3, 4, 5] as const;
/** Which keys are written where edges have totals. */
const WORK_KEYS = [14, 14, 14, 15, 15, 16, 1] as const;
/** Which keys are written where goals have parts: often those, and what stands beside them. */
const PART_KEYS = [17, 17, 17, 18, 0, 0, 1, 1, 2, 5] as const;
const MOST_WRITES = 14;

/** Chooses what producers write, in order. */
export function chooseWrites(choices: Choices, climate: Climate, options: ModelOptions): ProducerWrite[] {
  // The keys of one schedule are fewer still.
  const keys = choices.shape((random) => {
    const count = random.oneOf([1, 1, 1, 2, 2, 4]);
    const works = options.totals !== 'none' && random.chance(0.8);
    if (works) return [14, ...Array.from({ length: count }, () => random.oneOf(WORK_KEYS))];
    const hasParts = options.parts !== 'none' && random.chance(0.7);
    if (hasParts) {
      const more = Array.from({ length: count }, () => random.oneOf(PART_KEYS));
      return options.parts === 'ordering' ? [17, 0, 1, ...more] : [17, ...more];
    }
    const hasPeers = options.peer !== 'none' && random.chance(0.6);
    if (hasPeers && random.chance(0.5)) return [0, ...Array.from({ length: count + 1 }, () => random.oneOf(PEER_KEYS))];
    if (hasPeers) return [11, ...Array.from({ length: count + 1 }, () => random.oneOf([...COPY_KEYS, ...PEER_KEYS]))];
    const joins = options.joined !== 'none' && random.chance(0.7);
    if (joins) return [0, ...Array.from({ length: count + 1 }, () => random.oneOf(JOINED_KEYS))];
    if (options.copies !== 'none') return [8, ...Array.from({ length: count + 1 }, () => random.oneOf(COPY_KEYS))];
    const odd = climate.poison > 0 || random.chance(0.03);
    return Array.from({ length: count }, () => random.below(odd ? WITHOUT_PARENTS : PLAIN_KEYS));
  });
  const writes: ProducerWrite[] = [];
  const count = choices.drawn('writes', (random) => 1 + Math.floor(random.next() ** 1.3 * MOST_WRITES));
  for (let i = 0; i < count; i++) {
    const name = `write${i}`;
    // Numbered from 1, so that a write that a script does not name is left out.
    const number = choices.drawn(`${name}.item`, (random) => 1 + keys[random.below(keys.length)]!);
    const plain = KEYS[number - 1];
    if (plain === undefined) continue;
    const key = { source: plain.source, target: storedKey(options, plain.target) };
    const pause = choices.drawn(`${name}.pause`, (random) => {
      if (random.chance(climate.pause)) return HOUR + random.below(60 * HOUR);
      return random.below(climate.tempo.pause);
    });
    const sweeps = choices.chance(`${name}.sweep`, climate.pause > 0 ? 0.5 : 0);
    const isDeleted = choices.chance(`${name}.delete`, climate.deletion);
    const write: ProducerWrite = { name, pause, sweeps, key };
    writes.push(write);
    if (isDeleted) continue;
    write.put = attributes(choices, climate, options, name, key);
    if (key.target !== plain.target) {
      // Who writes with a plain SDK may get it wrong.
      const isWrong = choices.chance(`${name}.target.poison`, climate.poison);
      write.put['targetId'] = { S: isWrong ? 'USER-7' : targetOf(plain.target) };
    }
    if (choices.chance(`${name}.expires`, climate.expiring)) {
      write.expiresInHours = choices.pick(`${name}.expires.hours`, 20);
    }
  }
  return writes;
}

function attributes(choices: Choices, climate: Climate, options: ModelOptions, name: string, key: ItemKey): Item {
  const { source, target } = key;
  const item: Item = { source: { S: source }, target: { S: target } };
  const set = (attribute: string, values: readonly (Item[string] | undefined)[], ...poison: Item[string][]): void => {
    const isPoison = poison.length > 0 && choices.chance(`${name}.${attribute}.poison`, climate.poison);
    const value = isPoison
      ? poison[choices.pick(`${name}.${attribute}.poison.which`, poison.length)]
      : values[choices.pick(`${name}.${attribute}`, values.length)];
    if (value !== undefined) item[attribute] = value;
  };
  if (options.deletion === 'soft') {
    const left = LEFT[choices.pickAside(`${name}.left`, LEFT.length)];
    if (left !== undefined) Object.assign(item, left);
  }
  if (source === target) {
    set('title', [{ S: 'one' }, { S: 'two' }, undefined]);
    set('note', [undefined, { S: 'seen' }]);
    // Copies of the long one are too much for a tight budget.
    const long = source.startsWith('USER-') ? [{ S: LONG_NAME }] : [];
    // A view that shows it has no room for it in a tight budget.
    const isShown = options.budget === 'tight' && options.view === 'ALL';
    const refused = source.startsWith('GOAL-') && !isShown ? [{ S: REFUSED_NAME }] : [];
    set('name', [{ S: 'ann' }, { S: 'bob' }, undefined, ...long], { N: '1' }, ...refused);
    set('tags', TAGS, { L: [{ S: 'a' }, { N: '5' }] });
  } else if (target === 'STATE') {
    set('status', [{ S: 'open' }, { S: 'done' }, undefined], { N: '1' }, { S: REFUSED_NAME });
    set('note', [undefined, { S: 'seen' }]);
    set('tags', TAGS, { L: [{ S: 'a' }, { N: '5' }] });
  } else if (target.startsWith('MEMBER')) {
    set('role', [{ S: 'LEAD' }, { S: 'TEAM' }, undefined], { S: 'NOBODY' });
    set('date', [{ S: '2020-01-01' }, { S: '2020-02-02' }, undefined], { S: 'soon' });
    set('note', [undefined, { S: 'seen' }]);
  } else if (target.startsWith('WORK')) {
    set('hours', [{ N: '1' }, { N: '0.1' }, { N: '-2.5' }, undefined], { S: 'many' }, { N: '1e20' });
    set('kind', [{ S: 'code' }, { S: '4' }, { N: '4' }, undefined], { L: [] });
  } else {
    set('since', [{ S: 'now' }, { S: 'then' }, undefined], { N: '7' });
  }
  return item;
}

/** What says that an item is deleted, and what does not. */
const LEFT: readonly (Item | undefined)[] = [
  undefined,
  { left: { S: 'now' } },
  { left: { NULL: true } },
  { left: { BOOL: false } },
  { left: { BOOL: true } },
  { '~gone': { N: '1' } },
];
const LONG_NAME = 'long'.repeat(230);
/** Too long for a key of an index. */
const REFUSED_NAME = 'longer'.repeat(180);
const TAGS: readonly (Item[string] | undefined)[] = [
  { L: [{ S: 'a' }] },
  { L: [{ S: 'b' }] },
  { SS: ['a', 'b'] },
  { L: [] },
  undefined,
];
