import { fstatSync } from 'node:fs';

/**
 * Ends this process when the one that started it is gone, however that ended: its end of the pipe closes then. A process that a person
 * starts reads a terminal or a file, and goes on.
 */
export function endWithParent(): void {
  if (!fstatSync(0).isSocket()) return;
  const { stdin } = process;
  stdin.resume().once('end', () => process.exit(1));
  // It does not keep a process alive that is done.
  if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
}
