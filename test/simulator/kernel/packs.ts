import type { Pack } from './pack.ts';

/** The packs of schedules, by the names that they have on the command line. Only what is run is loaded. */
const PACKS = {
  projecting: async () => (await import('../packs/projecting/schedule.ts')).PACK,
  evolution: async () => (await import('../packs/evolution/schedule.ts')).PACK,
  observer: async () => (await import('../packs/observer/schedule.ts')).PACK,
  verify: async () => (await import('../packs/verify/schedule.ts')).PACK,
  watch: async () => (await import('../packs/watch/schedule.ts')).PACK,
  rebuilds: async () => (await import('../packs/rebuilds/schedule.ts')).PACK,
  sources: async () => (await import('../packs/sources/schedule.ts')).PACK,
  tenants: async () => (await import('../packs/tenants/schedule.ts')).PACK,
  updates: async () => (await import('../packs/updates/schedule.ts')).PACK,
  ended: async () => (await import('../packs/ended/schedule.ts')).PACK,
  native: async () => (await import('../packs/native/schedule.ts')).PACK,
  walks: async () => (await import('../packs/walks/schedule.ts')).PACK,
  level: async () => (await import('../packs/level/schedule.ts')).PACK,
} satisfies Record<string, () => Promise<Pack>>;

/** The name of a pack. */
export type PackName = keyof typeof PACKS;

/** The names of all packs. */
export const PACK_NAMES = Object.keys(PACKS) as PackName[];

/** Loads a pack. */
export async function packOf(name: PackName): Promise<Pack> {
  return await PACKS[name]();
}
