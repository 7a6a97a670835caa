import type { CountingReader } from '../core/store-pages.ts';
import { readHead } from './head.ts';
import { projectionsInForce } from './registry.ts';
import { isUntouchedSinceRegistration } from './transitions.ts';

export interface RegistryState {
  /** False without a registry, or with one that was written for an empty table and never opened to readers. */
  isManaged: boolean;
  /** Number of generations that readers may not use. */
  open: number;
}

export async function registryState(reader: CountingReader<'get'>): Promise<RegistryState> {
  const head = await readHead(reader);
  if (head === undefined || isUntouchedSinceRegistration(head.registry)) return { isManaged: false, open: 0 };
  const open = projectionsInForce(head.registry).filter(({ state }) => state !== 'ready');
  return { isManaged: true, open: open.length };
}
