import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Jiti } from 'jiti';
import * as vocabulary from '../../vocabulary.ts';
import { cacheFolder } from './cache-folder.ts';
import { IS_SOURCE, ownModule } from './package-files.ts';

/**
 * Loads a user's modules, TypeScript or JavaScript, without a build step. Their imports of `edgeloom` get this very
 * package, installed or not. A module is code and runs with all rights of this process.
 */
export async function createModuleLoader(): Promise<Jiti> {
  const { createJiti } = await import('jiti');
  return createJiti(import.meta.url, {
    // Translated modules are code too: they are kept where other users of this machine cannot write.
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

/**
 * The library, of which all but the vocabulary is loaded when it is asked for: a model file seldom does, and the SDK takes longer to
 * load than the command that wants the model.
 */
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

/** Loaders ask for names of their own, such as `default` and `then`. */
function isAtHand(known: object, name: string | symbol): boolean {
  return typeof name === 'symbol' || name in known || /^(default|then|__\w+)$/.test(name);
}
