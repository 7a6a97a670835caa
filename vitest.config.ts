import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import ByProject from './scripts/tests/by-project.ts';

// The SDK's notice about future Node versions says nothing about a test.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';

// The examples import the package by its name; here they get the sources.
const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const alias = [
  { find: /^edgeloom$/, replacement: source('src/index.ts') },
  { find: /^edgeloom\/admin$/, replacement: source('src/admin.ts') },
  { find: /^edgeloom\/feed$/, replacement: source('src/feed.ts') },
  { find: /^edgeloom\/types$/, replacement: source('src/types.ts') },
  { find: /^edgeloom\/stack$/, replacement: source('src/deployment/stack/index.ts') },
  { find: /^edgeloom\/telemetry$/, replacement: source('src/deployment/telemetry/index.ts') },
  { find: /^edgeloom\/lambda$/, replacement: source('src/deployment/lambda/index.ts') },
  { find: /^edgeloom\/local$/, replacement: source('packages/local/index.ts') },
];

// An engine on a busy machine may be ten times slower than on a quiet one: a time limit is there for what hangs, not for what is slow.
const LIMITS = { testTimeout: 900_000, hookTimeout: 900_000 };
const ENGINE = 'test/support/global-setup.ts';
const BUILD = 'test/support/build.ts';
const PACKAGE = 'test/support/stack/package.ts';
const EXTENT = 'test/support/extent-setup.ts';
/** Each file measures its CPU. */
const CPU = 'test/support/cpu-setup.ts';
/** Properties draw by the seed of the run, which EXTENT gives. */
const DRAWS = [CPU, 'test/support/draws-setup.ts'];
/** On DynamoDB Local each file has an engine of its own, which ends with its process. */
const isolate = process.env['EDGELOOM_TEST_ENGINE'] === 'dynamodb-local';

/** What a test waits for has a minute: a busy machine is no fault. */
const PATIENT = { expect: { poll: { timeout: 60_000, interval: 50 } } };

/** Files share a process: nothing that a test leaves behind may reach the next one. */
const CLEAN = { restoreMocks: true, unstubEnvs: true, unstubGlobals: true };

/** The tests of a folder of `test`. A process for each file, which `isolate: false` spares, costs half a second of CPU a file. */
function folder(name: string, options: TestProjectInlineConfiguration['test']): TestProjectInlineConfiguration {
  return {
    resolve: { alias },
    test: { ...LIMITS, ...PATIENT, ...CLEAN, name, include: [`test/${name}/**/*.test.ts`], ...options },
  };
}

export default defineConfig({
  test: {
    pool: 'forks',
    // More than the two cores that it is measured on: half of the time of tests is waits.
    maxWorkers: 4,
    sequence: { sequencer: ByProject },
    // A run keeps what it made of each source for the next one, where `npm ci` leaves it. Without that, every run spends a sixth of its CPU on it.
    experimental: { fsModuleCache: true, fsModuleCachePath: '.cache/vitest' },
    // Tests read these files, without importing them.
    forceRerunTriggers: [
      'package.json',
      'vitest.config.ts',
      'assets/**',
      'examples/**',
      'test/**/*.{json,jsonl,mjs}',
    ].map((pattern) => `**/${pattern}`),
    reporters: ['default', './scripts/tests/counts-reporter.ts', './scripts/tests/cpu-reporter.ts'],
    // The last ones run first: those with the longest files.
    projects: [
      folder('unit', { isolate: false, globalSetup: [EXTENT], setupFiles: DRAWS }),
      folder('contract', { isolate, globalSetup: [ENGINE, EXTENT], setupFiles: DRAWS }),
      folder('integration', { isolate, globalSetup: [ENGINE, EXTENT], setupFiles: DRAWS }),
      folder('hostile', { isolate: false, globalSetup: [ENGINE, BUILD, EXTENT], setupFiles: DRAWS }),
      folder('cli', { globalSetup: [BUILD], setupFiles: CPU }),
      folder('studio', { globalSetup: [ENGINE, BUILD] }),
      folder('stack', { globalSetup: [ENGINE, PACKAGE] }),
      folder('e2e', { globalSetup: [BUILD, PACKAGE] }),
      folder('property', { isolate: false, globalSetup: [EXTENT], setupFiles: DRAWS }),
    ],
  },
});
