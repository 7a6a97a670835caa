import { decodeRegistry, type Registry } from '../../../src/registry/registry.ts';
import { projectionStates } from '../../../src/trust/explain/status.ts';
import type { HeadRecord } from './flow.ts';

export interface TimelineMoment {
  version: number;
  atMs: number;
  /** False: the studio saw it then, but it may be older. */
  isExact: boolean;
  changes: ProjectionChange[];
}

export interface ProjectionChange {
  name: string;
  generation: number;
  /** Null: absent. */
  before: string | null;
  after: string | null;
}

const MOST_MOMENTS = 200;

export class Timeline {
  private readonly seen = new Map<number, { atMs: number; isExact: boolean; registry: Registry }>();

  addRecords(heads: readonly HeadRecord[]): void {
    for (const { text, atMs } of heads) this.add(decodeRegistry(text), atMs, true);
  }

  addCurrent(registry: Registry, nowMs: number): void {
    if (!this.seen.has(registry.version)) this.add(registry, nowMs, false);
  }

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
