import type { CompiledModel } from '../core/model/compiled.ts';
import type { Store } from '../core/store-port.ts';
import { currentMoment, type Moment, mayHavePassed } from '../foundation/clocks.ts';
import type { Data } from './data.ts';
import { type Head, readDefinitions, readHead, registryGone } from './head.ts';
import { checkReaderRegion } from './identity.ts';
import { type ProjectionsInForce, projectionsOfModel, RegisteredProjections } from './projections-in-force.ts';

/**
 * For how long a reader may rely on its last read of the registry. A migration waits longer than this between
 * withdrawing a generation from readers and retiring it.
 */
export const LEASE_MS = 30_000;

interface Lease {
  projections: ProjectionsInForce;
  startedAt: Moment;
  head: Head | undefined;
}

export interface ReaderLeases {
  /**
   * Runs a read with the projections of one registry. The answer or error counts only if the lease still holds when it
   * arrives, or if a later lease shows that the registry is unchanged. Otherwise, the read is repeated.
   */
  hold<T>(read: (projections: ProjectionsInForce) => Promise<T>): Promise<T>;
}

export function withoutRegistry(graph: CompiledModel): ReaderLeases {
  const projections = projectionsOfModel(graph);
  return { hold: (read) => read(projections) };
}

/**
 * Reads the registry consistently at first use, and again when either of the process's clocks says that the lease is
 * over.
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
    return { projections: new RegisteredProjections(registry, data, own), startedAt, head };
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
        // An error may only mean that a migration has deleted something, such as the index of a native list. So errors
        // also wait until the lease is confirmed.
        // rule: error-counts-while-the-lease-holds
        const answer = await read(lease.projections).then(
          (result) => () => result,
          (error: unknown) => (): never => {
            throw error;
          },
        );
        const answeredAt = moment();
        let last = lease;
        // A shared renewal may have begun before the answer arrived, too early to confirm the answer.
        // rule: answer-counts-while-the-lease-holds
        while (isSameLease(last, lease) && !isHeld(last, answeredAt)) last = await renewShared();
        if (isSameLease(last, lease)) return answer();
        lease = last;
      }
    },
  };
}

/** Versions only rise, so equal texts mean that nothing has changed in between. */
function isSameLease(left: Lease, right: Lease): boolean {
  return left.head?.text === right.head?.text;
}
