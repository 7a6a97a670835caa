/**
 * In the place of parts of undici that requests to AWS never use: HTTP/2, which the client does not ask for, and bodies that
 * are forms, with fetch and WebIDL behind them.
 */
function leftOut() {
  throw new Error('This part of undici is left out of the bundle: HTTP/2, and bodies that are forms.');
}

module.exports = leftOut;
module.exports.extractBody = leftOut;
