const { join } = require('node:path');
const ownMaps = require('./own-maps.cjs');
const split = require('./split.cjs');

/** Packages of which a function needs only a part, by what goes into the bundle instead of them. */
const PARTS = {
  undici: 'undici.cjs',
  '@aws-sdk/credential-provider-node': 'credentials.cjs',
};

/** Keeps the bundles small: what is in them is read and compiled at each cold start. */
const onlyParts = {
  name: 'only-parts',
  setup(build) {
    build.onResolve({ filter: /^(undici|@aws-sdk\/credential-provider-node)$/ }, ({ path }) => ({
      path: join(__dirname, PARTS[path]),
    }));
    build.onResolve({ filter: /(\/client-h2|\/web\/fetch\/body)\.js$/ }, ({ resolveDir }) => {
      if (/[\\/]undici[\\/]lib[\\/]dispatcher$/.test(resolveDir)) return { path: join(__dirname, 'left-out.cjs') };
      return undefined;
    });
    // undici brings its parser twice: with SIMD, which every machine of Lambda has, and for those that lack it.
    build.onResolve({ filter: /\/llhttp-wasm\.js$/ }, ({ resolveDir }) => ({
      path: join(resolveDir, '../llhttp/llhttp_simd-wasm.js'),
    }));
  },
};

module.exports = [onlyParts, split, ownMaps];
