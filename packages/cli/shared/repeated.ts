import { isDeepStrictEqual } from 'node:util';
import { type Command, InvalidArgumentError } from 'commander';

const repeatedParsers = new WeakSet<object>();

/** Marks the parser of an option that may be given several times: it adds each value to those before it. */
export function repeated<T>(parse: (text: string, before?: T) => T): (text: string, before?: T) => T {
  repeatedParsers.add(parse);
  return parse;
}

/**
 * Makes the command and its subcommands refuse a second, different value of a single-value option. Commander would keep
 * the last value.
 */
export function refuseSecondValues(command: Command): void {
  for (const option of command.options) {
    const { parseArg: parse } = option;
    const takesOne = (option.required || option.optional) && !option.variadic;
    if (!takesOne || (parse !== undefined && repeatedParsers.has(parse))) continue;
    let first: string | undefined;
    option.argParser((text: string, before: unknown): unknown => {
      if (first !== undefined && first !== text)
        throw new InvalidArgumentError(`${first} is given too: leave one of them out.`);
      first = text;
      return parse === undefined ? text : parse(text, before);
    });
  }
  for (const one of command.commands) refuseSecondValues(one);
}

/** Throws Commander's error if the name already has a different value. */
export function addNamed<T>(name: string, value: T, before: ReadonlyMap<string, T> = new Map()): Map<string, T> {
  if (hasOtherValue(before, name, value))
    throw new InvalidArgumentError(`${name} has a value already: leave one of them out.`);
  return new Map([...before, [name, value]]);
}

export function hasOtherValue(values: ReadonlyMap<string, unknown>, name: string, value: unknown): boolean {
  return values.has(name) && !isDeepStrictEqual(values.get(name), value);
}
