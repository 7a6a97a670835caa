/**
 * Calls `stop` on the first SIGINT or SIGTERM, which then has to end the work in good order; a second one ends the
 * process at once. Gives a function that takes the handlers away.
 */
export function stopOnSignal(stop: () => Promise<unknown>): () => void {
  let asked = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (asked) {
      release();
      process.kill(process.pid, signal);
      return;
    }
    asked = true;
    // What stopping throws is thrown by the run that it ends as well, and told there.
    stop().catch(() => undefined);
  };
  const release = (): void => {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return release;
}
