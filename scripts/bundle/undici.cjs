/**
 * What the SDK's request handler uses of undici: not fetch, WebSocket, mocks and proxies, three quarters of it. As in
 * undici itself, dispatchers get their API mixed in, of which only `request` is called.
 */
const Agent = require('undici/lib/dispatcher/agent.js');
const Dispatcher = require('undici/lib/dispatcher/dispatcher.js');

Dispatcher.prototype.request = require('undici/lib/api/api-request.js');

module.exports = { Agent, Dispatcher, getGlobalDispatcher: require('undici/lib/global.js').getGlobalDispatcher };
