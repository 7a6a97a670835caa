import type { DifferenceKind } from '../../../../src/core/kinds/difference.ts';
import type { ItemKey } from '../../../../src/core/store-port.ts';
import type { Registry } from '../../../../src/registry/registry.ts';
import type { ObservedDrift } from '../../../../src/trust/observe/drift.ts';
import type { Observer } from '../../../../src/trust/observe/observer.ts';
import type { Random } from '../../kernel/random.ts';
import type { TableChange } from '../../kernel/shown-stream.ts';
import { NOBODY } from '../../kernel/table.ts';
import { nameOf, textOf as textOfValue } from '../../kernel/values.ts';
import { knownAs } from '../observer/promises.ts';
import { generationOf } from './owners.ts';
import type { World } from './world.ts';
import { storedRegistry, type WrongItem, wrongItems } from './wrong-items.ts';

/** Consumers: what they make right was on its way. */
const CONSUMER = 'consumer';
/** How long before an alarm its look may lie, in milliseconds. */
const LOOK_MS = 20 * 60_000;

/** How much two clocks that tell whole seconds may say differently of one moment, in milliseconds. */
const CLOCKS_MS = 2_400;

interface Write {
  atMs: number;
  writer: string;
}

/** The oracle judges the observer: each verified time, each alarm, and the last word. */
export class ObservedJudge {
  private readonly written = new Map<string, Write>();
  /** When each generation was ready last: `name@id`. */
  private readonly readyMs = new Map<string, number>();
  private ready = new Set<string>();
  /** When the registry had each shape first: `name@id`. */
  private readonly installedMs = new Map<string, number>();
  /** Since when there is a registry. */
  private registeredMs: number | undefined;
  private publishedMs: number | undefined;
  private alarms: { drift: ObservedDrift; atMs: number; epoch: number; repeats: number }[] = [];

  constructor(
    private readonly world: World,
    private readonly random: Random,
  ) {}

  /** A change of any item. */
  note({ key }: TableChange, writer: string): void {
    const { world } = this;
    const { nowMs } = world.timeline;
    this.written.set(nameOf(key), { atMs: nowMs, writer });
    if (key.source !== '~edgeloom' || key.target !== 'head') return;
    const registry = storedRegistry(world);
    const ready = new Set(registry === undefined ? [] : readyIn(registry));
    if (registry === undefined) this.registeredMs = undefined;
    else this.registeredMs ??= nowMs;
    for (const name of this.ready) this.readyMs.set(name, nowMs);
    for (const name of registry === undefined ? [] : viewsIn(registry)) {
      if (!this.installedMs.has(name)) this.installedMs.set(name, nowMs);
    }
    for (const name of ready) if (!this.ready.has(name)) world.count('observed: became ready');
    this.ready = ready;
  }

  /** The state of the observer is lost, or it is that of a table of the past. */
  forget(): void {
    this.publishedMs = undefined;
  }

  /** A claim is right if each item that is wrong now was touched since the claimed time, or is listed. */
  claim({ verifiedThroughMs: throughMs, drift }: Observer): void {
    const { world } = this;
    if (throughMs === undefined || throughMs === this.publishedMs || world.isLenient) return;
    this.publishedMs = throughMs;
    this.judgeAlarms();
    const registry = storedRegistry(world);
    if (registry === undefined) return;
    world.count('observed: claims');
    const isBuilding = isMoving(registry);
    if (isBuilding) world.count('observed: claims while a model changes');
    else if (!this.random.chance(0.5)) return;
    const isKnown = knownAs(drift);
    for (const item of wrongItems(world, registry)) {
      world.count('observed: wrong items under a claim');
      if (isKnown(item) || this.touchedSince(item, throughMs)) continue;
      const at = ((world.timeline.nowMs - throughMs) / 1000).toFixed(1);
      world.fail(
        'unsound',
        `${textOf(item)} is wrong, and not touched for the ${at} s through which all is claimed right`,
      );
    }
  }

  private touchedSince(item: WrongItem, sinceMs: number): boolean {
    return this.lastTouch(item).atMs >= sinceMs;
  }

  /** The newest write of an item, or of those that decide about it. */
  private lastTouch(item: WrongItem): Write {
    const writes = [nameOf(item), ...item.bases].flatMap((name) => this.written.get(name) ?? []);
    return writes.reduce((newest, one) => (one.atMs > newest.atMs ? one : newest), { atMs: 0, writer: NOBODY });
  }

