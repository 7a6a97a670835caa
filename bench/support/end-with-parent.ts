import { fstatSync } from 'node:fs';

/** Ends with the process that started this one, whose end of the pipe closes. From a terminal or a file, it goes on. */
export function endWithParent(): void {
  if (!fstatSync(0).isSocket()) return;
  const { stdin } = process;
  stdin.resume().once('end', () => process.exit(1));
  // Doesn't keep a finished process alive.
  if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
}
