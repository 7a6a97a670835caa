import type { CountingReader } from '../core/store-pages.ts';
import { readHead } from './head.ts';
import { isUntouchedSinceRegistration } from './transitions.ts';

export interface RegistryState {
  /** A registry written for an empty table and never opened to readers doesn't count. */
  isManaged: boolean;
  /** Generations and shapes that readers may not use (yet). Most cost writes. */
  open: number;
}

export async function registryState(reader: CountingReader<'get'>): Promise<RegistryState> {
  const head = await readHead(reader);
  if (head === undefined || isUntouchedSinceRegistration(head.registry)) return { isManaged: false, open: 0 };
  const { projections, shapes } = head.registry;
  const generations = [...projections.values()].flatMap((projection) => projection.generations);
  const unready = generations.filter(({ state }) => state !== 'ready').length;
  const unusable = [...shapes.values()].filter(({ shape }) => shape !== undefined && !(shape.ready && shape.trusted));
  return { isManaged: true, open: unready + unusable.length };
}
