/**
 * A program that starts an engine, says where it is, and then ends in the way that its second argument names.
 * Arguments: engine, `wait` | `exit` | `throw` | `return`.
 */
import { type EngineName, startEngine } from '../../packages/local/engine/engine.ts';

const [engine, ending] = process.argv.slice(2);
const { endpoint } = await startEngine({ engine: engine as EngineName });
process.stdout.write(`${endpoint}\n`);
if (ending === 'wait') setInterval(() => undefined, 60_000);
if (ending === 'exit') process.exit(0);
if (ending === 'throw') setTimeout(() => Promise.reject(new Error('as planned')), 10);
