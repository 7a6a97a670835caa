import type { CompiledModel } from '../core/model/compiled.ts';
import type { Store } from '../core/store-port.ts';
import { currentMoment, type Moment, mayHavePassed } from '../foundation/clocks.ts';
import type { Data } from './data.ts';
import { type Head, readDefinitions, readHead, registryGone } from './head.ts';
import { checkReaderRegion } from './identity.ts';
import { type ProjectionsInForce, projectionsOfModel, projectionsOfRegistry } from './projections-in-force.ts';

/**
 * How long a reader may rely on what it has read in the registry, in milliseconds. A tool that takes something from readers
 * waits as long before it changes what they rely on.
 */
export const LEASE_MS = 30_000;

/** The projections that a reader may use at the moment. */
export interface Lease {
  projections: ProjectionsInForce;
  /** When it was asked for: before the registry was read. */
  startedAt: Moment;
  head: Head | undefined;
}

/** Gives the reads of one reader what they may use. */
export interface ReaderLeases {
  /**
   * Runs one read with what it may use, all of it with the same. An answer counts only if the lease still holds when the
   * last page has come, or if a lease that held then says that nothing has changed in the registry; else the read is made
   * again.
   */
  hold<T>(read: (projections: ProjectionsInForce) => Promise<T>): Promise<T>;
}

/** Returns the leases of a reader whose table has no registry. */
export function withoutRegistry(graph: CompiledModel): ReaderLeases {
  const projections = projectionsOfModel(graph);
  return { hold: (read) => read(projections) };
}

/**
 * Leases from a table's registry: read consistently at the first read, and again when the lease has ended. It ends when
 * either clock of the process says so.
 *
 * @param moment tells the moment. Default: by the clocks of the process.
 * @param replica region of a replica that the reader accepts instead of the table's home.
 */
export function registryLeases(
  own: CompiledModel,
  store: Pick<Store, 'get' | 'getMany' | 'region'>,
  moment: () => Moment = currentMoment,
  replica?: string,
): ReaderLeases {
  const known = new Map<string, Data>();
  let current: Lease | undefined;
  let renewal: Promise<Lease> | undefined;
  const isHeld = (lease: Lease, at: Moment): boolean => !mayHavePassed(LEASE_MS, lease.startedAt, at);
  const renew = async (): Promise<Lease> => {
    const startedAt = moment();
    const reader = { store, stats: { rcu: 0 } };
    const head = await readHead(reader, current?.head);
    if (head === undefined) {
      if (current?.head !== undefined) throw registryGone();
      return { projections: current?.projections ?? projectionsOfModel(own), startedAt, head };
    }
    const { registry, text } = head;
    const home = registry.table?.home;
    if (home !== undefined) checkReaderRegion(home, await store.region?.(), replica);
    if (current?.head?.text === text) return { ...current, startedAt };
    const data = await readDefinitions(reader, registry, known);
    // rule: lease-counts-from-before-the-read
    return { projections: projectionsOfRegistry(registry, data, own), startedAt, head };
  };
  const renewShared = async (): Promise<Lease> => {
    renewal ??= renew().finally(() => {
      renewal = undefined;
    });
    current = await renewal;
    return current;
  };
  return {
    async hold(read) {
      let lease = current !== undefined && isHeld(current, moment()) ? current : await renewShared();
      for (;;) {
        const result = await read(lease.projections);
        const answeredAt = moment();
        let last = lease;
        // A renewal that began before the read may be too old itself by the time of the answer. Then the lease is renewed once more.
        // rule: answer-counts-while-the-lease-holds
        while (isSameLease(last, lease) && !isHeld(last, answeredAt)) last = await renewShared();
        if (isSameLease(last, lease)) return result;
        lease = last;
      }
    },
  };
}

/** The version in it only rises: the same text in two leases says that nothing has changed between them. */
function isSameLease(left: Lease, right: Lease): boolean {
  return left.head?.text === right.head?.text;
}
