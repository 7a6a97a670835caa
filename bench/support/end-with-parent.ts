import { fstatSync } from 'node:fs';

/**
 * Ends this process when its parent ends, which closes the pipe to stdin. Has no effect if stdin is a terminal or a
 * file.
 */
export function endWithParent(): void {
  if (!fstatSync(0).isSocket()) return;
  const { stdin } = process;
  stdin.resume().once('end', () => process.exit(1));
  // Don't keep a finished process alive.
  if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
}
