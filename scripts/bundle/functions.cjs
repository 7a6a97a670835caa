/**
 * The plugins that bundle this repository's own functions. They are bundled from the sources, not from the built
 * package.
 */
module.exports = [
  require('./undici-parts.cjs'),
  require('./pino-parts.cjs'),
  ...require('../../assets/bundle/plugins.cjs'),
];
