/** `npm run simulate -- PACK`: long runs of a pack of schedules. */

const PACKS: Readonly<Record<string, () => Promise<unknown>>> = {
  projecting: () => import('./main.ts'),
  evolution: () => import('./evolution/main.ts'),
  ledgers: () => import('./ledgers/main.ts'),
  observer: () => import('./observer/main.ts'),
  verify: () => import('./verify/main.ts'),
  watch: () => import('./watch/main.ts'),
  joined: () => import('../schedules/main.ts'),
  updates: () => import('../schedules/main.ts'),
  walks: () => import('../schedules/main.ts'),
};

const pack = PACKS[process.argv[2] ?? ''];
if (pack === undefined) {
  console.error(
    `Usage: npm run simulate -- PACK [OPTION...], --help for those of a pack. Packs: ${Object.keys(PACKS).join(', ')}.`,
  );
  process.exitCode = 2;
} else {
  await pack();
}
