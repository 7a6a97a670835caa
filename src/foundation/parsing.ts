import { en } from 'zod/locales';

let parsing: { error: ReturnType<typeof en>['localeError']; jitless: true } | undefined;

/**
 * How schemas of `zod/mini` are parsed that a function reads at its start: with messages in English, which `zod/mini` has none of,
 * and without compiling a parser, which takes longer than the one parse that it is for. It is made when it is used first: a bundler
 * leaves the messages out where nothing parses.
 */
export function parsingInEnglish(): NonNullable<typeof parsing> {
  parsing ??= { error: en().localeError, jitless: true };
  return parsing;
}