  /** A certain alarm names an item that is wrong, and that stays wrong until somebody repairs it. */
  alarm(drift: ObservedDrift): void {
    const { world } = this;
    world.count('observed: alarms');
    world.log(`observer: ALARM ${JSON.stringify(drift)}`);
    if (world.isLenient) return;
    if (!drift.isCertain) {
      world.count('observed: uncertain alarms');
      return;
    }
    for (const { kind } of drift.differences) world.count(`observed: drift alarms of kind ${kind}`);
    const problem = this.problemOf(drift);
    if (problem !== undefined) world.fail('false-alarm', `${problem}: ${JSON.stringify(drift)}`);
    else if (!isOfRegistry(drift)) {
      this.alarms.push({ drift, atMs: world.timeline.nowMs, epoch: world.epoch, repeats: this.repeats });
    }
  }

  /** Batches that came again apart from their order: they may mend what nothing else would have. */
  private get repeats(): number {
    return this.world.counters['batches that come again'] ?? 0;
  }

  /** Why an alarm is false; undefined: it is right, or the oracle does not judge such an item. */
  private problemOf(drift: ObservedDrift): string | undefined {
    const { world } = this;
    const { source, sortKey: target } = drift.suspect;
    const key = { source, target };
    const registry = storedRegistry(world);
    // Until there was a registry, the model of the observer's own process said what is wrong.
    if (registry === undefined || !this.isPast(this.registeredMs)) return undefined;
    const write = this.written.get(nameOf(key));
    const isMended = write !== undefined && write.writer !== CONSUMER && !this.isPast(write.atMs);
    const state = stateIn(registry, key);
    if (isOfRegistry(drift)) {
      if (world.table.current(key) === undefined) return isMended ? undefined : 'it is not there';
      // The key of a view names no shape: its type may have had none when it was looked at.
      const wasWithout = target === '~view' && !this.isPast(this.installedMs.get(ownerOf(registry, key)));
      if (state === undefined || isOf(drift, ['misplaced']) || wasWithout) return undefined;
      return `its generation is ${state}`;
    }
    if (state !== 'ready') {
      if (this.isPast(this.readyMs.get(ownerOf(registry, key)))) return `its generation is ${state ?? 'not known'}`;
      world.count('observed: alarms of what was ready a moment ago');
      return undefined;
    }
    const wrong = this.wrongAt(key);
    if (wrong.some(({ bases }) => this.isOnItsWay(bases, drift))) return 'its record is on its way';
    if (wrong.length > 0) return undefined;
    if (!isUnjudged(drift)) return isMended ? undefined : 'it is right';
    world.count('observed: alarms that the oracle does not judge');
    return undefined;
  }

  /** Whether no consumer has answered yet for a record that had touched an item before it was looked at. */
  private isOnItsWay(bases: readonly string[], { touchedMs }: ObservedDrift): boolean {
    if (touchedMs === undefined) return false;
    const { lanes, givenUp, skews } = this.world;
    const waiting = [...lanes.flatMap(({ records, done }) => records.slice(done)), ...givenUp.flat()];
    return waiting.some(({ dynamodb: { Keys, ApproximateCreationDateTime: seconds } = {} }) => {
      const name = nameOf({ source: textOfValue(Keys?.['source']), target: textOfValue(Keys?.['target']) });
      return bases.includes(name) && Number(seconds) * 1_000 - skews.stream <= touchedMs + CLOCKS_MS;
    });
  }

  /** Whether a moment is so long ago that no look of an alarm of now lies before it. */
  private isPast(atMs: number | undefined): boolean {
    return atMs === undefined || atMs < this.world.timeline.nowMs - LOOK_MS;
  }

  private wrongAt(key: ItemKey): WrongItem[] {
    const registry = storedRegistry(this.world);
    if (registry === undefined) return [];
    return wrongItems(this.world, registry).filter((item) => nameOf(item) === nameOf(key));
  }

