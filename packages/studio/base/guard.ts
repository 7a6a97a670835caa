import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/**
 * Header in which every request for data carries the token. A page of another origin cannot send it without being asked first,
 * and does not know its value.
 */
export const STUDIO_HEADER = 'x-edgeloom-studio';

/** Why a request is refused; `unknown` is one that does not show that it comes from a page that was opened with the token. */
export type Refusal = 'wrong-host' | 'wrong-origin' | 'unknown';

/** The headers that are looked at. */
export type GuardedHeaders = Pick<IncomingHttpHeaders, 'host' | 'origin'> & Record<string, unknown>;

/**
 * Decides who may ask a studio. The server listens on loopback, but any page in a browser on this machine can send requests
 * there: by a name that resolves to 127.0.0.1 (`Host` tells), or from another origin (`Origin` and `Sec-Fetch-Site` tell). So
 * that no other user or program of the machine can ask either, the first address holds a random token in its fragment, which
 * browsers keep to themselves; the page keeps it for its own origin and sends it in a header. A cookie has no authority: the
 * browser sends it to every port of the host.
 */
export class Guard {
  /** The token of the first address. */
  readonly token = randomBytes(32).toString('base64url');

  constructor(private readonly port: number) {}

  /** Why a request for the page's files, which hold no data, is refused; undefined: it is not. */
  refusalOfPage({ host, origin, ...headers }: GuardedHeaders): Refusal | undefined {
    const hosts = [`127.0.0.1:${this.port}`, `localhost:${this.port}`];
    if (host === undefined || !hosts.includes(host)) return 'wrong-host';
    if (origin !== undefined && origin !== `http://${host}`) return 'wrong-origin';
    const site = headers['sec-fetch-site'];
    // `none`: typed, or opened by another program. Other ports of this machine are `same-site`.
    const isOwn = site === undefined || site === 'none' || site === 'same-origin';
    return isOwn || headers['sec-fetch-mode'] === 'navigate' ? undefined : 'wrong-origin';
  }

  /** Why a request for data is refused; undefined: it is not. */
  refusalOfData(headers: GuardedHeaders): Refusal | undefined {
    const given = headers[STUDIO_HEADER];
    const isKnown = typeof given === 'string' && equalInConstantTime(given, this.token);
    return this.refusalOfPage(headers) ?? (isKnown ? undefined : 'unknown');
  }
}

/** Compares in a time that does not depend on where two texts differ. */
function equalInConstantTime(left: string, right: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
