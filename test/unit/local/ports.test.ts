import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startEngine } from '../../../packages/local/engine/engine.ts';
import { answers, freePort, isFree } from '../../../packages/local/engine/ports.ts';

describe('ports', () => {
  it.each(['127.0.0.1', '0.0.0.0'])('one that is listened on at %s is not free, and is again later', async (host) => {
    const port = await freePort();
    expect(await isFree(port)).toBe(true);
    const server = createServer().listen(port, host);
    await once(server, 'listening');
    expect(await isFree(port)).toBe(false);
    server.close();
    await once(server, 'close');
    expect(await isFree(port)).toBe(true);
  });

  it.each([0, 65_536])(
    'the engine refuses the port %i instead of naming an endpoint that nobody serves',
    async (port) => {
      await expect(startEngine({ engine: 'memory', port })).rejects.toMatchObject({
        code: 'invalid-argument',
        message: `port of startEngine should be a whole number from 1 to 65535, but is ${port}.`,
      });
    },
  );

  it('a port without a listener does not answer', async () => {
    expect(await answers(await freePort())).toBe(false);
  });
});
