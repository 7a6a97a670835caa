/**
 * In the place of parts of bundled libraries that are never used: of undici HTTP/2, which the client does not ask for, and bodies that are
 * forms, with fetch and WebIDL behind them; of pino its transports and redaction.
 */
function leftOut() {
  throw new Error(
    'This part of a library is left out of the bundle: HTTP/2 and forms of undici, transports and redaction of pino.',
  );
}

module.exports = leftOut;
module.exports.extractBody = leftOut;
