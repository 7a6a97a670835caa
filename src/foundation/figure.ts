/** A figure with at most two decimals, for people. */
export function figureText(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 2 });
}
