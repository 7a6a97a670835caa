import { useEffect, useState } from 'preact/hooks';

/** Returns `read()`, and calls it again on each of the window events. */
export function useEventValue<T>(read: () => T, ...events: readonly string[]): T {
  const [value, setValue] = useState(read);
  useEffect(() => {
    const listen = (): void => setValue(read);
    listen();
    for (const event of events) addEventListener(event, listen);
    return () => {
      for (const event of events) removeEventListener(event, listen);
    };
  }, []);
  return value;
}
