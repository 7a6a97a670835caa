const UNITS: readonly [seconds: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];
const FORMAT = new Intl.RelativeTimeFormat('en', { style: 'short' });

export function Ago({ at }: { at: string | number }) {
  const time = new Date(at);
  const iso = time.toISOString();
  // Clocks differ a little, so the future counts as now.
  const seconds = Math.round((Date.now() - time.getTime()) / 1_000);
  const unit = UNITS.find(([size]) => seconds >= Math.max(5, size));
  return (
    <time datetime={iso} title={`${iso.slice(0, 19).replace('T', ' ')} UTC`}>
      {unit === undefined ? 'now' : FORMAT.format(-Math.floor(seconds / unit[0]), unit[1])}
    </time>
  );
}
