import type { Pack } from './pack.ts';

/** The packs of schedules, by the names that they have on the command line. Only what is run is loaded. */
const PACKS = {
  projecting: async () => (await import('../schedule.ts')).PACK,
  evolution: async () => (await import('../evolution/schedule.ts')).PACK,
  ledgers: async () => (await import('../ledgers/schedule.ts')).PACK,
  observer: async () => (await import('../observer/schedule.ts')).PACK,
  verify: async () => (await import('../verify/schedule.ts')).PACK,
  watch: async () => (await import('../watch/schedule.ts')).PACK,
  joined: async () => (await import('../../schedules/joined.ts')).PACK,
  rebuilds: async () => (await import('../../schedules/rebuilds.ts')).PACK,
  mirror: async () => (await import('../../schedules/mirror.ts')).PACK,
  'mirror-lines': async () => (await import('../../schedules/mirror-lines.ts')).PACK,
  'mirror-attack': async () => (await import('../../schedules/mirror-attack.ts')).PACK,
  tenants: async () => (await import('../../schedules/tenants.ts')).PACK,
  updates: async () => (await import('../../schedules/updates.ts')).PACK,
  ended: async () => (await import('../../schedules/ended.ts')).PACK,
  walks: async () => (await import('../../schedules/walks.ts')).PACK,
} satisfies Record<string, () => Promise<Pack>>;

/** The name of a pack. */
export type PackName = keyof typeof PACKS;

/** The names of all packs. */
export const PACK_NAMES = Object.keys(PACKS) as PackName[];

/** Loads a pack. */
export async function packOf(name: PackName): Promise<Pack> {
  return await PACKS[name]();
}
