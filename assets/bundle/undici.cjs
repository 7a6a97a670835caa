/**
 * What the SDK's request handler uses of undici: not fetch, WebSocket, mocks and proxies, a quarter of a bundle. As in
 * undici itself, dispatchers get their API mixed in.
 */
const Agent = require('undici/lib/dispatcher/agent.js');
const Dispatcher = require('undici/lib/dispatcher/dispatcher.js');

Object.assign(Dispatcher.prototype, require('undici/lib/api/index.js'));

module.exports = { Agent, Dispatcher, getGlobalDispatcher: require('undici/lib/global.js').getGlobalDispatcher };
