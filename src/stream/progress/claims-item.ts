import { type Item, stringOf } from '../../core/items/attribute-value.ts';
import { SERVICE_PARTITION } from '../../core/items/keys.ts';
import type { TableNames } from '../../core/model/compiled.ts';
import { queriedItems } from '../../core/store-pages.ts';
import type { Store } from '../../core/store-port.ts';
import { type Claim, claimsText, parseClaims } from './claims.ts';

const PREFIX = 'cover/';
/** `0` is the character after `/`. */
const AFTER = 'cover0';
const [CLAIMS, STREAM] = ['claims', 'stream'];
const KEPT_SECONDS = 25 * 3600;

export function claimsItem(table: TableNames, id: string, claims: readonly Claim[], atMs: number): Item {
  const stream = claims[0]?.stream;
  return {
    [table.partitionKey]: { S: SERVICE_PARTITION },
    [table.sortKey]: { S: `${claimsKeyStart(atMs)}/${id}` },
    [CLAIMS]: { S: claimsText(claims) },
    ...(stream !== undefined && { [STREAM]: { S: stream } }),
    [table.ttl]: { N: String(Math.floor(atMs / 1000) + KEPT_SECONDS) },
  };
}

export async function readClaims(
  store: Pick<Store, 'query'>,
  table: TableNames,
  stream: string,
  sinceMs: number,
): Promise<Map<string, Claim[]>> {
  const found = new Map<string, Claim[]>();
  const request = {
    partition: SERVICE_PARTITION,
    sortKey: { from: claimsKeyStart(Math.max(0, sinceMs)), to: AFTER },
    consistent: true,
  };
  for await (const item of queriedItems(store, request)) {
    const key = stringOf(item[table.sortKey]) ?? '';
    if (key.startsWith(PREFIX) && stringOf(item[STREAM]) === stream)
      found.set(key, parseClaims(stringOf(item[CLAIMS]) ?? ''));
  }
  return found;
}

function claimsKeyStart(atMs: number): string {
  return `${PREFIX}${String(Math.floor(atMs)).padStart(13, '0')}`;
}
