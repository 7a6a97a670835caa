export function noteTimeOfAnswer(output: object, headers: Readonly<Record<string, unknown>>): void {
  Object.assign(output, { $serverDate: headers['date'] });
}

/** In milliseconds since 1970. */
export function timeOfAnswer(output: object): number | undefined {
  const { $serverDate } = output as { $serverDate?: unknown };
  const time = typeof $serverDate === 'string' ? Date.parse($serverDate) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
