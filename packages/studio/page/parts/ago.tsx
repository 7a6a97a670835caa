import { useEffect, useState } from 'preact/hooks';

const UNITS: readonly [seconds: number, one: string][] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'min'],
  [1, 's'],
];

export function Ago({ at }: { at: string | number }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 5_000);
    return () => clearInterval(timer);
  }, []);
  const atMs = new Date(at).getTime();
  const iso = new Date(atMs).toISOString();
  return (
    <time datetime={iso} title={`${iso.slice(0, 19).replace('T', ' ')} UTC`}>
      {agoText(now - atMs)}
    </time>
  );
}

/** Clocks differ a little: the near future is now. */
function agoText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 5) return 'now';
  const [size, name] = UNITS.find(([size]) => seconds >= size)!;
  const count = Math.floor(seconds / size);
  return `${count} ${name.length > 3 && count > 1 ? `${name}s` : name} ago`;
}
