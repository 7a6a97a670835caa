import { answer, type Request } from './answer.ts';

/** The program of a simulator's process: runs what its parent asks for. See `runner.ts`. */

/** What the parent is sent: `done` comes in between, the reply at the end. */
export type Message = { done: number } | { reply: unknown };

const PROGRESS_INTERVAL_MS = 200;

// Ctrl-C reaches the whole group of processes; the parent decides what comes of it.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit());
process.on('message', (request: Request) => {
  let lastMs = Date.now();
  const onProgress = (done: number): void => {
    if (Date.now() - lastMs < PROGRESS_INTERVAL_MS) return;
    lastMs = Date.now();
    send({ done });
  };
  void answer(request, onProgress).then((reply) => send({ reply }));
});

function send(message: Message): void {
  process.send!(message);
}
