import { useEffect, useState } from 'preact/hooks';

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
