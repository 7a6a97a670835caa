import type { Store } from '../store/port.ts';
import { readHead, writeHead } from './head.ts';
import { doubt } from './transitions.ts';

/** Tries of one write of the head beside others. */
const MOST_TRIES = 8;

/**
 * Takes everything from readers until a migration has verified it: a consumer has found that records are lost, or that the stream
 * is another than the registered one (the table was restored, or its stream was made anew). Gives whether it has.
 *
 * @param streamLabel of the stream that is read; absent: the registered one, in which records are lost.
 */
export async function doubtTable(store: Pick<Store, 'get' | 'update'>, streamLabel?: string): Promise<boolean> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const head = await readHead({ store, stats: { rcu: 0 } });
    if (head === undefined) return false;
    const { table } = head.registry;
    // Another consumer has done it.
    if (streamLabel !== undefined && !isLaterStream(table?.streamLabel, streamLabel)) return false;
    const now = table && { ...table, ...(streamLabel !== undefined && { streamLabel }) };
    if (await writeHead(store, doubt(head.registry, now), head.revision)) return true;
  }
  return false;
}

/** Whether a stream was made after the registered one: what is left of an earlier one may still be read. */
export function isLaterStream(registered: string | undefined, label: string): boolean {
  return registered !== undefined && label > registered;
}
