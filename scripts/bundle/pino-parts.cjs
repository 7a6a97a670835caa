const { join } = require('node:path');

/** Bundles pino without redaction, and without transports, which would log in a separate thread. */
const pinoParts = {
  name: 'pino-parts',
  setup({ onResolve }) {
    onResolve({ filter: /\/(transport|multistream|redact)$/ }, ({ importer }) =>
      /[\\/]node_modules[\\/]pino[\\/]/.test(importer) ? { path: join(__dirname, 'left-out.cjs') } : undefined,
    );
  },
};

module.exports = pinoParts;
