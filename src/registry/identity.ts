import type { Store } from '../core/store-port.ts';
import { EdgeloomError, StoreError } from '../foundation/errors.ts';
import { readHead, writeHead } from './head.ts';
import type { TableIdentity } from './registry.ts';
import { distrustEverything, isAnnounced } from './transitions.ts';

/**
 * A table with replicas has one home region, where consumers and migrations run. Conditions only hold within a region,
 * so two regions would undo each other's work.
 */

/** The regions of a table, as DynamoDB describes them in one region. */
export interface TableRegions {
  /** The region whose DynamoDB described the table. */
  region: string;
  /** The other regions that hold the table. */
  replicas: readonly string[];
}

/**
 * Returns the table's identity; if the table has replicas, this region becomes its home. Throws `not-home-region` if
 * the home is another region that still has the table.
 */
export function identityAtHome(
  registered: TableIdentity | undefined,
  table: TableIdentity | undefined,
  regions: TableRegions | undefined,
): TableIdentity | undefined {
  if (table === undefined || regions === undefined) return table;
  const { region, replicas } = regions;
  const home = registered?.home;
  if (home !== undefined && home !== region && replicas.includes(home)) throw notHome(home, region);
  return { id: table.id, streamLabel: table.streamLabel, ...(replicas.length > 0 && { home: region }) };
}

export function checkWriterRegion(home: string, region: string | undefined): void {
  if (region === undefined || home === region) return;
  const { code, message, hint } = notHome(home, region);
  throw new StoreError('retryable', code, message, hint);
}

/**
 * Throws `replica-read` in a replica that the reader didn't ask for. The registry and the items reach a replica in any
 * order, so leases mean nothing there.
 */
export function checkReaderRegion(home: string, region: string | undefined, replica?: string): void {
  if (region === undefined || home === region || replica === region) return;
  throw new EdgeloomError(
    'replica-read',
    `This reader is in ${region}, and the table is at home in ${home}: while the model changes, a replica may answer with a mixture.`,
    `Read in ${home}, or give the reader the option replica: '${region}'.`,
  );
}

function notHome(home: string, region: string): EdgeloomError {
  return new EdgeloomError(
    'not-home-region',
    `The table is at home in ${home}: consumers and migrations run there, not in ${region}.`,
    `Run it in ${home}. Where that region is lost, delete its replica, then run edgeloom migrate here.`,
  );
}

const MOST_TRIES = 8;

/**
 * Withdraws all projections from readers until a migration has verified them. With `streamLabel`, only does so if the
 * label is later than the registered one. Returns whether the registry was changed.
 */
export async function doubtTable(store: Pick<Store, 'get' | 'update'>, streamLabel?: string): Promise<boolean> {
  const writer = { store, stats: { rcu: 0, writes: 0, wcu: 0 } };
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const head = await readHead(writer);
    // An announced registry has no ready projection to withdraw, and writers don't follow it.
    if (head === undefined || isAnnounced(head.registry)) return false;
    const { table } = head.registry;
    if (streamLabel !== undefined && !isLaterStream(table?.streamLabel, streamLabel)) return false;
    const now = table && { ...table, ...(streamLabel !== undefined && { streamLabel }) };
    if (await writeHead(writer, distrustEverything(head.registry, now), head.revision)) return true;
  }
  return false;
}

/**
 * Labels are timestamps. An earlier label isn't a new stream's: it belongs to an old stream with records left to read.
 */
export function isLaterStream(registered: string | undefined, label: string): boolean {
  return registered !== undefined && label > registered;
}
