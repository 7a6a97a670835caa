/** The time at which DynamoDB gave an answer: a header of the response, kept with the output. */

/** Keeps the time that an answer's headers say. */
export function noteTimeOfAnswer(output: object, headers: Readonly<Record<string, unknown>>): void {
  Object.assign(output, { $serverDate: headers['date'] });
}

/** The time of such an answer, in milliseconds since 1970; undefined where it does not tell. */
export function timeOfAnswer(output: object): number | undefined {
  const { $serverDate } = output as { $serverDate?: unknown };
  const time = typeof $serverDate === 'string' ? Date.parse($serverDate) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
