export function figureText(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 2 });
}

/** Returns `1 record` or `1,200 records`. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${figureText(count)} ${count === 1 ? one : many}`;
}
