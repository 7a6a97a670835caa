import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Header that every request for data has to carry: a page of another origin cannot send it without being asked first. */
export const STUDIO_HEADER = 'x-edgeloom-studio';

/** Why a request is refused; `unknown` is one that does not show that it comes from the page that was opened. */
export type Refusal = 'wrong-host' | 'wrong-origin' | 'unknown';

/** The headers that are looked at. */
export type GuardedHeaders = Pick<IncomingHttpHeaders, 'host' | 'origin' | 'cookie'> & Record<string, unknown>;

/**
 * Decides who may ask a studio. The server listens on loopback, but any page in a browser on this machine can send requests
 * there: by a name that resolves to 127.0.0.1 (`Host` tells), or from another origin (`Origin` and `Sec-Fetch-Site` tell). So
 * that no other user or program of the machine can ask either, the first address holds a random token; it is exchanged for a
 * cookie with another random value.
 */
export class Guard {
  /** The token of the first address. */
  readonly token = randomText();
  private readonly session = randomText();

  constructor(private readonly port: number) {}

  /** The `Set-Cookie` header of a browser that gave the token. Cookies do not tell ports apart, so the name does. */
  get cookie(): string {
    return `${this.cookieName}=${this.session}; HttpOnly; SameSite=Strict; Path=/`;
  }

  /** Whether a text is the token. */
  isToken(text: string | null): boolean {
    return text !== null && isSame(text, this.token);
  }

  /** Why a request by a name of this machine, and of no other origin, is refused; undefined: it is not. */
  refusesPlace({ host, origin, ...headers }: GuardedHeaders): Refusal | undefined {
    const hosts = [`127.0.0.1:${this.port}`, `localhost:${this.port}`];
    if (host === undefined || !hosts.includes(host)) return 'wrong-host';
    if (origin !== undefined && origin !== `http://${host}`) return 'wrong-origin';
    const site = headers['sec-fetch-site'];
    // `none`: typed, or opened by another program. Other ports of this machine are `same-site`.
    const isOwn = site === undefined || site === 'none' || site === 'same-origin';
    return isOwn || headers['sec-fetch-mode'] === 'navigate' ? undefined : 'wrong-origin';
  }

  /** Why a request for the page or its data is refused; undefined: it is not. */
  refuses(headers: GuardedHeaders): Refusal | undefined {
    return this.refusesPlace(headers) ?? (this.hasCookie(headers.cookie) ? undefined : 'unknown');
  }

  private get cookieName(): string {
    return `edgeloom_studio_${this.port}`;
  }

  private hasCookie(header: string | undefined): boolean {
    const cookies = (header ?? '').split(';').map((cookie) => cookie.trim());
    return cookies.some((cookie) => isSame(cookie, `${this.cookieName}=${this.session}`));
  }
}

function randomText(): string {
  return randomBytes(32).toString('base64url');
}

/** Compares in a time that does not depend on where two texts differ. */
function isSame(left: string, right: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
