/**
 * Replaces unused parts of bundled libraries: HTTP/2 of undici, which the client doesn't use, and its form bodies with
 * fetch and WebIDL; transports and redaction of pino.
 */
function leftOut() {
  throw new Error(
    'This part of a library is left out of the bundle: HTTP/2 and forms of undici, transports and redaction of pino.',
  );
}

module.exports = leftOut;
module.exports.extractBody = leftOut;
