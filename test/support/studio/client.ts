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

/** The cookie of a browser that opened a studio. */
export async function openedCookie(url: string): Promise<string> {
  const { headers } = await send(url);
  return String(headers['set-cookie']).split(';')[0]!;
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
export function studioClient(url: string, cookie: string) {
  const headers = { cookie, 'x-edgeloom-studio': '1' };
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
