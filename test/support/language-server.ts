import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const TSC = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
const HEAD_END = '\r\n\r\n';

/** A message of the language server protocol: a request, an answer, or a notice. */
interface Message {
  id?: number;
  method?: string;
  params?: { items?: readonly unknown[] };
  result?: unknown;
  error?: { message: string };
}

/**
 * The texts that an editor shows over the constants that a file exports, by name: TypeScript's own language server is asked.
 * The file's project is the nearest tsconfig.json. Throws what the server refuses.
 */
export async function hovers(file: string): Promise<Map<string, string>> {
  const text = await readFile(file, 'utf8');
  const uri = pathToFileURL(file).href;
  const server = startServer();
  try {
    await server.ask('initialize', {
      processId: process.pid,
      rootUri: pathToFileURL(dirname(file)).href,
      capabilities: { textDocument: { hover: { contentFormat: ['plaintext'] } } },
    });
    server.say('initialized', {});
    server.say('textDocument/didOpen', { textDocument: { uri, languageId: 'typescript', version: 1, text } });
    const shown = new Map<string, string>();
    for (const [line, written] of text.split('\n').entries()) {
      const name = /^export const (\w+)/.exec(written)?.[1];
      if (name === undefined) continue;
      const position = { line, character: 'export const '.length };
      const hover = await server.ask('textDocument/hover', { textDocument: { uri }, position });
      shown.set(name, (hover as { contents: { value: string } }).contents.value.trim());
    }
    await server.ask('shutdown');
    server.say('exit');
    await server.ended;
    return shown;
  } finally {
    server.kill();
  }
}

/** Starts the server; requests are answered by their ids, and its own requests with nothing. */
function startServer() {
  const child = spawn(process.execPath, [TSC, '--lsp', '--stdio'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting = new Map<number, (answer: Message) => void>();
  const send = (message: object): void => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}${HEAD_END}${body}`);
  };
  const receive = ({ id, method, params, result, error }: Message): void => {
    if (id === undefined) return;
    // A request for settings wants one answer for each item.
    if (method !== undefined) send({ id, result: params?.items?.map(() => null) ?? null });
    else waiting.get(id)?.({ result, ...(error === undefined ? {} : { error }) });
  };
  let unread: Buffer = Buffer.alloc(0);
  child.stdout.on('data', (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk]);
    for (;;) {
      const headEnd = unread.indexOf(HEAD_END);
      if (headEnd < 0) return;
      const length = Number(/Content-Length: (\d+)/i.exec(unread.subarray(0, headEnd).toString())?.[1]);
      const start = headEnd + HEAD_END.length;
      if (unread.length < start + length) return;
      receive(JSON.parse(unread.subarray(start, start + length).toString()) as Message);
      unread = unread.subarray(start + length);
    }
  });
  const ended = once(child, 'exit');
  let lastId = 0;
  const ask = async (method: string, params?: unknown): Promise<unknown> => {
    lastId += 1;
    const id = lastId;
    const answered = new Promise<Message>((resolve) => waiting.set(id, resolve));
    send({ id, method, params });
    const gone = ended.then((): Message => ({ error: { message: 'the language server has ended' } }));
    const { result, error } = await Promise.race([answered, gone]);
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  return {
    ask,
    say: (method: string, params?: unknown): void => send({ method, params }),
    ended,
    kill: (): void => void child.kill(),
  };
}
