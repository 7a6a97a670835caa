import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Jiti } from 'jiti';
import * as vocabulary from '../../vocabulary.ts';
import { cacheFolder, IS_SOURCE, ownModule } from './package-files.ts';

/** Creates a loader for a user's modules, which run with all rights of this process and import this package. */
export async function createModuleLoader(): Promise<Jiti> {
  const { createJiti } = await import('jiti');
  return createJiti(import.meta.url, {
    fsCache: join(cacheFolder(), 'modules'),
    alias: {
      'edgeloom/admin': ownModule('src/admin'),
      'edgeloom/feed': ownModule('src/feed'),
      'edgeloom/lambda': ownModule('src/deployment/lambda/index'),
      'edgeloom/local': ownModule('packages/local/index'),
      'edgeloom/stack': ownModule('src/deployment/stack/index'),
      'edgeloom/telemetry': ownModule('src/deployment/telemetry/index'),
      'edgeloom/types': ownModule('src/types'),
      ...(IS_SOURCE && { edgeloom: ownModule('src/index') }),
    },
    ...(!IS_SOURCE && { virtualModules: { edgeloom: libraryOnDemand() } }),
  });
}

/** Loads everything but the vocabulary on demand, because a model file rarely needs more and the SDK loads slowly. */
function libraryOnDemand(): object {
  let library: object | undefined;
  const whole = (): object => {
    library ??= createRequire(import.meta.url)(ownModule('src/index')) as object;
    return library;
  };
  return new Proxy(
    { ...vocabulary },
    {
      get: (known, name) => Reflect.get(isAtHand(known, name) ? known : whole(), name),
      has: (known, name) => isAtHand(known, name) || Reflect.has(whole(), name),
    },
  );
}

/** Includes names that only loaders ask for, such as `default` and `then`, so that they don't load the library. */
function isAtHand(known: object, name: string | symbol): boolean {
  return typeof name === 'symbol' || name in known || /^(default|then|__\w+)$/.test(name);
}
