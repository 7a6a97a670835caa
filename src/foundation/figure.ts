export function figureText(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 2 });
}

export function countText(count: number, one: string, many = `${one}s`): string {
  return `${figureText(count)} ${count === 1 ? one : many}`;
}
