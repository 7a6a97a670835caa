import net from 'node:net';

/** Loaded into a process that must do without network: a connection to another machine, or a name to look up, ends it. */
const connect = net.Socket.prototype.connect;

net.Socket.prototype.connect = function (...args) {
  const options = args.flat()[0];
  const isLocal = typeof options === 'object' && options !== null && 'path' in options && options.path !== undefined;
  if (!isLocal) {
    process.stderr.write(`a connection was tried: ${JSON.stringify(options)}\n`);
    process.exit(97);
  }
  return connect.apply(this, args);
};
