/** The plugins that this repository's own functions are bundled with: they are made of the sources, not of the built package. */
module.exports = [
  require('./undici-parts.cjs'),
  require('./pino-parts.cjs'),
  ...require('../../assets/bundle/plugins.cjs'),
];
