import { createReader, createWriter, type Store } from 'edgeloom';
import graph from '../edgeloom.config.ts';

/** Who follows whom, on an Edgeloom table. */
export function createFollows(store: Store) {
  const writer = createWriter(graph, { store });
  const reader = createReader(graph, { store });
  return {
    signUp: (id: string, name: string) => writer.putNode(`USER-${id}`, { name }),
    follow: (id: string, other: string, since: string) =>
      writer.putEdge(`USER-${id}`, 'FOLLOWS', `USER-${other}`, { since }),
    unfollow: (id: string, other: string) => writer.deleteEdge(`USER-${id}`, 'FOLLOWS', `USER-${other}`),
    /** A user's name and whom they follow: one read, however many they are. */
    async profile(id: string): Promise<{ name: string | undefined; follows: string[] }> {
      const user = await reader.getView(`USER-${id}`);
      return { name: user?.attributes?.name, follows: (user?.edgeSet ?? []).map(({ target }) => target) };
    },
    /** A user's followers, the newest first. */
    async followers(id: string): Promise<string[]> {
      const { items } = await reader.inbound(`USER-${id}`, 'FOLLOWS', { reverse: true });
      return items.map(({ source }) => source);
    },
    /** Users whose names begin so, whatever the case of the letters. */
    async find(prefix: string): Promise<string[]> {
      const { items } = await reader.search('USER.name').beginsWith(prefix);
      return items.map(({ value }) => String(value));
    },
  };
}
