const { join } = require('node:path');
const ownMaps = require('./own-maps.cjs');
const split = require('./split.cjs');

/** A function's credentials are in its environment: the SDK's clients that look for others stay out of the bundle. */
const ownCredentials = {
  name: 'own-credentials',
  setup({ onResolve }) {
    const path = join(__dirname, 'credentials.cjs');
    onResolve({ filter: /^@aws-sdk\/credential-provider-node$/ }, () => ({ path }));
  },
};

module.exports = [ownCredentials, split, ownMaps];
