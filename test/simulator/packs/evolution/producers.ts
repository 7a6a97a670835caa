import type { Random } from '../../kernel/random.ts';
import { toItem } from '../../kernel/values.ts';
import type { World } from './world.ts';

/** Nodes and edges that never change after the beginning, and others that change all the time. */
const STABLE = ['A-1', 'A-2', 'A-3', 'A-4', 'B-1', 'B-2', 'C-1'];
const VOLATILE = ['A-5', 'A-6', 'A-7', 'B-3', 'C-2'];

/** The part of a person. */
const STATE = 'STATE';

/** Attributes of a node. */
export function nodeAttributes(id: string, random: Random): Record<string, unknown> {
  if (id.startsWith('B-'))
    return { title: random.oneOf(['Red', 'Blue', 'Green']), city: random.oneOf(['Rome', 'Oslo']) };
  if (id.startsWith('C-')) return { label: random.oneOf(['x', 'y', 'z']) };
  const maybe = <T>(name: string, value: T): Record<string, T> => (random.chance(0.85) ? { [name]: value } : {});
  return {
    ...maybe('name', random.oneOf(['Ann', 'ann', 'Bob', 'bob', 'Cid', 'Eve'])),
    ...maybe('status', random.oneOf(['open', 'busy', 'done'])),
    ...maybe('num', random.oneOf([1, 2, 10, 33, -4])),
    ...maybe('tags', random.oneOf([['x'], ['x', 'y'], ['y', 'z'], []])),
  };
}

/** Attributes of an edge. */
export function edgeAttributes(random: Random): Record<string, unknown> {
  const maybe = (name: string, value: string): Record<string, string> => (random.chance(0.85) ? { [name]: value } : {});
  return {
    ...maybe('role', random.oneOf(['LEAD', 'MEMBER', 'GUEST'])),
    ...maybe('since', random.oneOf(['2019', '2020', '2021', '2022'])),
    // Long enough for a small budget of views to be passed.
    ...maybe('note', random.oneOf(['n', 'n'.repeat(500)])),
  };
}

/** The attributes of an edge that totals are about: right values, those that no sum or group takes, and none. */
function totaled(random: Random): Record<string, unknown> {
  const maybe = (name: string, value: unknown): object => (random.chance(0.85) ? { [name]: value } : {});
  return {
    ...maybe('hours', random.oneOf([1, 2.5, 2.5, -0.75, 0.1, 999_999_999_999_999, 1e15, 1e-13, '3', true])),
    ...maybe('cost', random.oneOf([10, 0.000_001, -10, 'ten'])),
    ...maybe('kind', random.oneOf(['code', 'talk', 'talk', 4, '4', true, ['code'], 'k'.repeat(257)])),
  };
}

function stateAttributes(random: Random): Record<string, unknown> {
  const maybe = (name: string, value: unknown): object => (random.chance(0.85) ? { [name]: value } : {});
  return {
    ...maybe('mood', random.oneOf(['calm', 'Calm', 'glad', 'sad'])),
    ...maybe('level', random.oneOf([1, 2, 10])),
  };
}

function edgesOf(source: string): string[] {
  return source.startsWith('A-') ? ['AB-B-1', 'AB-B-2', 'AB-B-3', 'AC-C-1', 'AC-C-2'] : [];
}

function put(world: World, source: string, target: string, attributes: Record<string, unknown> | undefined): void {
  const isEdge = source !== target && target !== STATE;
  const more = isEdge && world.hasTotalsAndParts ? totaled(world.plan.draws('values of an edge')) : {};
  const item = attributes && { source: { S: source }, target: { S: target }, ...toItem({ ...attributes, ...more }) };
  world.table.write({ source, target }, item);
}

function isStable(source: string, target: string): boolean {
  const ends = source === target ? [source] : [source, target.slice(3)];
  return ends.every((id) => STABLE.includes(id));
}

/** The first items; some of them may have been written before there was a stream. */
export async function putFirstItems(world: World, hasStream: boolean): Promise<void> {
  const { timeline } = world;
  const random = world.plan.draws('first items');
  const unrecorded = !hasStream && random.chance(0.5) && world.plan.happens('writes that no record tells of');
  const written = (write: () => void): void => {
    if (unrecorded && random.chance(0.3)) world.unrecorded(write);
    else write();
  };
  for (const id of [...STABLE, ...VOLATILE]) {
    if (random.chance(0.9)) written(() => put(world, id, id, nodeAttributes(id, random)));
    for (const target of edgesOf(id))
      if (random.chance(0.5)) written(() => put(world, id, target, edgeAttributes(random)));
    await timeline.sleep(random.below(300));
  }
  // Not managed yet, or else: some of it changes, and goes.
  for (let i = random.below(12); i > 0; i--) {
    written(() => changeSomething(world, random));
    await timeline.sleep(random.below(300));
  }
}

/** The first parts. */
export function putFirstParts(world: World): void {
  const random = world.plan.draws('first parts');
  for (const id of [...STABLE, ...VOLATILE])
    if (id.startsWith('A-') && random.chance(0.7)) put(world, id, STATE, stateAttributes(random));
}

/** Puts or deletes a part that is not stable. */
export function changePart(world: World, random: Random): void {
  const id = random.oneOf(['A-5', 'A-6', 'A-7']);
  world.count('writes of parts');
  put(world, id, STATE, random.chance(0.2) ? undefined : stateAttributes(random));
}

/** Keys of what may change. */
const CHANGING: [string, string][] = [];
for (const id of VOLATILE) CHANGING.push([id, id], [id, id]);
for (const id of [...STABLE, ...VOLATILE])
  for (const target of edgesOf(id)) if (!isStable(id, target)) CHANGING.push([id, target]);

/** Puts or deletes an item that is not stable. */
export function changeSomething(world: World, random: Random): void {
  const [source, target] = random.oneOf(CHANGING as [[string, string]]);
  world.count('writes of producers');
  if (random.chance(0.25)) put(world, source, target, undefined);
  else put(world, source, target, source === target ? nodeAttributes(source, random) : edgeAttributes(random));
}
