import { decodeRegistry, type Registry } from '../../../src/registry/registry.ts';
import { projectionStates } from '../../../src/trust/explain/status.ts';
import type { HeadRecord } from './flow.ts';

/** The registry at a moment, and the changes that made it so. */
export interface TimelineMoment {
  version: number;
  /** When it was written, in milliseconds since 1970. */
  atMs: number;
  /** True if a record of the stream tells the time; else the studio saw it then, and it may be older. */
  isExact: boolean;
  /** The changes since the moment before; none at the first one that is known. */
  changes: ProjectionChange[];
}

/** A change of one generation of a projection. */
export interface ProjectionChange {
  name: string;
  generation: number;
  /** The state before, and after; null: there was none, or is none any more. */
  before: string | null;
  after: string | null;
}

/** Moments that are kept. */
const MOST_MOMENTS = 200;

/** The registry as it was seen, version by version. */
export class Timeline {
  private readonly seen = new Map<number, { atMs: number; isExact: boolean; registry: Registry }>();

  /** Adds what records of the stream show: they tell the time. */
  addRecords(heads: readonly HeadRecord[]): void {
    for (const { text, atMs } of heads) this.add(decodeRegistry(text), atMs, true);
  }

  /** Adds the registry as it is now. */
  addCurrent(registry: Registry, nowMs: number): void {
    if (!this.seen.has(registry.version)) this.add(registry, nowMs, false);
  }

  /** All moments, newest first. */
  get moments(): TimelineMoment[] {
    const all = [...this.seen.values()].sort((left, right) => left.registry.version - right.registry.version);
    const changes = all.map(({ registry }, i) => (i === 0 ? [] : changesBetween(all[i - 1]!.registry, registry)));
    return all
      .map(({ atMs, isExact, registry }, i) => ({
        ...{ version: registry.version, atMs, isExact, changes: changes[i]! },
      }))
      .reverse();
  }

  private add(registry: Registry, atMs: number, isExact: boolean): void {
    this.seen.set(registry.version, { registry, atMs, isExact });
    if (this.seen.size > MOST_MOMENTS) this.seen.delete(Math.min(...this.seen.keys()));
  }
}

/** The generations and shapes whose state differs between two registries. */
function changesBetween(before: Registry, after: Registry): ProjectionChange[] {
  const stateOf = (registry: Registry): Map<string, string> =>
    new Map(
      projectionStates(registry).map(({ name, generation, state }) => [JSON.stringify([name, generation]), state]),
    );
  const [old, now] = [stateOf(before), stateOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((key) => {
    const [was, is] = [old.get(key) ?? null, now.get(key) ?? null];
    if (was === is) return [];
    const [name, generation] = JSON.parse(key) as [string, number];
    return [{ name, generation, before: was, after: is }];
  });
}
