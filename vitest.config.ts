import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// The SDK's notice about future Node versions says nothing about a test.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';

// The examples import the package by its name; here they get the sources.
const source = (path: string): string => fileURLToPath(new URL(`src/${path}`, import.meta.url));
const alias = [
  { find: /^edgeloom$/, replacement: source('index.ts') },
  { find: /^edgeloom\/tools$/, replacement: source('tools.ts') },
  { find: /^edgeloom\/(lambda|local)$/, replacement: `${source('')}$1/index.ts` },
];

// An engine on a busy machine may be ten times slower than on a quiet one: a time limit is there for what hangs, not for what is slow.
const storage = { globalSetup: ['test/support/global-setup.ts'], testTimeout: 1_800_000, hookTimeout: 1_800_000 };

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    projects: [
      { test: { name: 'unit', include: ['test/unit/**/*.test.ts'], testTimeout: 300_000 } },
      {
        test: {
          name: 'property',
          include: ['test/property/**/*.test.ts'],
          testTimeout: 1_800_000,
          hookTimeout: 1_800_000,
        },
      },
      { test: { name: 'contract', include: ['test/contract/**/*.test.ts'], ...storage } },
      { resolve: { alias }, test: { name: 'integration', include: ['test/integration/**/*.test.ts'], ...storage } },
      {
        resolve: { alias },
        test: {
          ...storage,
          name: 'hostile',
          include: ['test/hostile/**/*.test.ts'],
          globalSetup: [...storage.globalSetup, 'test/support/build.ts'],
        },
      },
      {
        test: {
          ...storage,
          name: 'studio',
          expect: { poll: { timeout: 60_000, interval: 100 } },
          include: ['test/studio/**/*.test.ts'],
          globalSetup: [...storage.globalSetup, 'test/support/build.ts'],
        },
      },
      {
        test: {
          ...storage,
          name: 'stack',
          include: ['test/stack/**/*.test.ts'],
          globalSetup: [...storage.globalSetup, 'test/support/stack/package.ts'],
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/support/build.ts', 'test/support/stack/package.ts'],
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      {
        test: {
          name: 'types',
          include: [],
          typecheck: { enabled: true, only: true, include: ['test/types/**/*.test-d.ts'], tsconfig: './tsconfig.json' },
        },
      },
    ],
  },
});
