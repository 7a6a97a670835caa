import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Another origin can't send this header without a preflight. */
const TOKEN_HEADER = 'x-edgeloom-studio';

/** `unknown`: the request lacks the right token. */
export type Refusal = 'wrong-host' | 'wrong-origin' | 'unknown';

export type GuardedHeaders = Pick<IncomingHttpHeaders, 'host' | 'origin'> & Record<string, unknown>;

/**
 * Decides which requests a studio answers. Any web page opened on this machine can reach loopback, by a name that
 * resolves to 127.0.0.1 (see `Host`) or from another origin (see `Origin`, `Sec-Fetch-Site`). A random token in the
 * fragment of the printed address keeps out other users and programs. It isn't a cookie, because browsers send cookies
 * to every port.
 */
export class Guard {
  readonly token = randomBytes(32).toString('base64url');

  constructor(private readonly port: number) {}

  /** Needs no token: the page's files hold no data. */
  refusalOfPage({ host, origin, ...headers }: GuardedHeaders): Refusal | undefined {
    const hosts = [`127.0.0.1:${this.port}`, `localhost:${this.port}`];
    if (host === undefined || !hosts.includes(host)) return 'wrong-host';
    if (origin !== undefined && origin !== `http://${host}`) return 'wrong-origin';
    const site = headers['sec-fetch-site'];
    // `none`: a typed address, or one opened by another program.
    const isOwn = site === undefined || site === 'none' || site === 'same-origin';
    return isOwn || headers['sec-fetch-mode'] === 'navigate' ? undefined : 'wrong-origin';
  }

  refusalOfData(headers: GuardedHeaders): Refusal | undefined {
    const given = headers[TOKEN_HEADER];
    const isKnown = typeof given === 'string' && equalInConstantTime(given, this.token);
    return this.refusalOfPage(headers) ?? (isKnown ? undefined : 'unknown');
  }
}

function equalInConstantTime(left: string, right: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
