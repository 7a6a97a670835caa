import { bytesOfBase64 } from '../../../src/core/items/base64.ts';

/** The text in a cursor of the page; empty for one that was not given out. */
export function textOfCursor(cursor: string): string {
  return Buffer.from(bytesOfBase64(cursor, 'base64url') ?? []).toString('utf8');
}
