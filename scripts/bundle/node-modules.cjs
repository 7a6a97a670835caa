const { isBuiltin } = require('node:module');

/**
 * Lets bundled CommonJS packages have Node's own modules: their `require` becomes an import, which also holds where a user
 * bundles these files once more.
 */
const nodeModules = {
  name: 'node-modules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?[a-z_/]+$/ }, ({ path, kind, namespace }) => {
      if (kind !== 'require-call' || !isBuiltin(path)) return undefined;
      return { path, namespace: namespace === 'required' ? 'imported' : 'required' };
    });
    onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)}).default;`,
    }));
    onLoad({ filter: /.*/, namespace: 'imported' }, ({ path }) => {
      const specifier = path.startsWith('node:') ? path : `node:${path}`;
      return { contents: `import whole from ${JSON.stringify(specifier)};\nexport default whole;` };
    });
  },
};

module.exports = nodeModules;
