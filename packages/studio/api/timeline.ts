import * as z from 'zod';
import { decodeRegistry, type Registry } from '../../../src/registry/registry.ts';
import { projectionStates } from '../../../src/trust/explain/status.ts';
import type { HeadRecord } from '../base/flow.ts';
import { route } from '../base/route.ts';

export interface TimelineMoment {
  version: number;
  atMs: number;
  changes: ProjectionChange[];
}

export interface ProjectionChange {
  name: string;
  generation: number;
  /** Null: absent. */
  before: string | null;
  after: string | null;
}

export interface TimelineAnswer {
  /** Newest first. */
  moments: TimelineMoment[];
}

export const TIMELINE_ROUTES = [
  route('GET /api/timeline', z.object({}), async ({ flow }): Promise<TimelineAnswer> => {
    await flow.look();
    return { moments: flow.registryHeads.map(momentOf).reverse() };
  }),
];

export function momentOf({ before, after, atMs }: HeadRecord): TimelineMoment {
  const [old, now] = [decodeRegistry(before), decodeRegistry(after)];
  return { version: now.version, atMs, changes: changesBetween(statesOf(old), statesOf(now)) };
}

type States = ReadonlyMap<string, { name: string; generation: number; state: string }>;

function statesOf(registry: Registry): States {
  return new Map(projectionStates(registry).map((one) => [JSON.stringify([one.name, one.generation]), one]));
}

function changesBetween(old: States, now: States): ProjectionChange[] {
  return [...new Map([...old, ...now])].flatMap(([key, { name, generation }]) => {
    const [before, after] = [old.get(key)?.state ?? null, now.get(key)?.state ?? null];
    return before === after ? [] : [{ name, generation, before, after }];
  });
}
