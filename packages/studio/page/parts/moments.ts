/** Seconds between two labels of a time axis. */
const STEPS = [1, 5, 15, 30, 60, 300, 900, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400];

/** Round times of day here, in milliseconds since 1970: at most `most`, but for an axis of many days. */
export function momentsBetween(fromMs: number, toMs: number, most: number): number[] {
  const stepMs = 1_000 * (STEPS.find((seconds) => (toMs - fromMs) / (1_000 * seconds) < most) ?? STEPS.at(-1)!);
  const zoneMs = 60_000 * new Date(fromMs).getTimezoneOffset();
  const firstMs = Math.ceil((fromMs - zoneMs) / stepMs) * stepMs + zoneMs;
  const count = Math.max(0, Math.floor((toMs - firstMs) / stepMs) + 1);
  return Array.from({ length: count }, (_, i) => firstMs + i * stepMs);
}