  /** Judges all alarms: a consumer may not have mended an item that an alarm called drift. */
  judgeAlarms(): void {
    const { world } = this;
    const { alarms } = this;
    this.alarms = [];
    for (const alarm of alarms) {
      const { drift, atMs, epoch, repeats } = alarm;
      const { source, sortKey: target } = drift.suspect;
      const key = { source, target };
      if (epoch !== world.epoch || repeats !== this.repeats || isUnjudged(drift)) continue;
      if (target === '~view' || target.startsWith('~total/') || target.startsWith('~degree/')) continue;
      if (this.wrongAt(key).length > 0) {
        this.alarms.push(alarm);
        continue;
      }
      const isBaseTouched = this.basesTouchedSince(key, atMs - LOOK_MS);
      const write = this.written.get(nameOf(key));
      if (isBaseTouched || write === undefined || write.writer !== CONSUMER) continue;
      world.fail('false-alarm', `a consumer has made it right after all: ${JSON.stringify(drift)}`);
    }
  }

  private basesTouchedSince({ source, target }: ItemKey, sinceMs: number): boolean {
    const own = /A[BC]-[ABC]-\d+$/.exec(target)?.[0] ?? '';
    return [...this.written].some(([name, { atMs }]) => {
      const [baseSource = '', base = ''] = name.split('\n');
      if (atMs < sinceMs || base.startsWith('~')) return false;
      return baseSource === source || own.endsWith(baseSource);
    });
  }

  /** At rest the observer tells of everything that is wrong. */
  lastWord({ drift }: Observer): void {
    const { world } = this;
    const registry = storedRegistry(world);
    if (registry === undefined) return;
    world.count('observed: last words');
    const isKnown = knownAs(drift);
    const wrong = wrongItems(world, registry);
    if (wrong.length > 0) world.count('observed: last words with drift');
    for (const item of wrong) {
      if (!isKnown(item)) world.fail('unseen-drift', `the observer does not tell of ${textOf(item)}`);
    }
    this.judgeAlarms();
  }
}

/** The generation that an item is of: `name@id`. Reverse items are there for the views of those who copy. */
function ownerOf({ projections }: Registry, key: ItemKey): string {
  const owner = generationOf(key);
  if (owner !== undefined) return `${owner.name}@${owner.id}`;
  const type = key.target.startsWith('~rev/') ? 'A' : key.source[0]!;
  return `view:${type}@${projections.get(`view:${type}`)?.generations.at(-1)?.id}`;
}

/** What the registry says of an item: `ready`, another state, or nothing. */
function stateIn(registry: Registry, key: ItemKey): string | undefined {
  const owner = ownerOf(registry, key);
  if (new Set(readyIn(registry)).has(owner) || /^~(more|quarantine)/.test(key.target)) return 'ready';
  const [name = '', id] = owner.split('@');
  const known = registry.projections.get(name)?.generations.find((generation) => String(generation.id) === id);
  return known?.state;
}

/** Whether an alarm says that the registry has no place for an item. */
function isOfRegistry(drift: ObservedDrift): boolean {
  return isOf(drift, ['retired', 'unregistered', 'misplaced']);
}

/** Whether all that an alarm says differs is of these kinds. */
function isOf({ differences }: ObservedDrift, kinds: readonly DifferenceKind[]): boolean {
  return differences.every(({ kind }) => kinds.includes(kind));
}

/** Whether the oracle says nothing of such an item. */
function isUnjudged(drift: ObservedDrift): boolean {
  const { sortKey, bases } = drift.suspect;
  if (/^~(more|quarantine)/.test(sortKey) || sortKey.includes('#includeTarget')) return true;
  const isPlain = /^~ix\/(?:@\d+\/)?(#list)?$/.test(sortKey);
  const isGarbage = bases === undefined && isOf(drift, ['form', 'expiry', 'element', 'set', 'unknown-item']);
  return isPlain || isGarbage || isOf(drift, ['form', 'expiry', 'unknown-item']);
}

function textOf({ source, target, text }: WrongItem): string {
  return `${source} ${target} (${text})`;
}

function* readyIn({ projections }: Registry): Generator<string> {
  for (const [name, { generations }] of projections) {
    for (const { id, state } of generations) if (state === 'ready') yield `${name}@${id}`;
  }
}

function* viewsIn({ projections }: Registry): Generator<string> {
  for (const [name, { generations }] of projections) {
    if (name.startsWith('view:')) for (const { id } of generations) yield `${name}@${id}`;
  }
}

/** Whether something is built, or taken away. */
export function isMoving({ projections }: Registry): boolean {
  return [...projections.values()].some(({ generations }) => generations.some(({ state }) => state !== 'ready'));
}
