const { readFile } = require('node:fs/promises');

/** A source map that says nothing. */
const NO_MAP =
  '//# sourceMappingURL=data:application/json;base64,' +
  Buffer.from('{"version":3,"sources":[""],"mappings":"A"}').toString('base64');

/**
 * Leaves packages out of the source maps: Node reads a map whole when it loads the file, and packages are three quarters of it.
 * Stacks show own code by its lines, packages' by their places in the bundle.
 */
const ownMaps = {
  name: 'own-maps',
  setup({ onLoad, initialOptions: { sourcemap } }) {
    if (!sourcemap) return;
    onLoad({ filter: /[\\/]node_modules[\\/].+\.(js|mjs|cjs)$/ }, async ({ path }) => {
      // In a user's project this very package is one of them.
      if (/[\\/]node_modules[\\/]edgeloom[\\/](?!.*node_modules)/.test(path)) return undefined;
      return { contents: `${await readFile(path, 'utf8')}\n${NO_MAP}`, loader: 'js' };
    });
  },
};

module.exports = ownMaps;
