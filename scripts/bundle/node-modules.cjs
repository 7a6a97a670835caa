const { isBuiltin } = require('node:module');

/**
 * Lets bundled CommonJS packages use Node's own modules. Turns their `require` into an import, which also works if a
 * user bundles these files again.
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
