import { en } from 'zod/locales';

let parsing: { error: ReturnType<typeof en>['localeError']; jitless: true } | undefined;

/**
 * For schemas parsed once at a function's start: English messages, which `zod/mini` lacks, and no compiled parser,
 * which would take longer than the parse. Made at first use, so that bundlers drop the messages if nothing parses.
 */
export function parsingInEnglish(): NonNullable<typeof parsing> {
  parsing ??= { error: en().localeError, jitless: true };
  return parsing;
}
