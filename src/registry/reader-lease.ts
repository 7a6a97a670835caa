import type { CompiledModel } from '../core/model/compiled.ts';
import type { Store } from '../core/store-port.ts';
import { currentMoment, type Moment, mayHavePassed } from '../foundation/clocks.ts';
import type { Data } from './data.ts';
import { type Head, readDefinitions, readHead, registryGone } from './head.ts';
import { checkReaderRegion } from './identity.ts';
import { type ProjectionsInForce, projectionsOfModel, projectionsOfRegistry } from './projections-in-force.ts';

/** How long a reader may rely on what it read in the registry. Before changing that, tools wait as long. */
export const LEASE_MS = 30_000;

export interface Lease {
  projections: ProjectionsInForce;
  startedAt: Moment;
  head: Head | undefined;
}

/** Tells one reader's reads what they may use. */
export interface ReaderLeases {
  /**
   * Runs a read with consistent projections. Its answer, or error, only counts if the lease still holds when the last
   * page has arrived, or a later lease says that the registry is unchanged; otherwise the read is repeated.
   */
  hold<T>(read: (projections: ProjectionsInForce) => Promise<T>): Promise<T>;
}

export function withoutRegistry(graph: CompiledModel): ReaderLeases {
  const projections = projectionsOfModel(graph);
  return { hold: (read) => read(projections) };
}

/** A consistent read at first use, and again when the lease has ended by either of the process's clocks. */
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
        // What the reader was to use may be gone, such as the index of a native list.
        // rule: error-counts-while-the-lease-holds
        const answer = await read(lease.projections).then(
          (result) => () => result,
          (error: unknown) => (): never => {
            throw error;
          },
        );
        const answeredAt = moment();
        let last = lease;
        // A renewal that began before the read may itself be too old by the time of the answer; then renew again.
        // rule: answer-counts-while-the-lease-holds
        while (isSameLease(last, lease) && !isHeld(last, answeredAt)) last = await renewShared();
        if (isSameLease(last, lease)) return answer();
        lease = last;
      }
    },
  };
}

/** The version only rises, so equal texts mean that nothing has changed in between. */
function isSameLease(left: Lease, right: Lease): boolean {
  return left.head?.text === right.head?.text;
}
