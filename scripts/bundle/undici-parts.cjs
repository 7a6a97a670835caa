const { readFile } = require('node:fs/promises');
const { join } = require('node:path');
const { brotliCompressSync, constants } = require('node:zlib');

/** Modules that import undici for the table's client. A user's own import of undici gets all of it. */
const OWN = /[\\/](src[\\/]store|@smithy[\\/]undici-http-handler)[\\/]/;

const UNUSED_ERRORS = [
  'BalancedPoolMissingUpstreamError',
  'InvalidReturnValueError',
  'RequestRetryError',
  'ResponseError',
  'SecureProxyConnectionError',
  'Socks5ProxyError',
  'MessageSizeExceededError',
];

/**
 * Bundles only the parts of undici that requests to AWS need. Relies on undici's private files, so its version is
 * pinned.
 */
const undiciParts = {
  name: 'undici-parts',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^undici$/ }, ({ importer, kind }) =>
      kind !== 'entry-point' && OWN.test(importer) ? { path: join(__dirname, 'undici.cjs') } : undefined,
    );
    onResolve({ filter: /(\/client-h2|\/web\/fetch\/body)\.js$/ }, ({ resolveDir }) => {
      if (/[\\/]undici[\\/]lib[\\/]dispatcher$/.test(resolveDir)) return { path: join(__dirname, 'left-out.cjs') };
      return undefined;
    });
    // undici has two parsers: one with SIMD, which every machine of Lambda supports, and one without.
    onResolve({ filter: /\/llhttp-wasm\.js$/ }, ({ resolveDir }) => ({
      path: join(resolveDir, '../llhttp/llhttp_simd-wasm.js'),
    }));
    // Compressed, the parser is a quarter as long. A start unpacks it in less than a millisecond.
    onLoad({ filter: /[\\/]undici[\\/]lib[\\/]llhttp[\\/]llhttp_simd-wasm\.js$/ }, ({ path }) => {
      const packed = brotliCompressSync(require(path), {
        params: { [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_FONT },
      }).toString('base64');
      return { contents: parserOf(packed), loader: 'js' };
    });
    // Removes errors of parts that are left out: proxies, retries and web sockets.
    onLoad({ filter: /[\\/]undici[\\/]lib[\\/]core[\\/]errors\.js$/ }, async ({ path }) => {
      let contents = await readFile(path, 'utf8');
      for (const name of UNUSED_ERRORS) {
        const rest = contents
          .replace(new RegExp(`^class ${name} [^]*?^}$`, 'm'), '')
          .replace(new RegExp(`^  ${name},?$`, 'm'), '');
        if (rest.includes(` ${name}`)) throw new Error(`${path} has the error ${name} at another place.`);
        contents = rest;
      }
      return { contents, loader: 'js' };
    });
    // Keeps the diagnostics channels, except those of parts that are left out, and drops the logging for NODE_DEBUG.
    onLoad({ filter: /[\\/]undici[\\/]lib[\\/]core[\\/]diagnostics\.js$/ }, ({ path }) => {
      const channels = Object.entries(require(path).channels).map(([key, { name }]) => [key, name]);
      const names = channels.filter(([, name]) => !/:(websocket|proxy):/.test(name));
      const contents = `
        const { channel } = require('node:diagnostics_channel');
        const channels = {};
        for (const [key, name] of ${JSON.stringify(names)}) channels[key] = channel(name);
        module.exports = { channels };`;
      return { contents, loader: 'js' };
    });
    // Only people read the names of private symbols.
    onLoad({ filter: /[\\/]undici[\\/]lib[\\/]core[\\/]symbols\.js$/ }, async ({ path }) => {
      const contents = (await readFile(path, 'utf8')).replace(/\bSymbol\('[^']*'\)/g, 'Symbol()');
      return { contents, loader: 'js' };
    });
    onLoad({ filter: /[\\/]undici[\\/]lib[\\/]llhttp[\\/]constants\.js$/ }, async ({ path }) => {
      const client = await readFile(join(path, '../../dispatcher/client-h1.js'), 'utf8');
      const used = new Set([...client.matchAll(/\bconstants\.(\w+)/g)].map(([, name]) => name));
      const all = require(path);
      const kept = Object.fromEntries([...used].map((name) => [name, all[name]]));
      return { contents: `module.exports = ${JSON.stringify(kept)};`, loader: 'js' };
    });
  },
};

function parserOf(packed) {
  return `
    const { brotliDecompressSync } = require('node:zlib');
    let parser;
    Object.defineProperty(module, 'exports', {
      get: () => (parser ??= brotliDecompressSync(Buffer.from('${packed}', 'base64'))),
    });`;
}

module.exports = undiciParts;
