/**
 * The parts of undici that the SDK's request handler uses. Left out are fetch, WebSocket, mocks and proxies, three
 * quarters of undici. Like undici itself, mixes its API into dispatchers, but only `request`, because nothing else is
 * called.
 */
const Agent = require('undici/lib/dispatcher/agent.js');
const Dispatcher = require('undici/lib/dispatcher/dispatcher.js');

Dispatcher.prototype.request = require('undici/lib/api/api-request.js');

module.exports = { Agent, Dispatcher, getGlobalDispatcher: require('undici/lib/global.js').getGlobalDispatcher };
