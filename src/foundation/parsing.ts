import { en } from 'zod/locales';

let parsing: { error: ReturnType<typeof en>['localeError']; jitless: true } | undefined;

/**
 * Parse options for schemas that a function reads at its start: English messages, which `zod/mini` lacks, and no compiled parser, which
 * would take longer than the one parse. They are made at the first use: a bundler leaves the messages out where nothing parses.
 */
export function parsingInEnglish(): NonNullable<typeof parsing> {
  parsing ??= { error: en().localeError, jitless: true };
  return parsing;
}
