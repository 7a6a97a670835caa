/** `npm run simulate -- PACK`: long runs of a pack of schedules. */

/** Packs of `test/schedules` share a program, which takes the pack's name itself. */
const SCHEDULES = (): Promise<unknown> => import('../schedules/main.ts');
const PACKS: Readonly<Record<string, () => Promise<unknown>>> = {
  projecting: () => import('./main.ts'),
  evolution: () => import('./evolution/main.ts'),
  ledgers: () => import('./ledgers/main.ts'),
  observer: () => import('./observer/main.ts'),
  verify: () => import('./verify/main.ts'),
  watch: () => import('./watch/main.ts'),
  joined: SCHEDULES,
  rebuilds: SCHEDULES,
  tenants: SCHEDULES,
  updates: SCHEDULES,
  walks: SCHEDULES,
};

const [, , name = ''] = process.argv;
const pack = PACKS[name];
if (pack === undefined) {
  console.error(
    `Usage: npm run simulate -- PACK [OPTION...], --help for those of a pack. Packs: ${Object.keys(PACKS).join(', ')}.`,
  );
  process.exitCode = 2;
} else {
  if (pack !== SCHEDULES) process.argv.splice(2, 1);
  await pack();
}
