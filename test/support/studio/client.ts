import { request } from 'node:http';

/** What a request got. */
export interface Got {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** Sends a request as it is, its `Host` included. */
export function send(
  url: string,
  headers: Record<string, string> = {},
  { method = 'GET', body }: { method?: string; body?: string } = {},
): Promise<Got> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** What a page that was opened with a studio's address sends with each request for data. */
export function openedHeaders(url: string): Record<string, string> {
  return { 'x-edgeloom-studio': tokenOf(url) };
}

/** The token in a studio's address. */
export function tokenOf(url: string): string {
  return new URL(url).hash.replace('#token=', '');
}

/** An answer of a studio: what was asked, or an error, and the units. */
export interface StudioReply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: each route answers with its own shape
  answer: any;
  error?: { code: string; message: string };
  units: { rcu: number; wcu: number };
  text: string;
}

/** Asks a studio as its page does. */
export function studioClient(url: string) {
  const headers = openedHeaders(url);
  const reply = ({ status, body }: Got): StudioReply => ({ status, ...JSON.parse(body), text: body });
  return {
    get: async (path: string): Promise<StudioReply> => reply(await send(new URL(path, url).href, headers)),
    post: async (path: string, body: unknown): Promise<StudioReply> =>
      reply(
        await send(
          new URL(path, url).href,
          { ...headers, 'content-type': 'application/json' },
          { method: 'POST', body: JSON.stringify(body) },
        ),
      ),
  };
}
