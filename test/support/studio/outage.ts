import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** An endpoint before another one, which can be cut off. */
export interface Outage {
  endpoint: string;
  /** Ends all connections, and refuses others. */
  begin(): Promise<void>;
  /** Takes connections again. */
  end(): Promise<void>;
}

/** Listens before an endpoint of this machine. */
export async function outageBefore(endpoint: string): Promise<Outage> {
  const { hostname, port } = new URL(endpoint);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const behind = connect(Number(port), hostname);
    for (const [one, other] of [
      [socket, behind],
      [behind, socket],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  const listen = (own: number): Promise<void> => new Promise((resolve) => server.listen(own, '127.0.0.1', resolve));
  await listen(0);
  const { port: own } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${own}`,
    begin: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    end: () => listen(own),
  };
}
